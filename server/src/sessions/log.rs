//! Reading logs, page by page.

use domain::event::{Author, Envelope, SessionId};

use crate::storage::{LogCursor, Storage, StorageError};

/// The events numbered `from..to` of one author's log, or as far as it goes.
pub(super) async fn read_log(
    storage: &dyn Storage,
    session: &SessionId,
    author: Author,
    from: u64,
    to: u64,
) -> Result<Vec<Envelope>, StorageError> {
    const PAGE: u32 = 1_000;
    let mut log = Vec::new();
    let mut cursor = LogCursor::new(author, from);
    while cursor.next() < to {
        let limit = u32::try_from(to - cursor.next()).unwrap_or(PAGE).min(PAGE);
        let page = storage
            .events(session, author, cursor.next(), limit)
            .await?;
        if page.is_empty() {
            break;
        }
        for event in page {
            cursor.pass(event.seq)?;
            log.push(event.envelope()?);
        }
    }
    Ok(log)
}
