//! Reads what is known of the sessions that are chosen.

use api::research::{SessionTable, SessionsQuery};
use domain::session::event::SessionId;
use frontend::runtime::client::ClientError;

use super::summary::{COLUMNS, Chosen, chosen_of};
use crate::session_rows::session_rows;

/// Most sessions that one request asks for: proxies take addresses of some thousand characters.
const AT_ONCE: usize = 50;

/// Reads what is known of sessions.
pub async fn known(study: &str, sessions: &[SessionId]) -> Result<Vec<Chosen>, ClientError> {
    let mut all = Vec::new();
    for some in sessions.chunks(AT_ONCE) {
        let names: Vec<&str> = some.iter().map(|it| it.0.as_str()).collect();
        let query = SessionsQuery {
            columns: COLUMNS.to_owned(),
            filter: format!("session={}", names.join("|")),
            rows: Some(api::research::MOST_ROWS),
            ..SessionsQuery::default()
        };
        let mut chosen = Vec::new();
        let take = |table: SessionTable| {
            let is_missing = table.rows.len() < some.len();
            chosen = chosen_of(table);
            is_missing
        };
        session_rows(study, &query, take).await?;
        all.extend(chosen);
    }
    Ok(all)
}
