//! Reading logs, page by page.

use domain::event::{Author, Envelope, SessionId};

use crate::storage::{Storage, StorageError};

/// The events numbered `from..to` of one author's log.
pub(super) async fn read_log(
    storage: &dyn Storage,
    session: &SessionId,
    author: Author,
    from: u64,
    to: u64,
) -> Result<Vec<Envelope>, StorageError> {
    const PAGE: u32 = 1_000;
    let mut log = Vec::new();
    let mut next = from;
    while next < to {
        let limit = u32::try_from(to - next).unwrap_or(PAGE).min(PAGE);
        let page = storage.events(session, author, next, limit).await?;
        if page.is_empty() {
            break;
        }
        next += page.len() as u64;
        for event in page {
            log.push(event.envelope()?);
        }
    }
    Ok(log)
}
