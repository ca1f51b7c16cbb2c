//! Reads what is known of the sessions that are chosen.

use api::research::{SessionTable, SessionsQuery};
use domain::session::event::SessionId;
use frontend::runtime::client::ClientError;

use super::summary::{COLUMNS, Chosen, chosen_of};
use crate::session_rows::session_rows;

/// Reads what is known of sessions.
pub async fn known(study: &str, sessions: &[SessionId]) -> Result<Vec<Chosen>, ClientError> {
    let names: Vec<&str> = sessions.iter().map(|it| it.0.as_str()).collect();
    let query = SessionsQuery {
        columns: COLUMNS.to_owned(),
        filter: format!("session={}", names.join("|")),
        rows: Some(api::research::MOST_ROWS),
        ..SessionsQuery::default()
    };
    let mut chosen = Vec::new();
    let take = |table: SessionTable| {
        let is_missing = table.rows.len() < sessions.len();
        chosen = chosen_of(table);
        is_missing
    };
    session_rows(study, &query, take).await?;
    Ok(chosen)
}
