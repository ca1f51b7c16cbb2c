//! Asks for rows of the table of sessions.

use api::research::{SessionTable, SessionsQuery};
use api::routes;
use frontend::runtime::client::ClientError;
use frontend::runtime::research_client;
use gloo_timers::future::TimeoutFuture;

use crate::route::query_of;

/// The pause before rows are asked for again. The server itself waits for them before it answers.
const PAUSE_MS: u32 = 500;

/// Asks for a page of the table. The server waits only a while for rows that it has to make first, and then gives those
/// that it has; so it is asked again until it has all rows, or whoever takes them wants no more. `take` gets each answer
/// and says whether it waits for rows that are missing.
pub async fn session_rows(
    study: &str,
    query: &SessionsQuery,
    mut take: impl FnMut(SessionTable) -> bool,
) -> Result<(), ClientError> {
    let path = format!("{}?{}", routes::research_sessions(study), query_of(query));
    loop {
        let table: SessionTable = research_client::get(&path).await?;
        let is_missing = table.missing > 0;
        if !take(table) || !is_missing {
            return Ok(());
        }
        TimeoutFuture::new(PAUSE_MS).await;
    }
}
