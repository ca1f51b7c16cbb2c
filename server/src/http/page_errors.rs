//! Pages that broke down say so. It goes to the server's log, for whoever runs it.

use std::time::Instant;

use api::{PageError, ReportLogged};
use axum::Json;
use axum::extract::State;

use super::extract;
use crate::state::ServerState;

/// How many characters of a message are logged.
const MESSAGE_CHARS: usize = 2_000;
const PATH_CHARS: usize = 100;

/// `POST /api/page-errors`
pub(super) async fn report(
    State(state): State<ServerState>,
    extract::Json(error): extract::Json<PageError>,
) -> Json<ReportLogged> {
    let logged = state.page_errors.admits(Instant::now());
    if logged {
        let message = one_line(&error.message, MESSAGE_CHARS);
        let path = one_line(&error.path, PATH_CHARS);
        tracing::error!(%path, %message, "a participant's page broke down");
    }
    Json(ReportLogged { logged })
}

/// Text from outside as one line of the log: no control characters, and not too long.
fn one_line(text: &str, at_most: usize) -> String {
    let shown = text.chars().take(at_most);
    shown
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_one_line_of_the_log() {
        assert_eq!(one_line("a\nb\u{1b}[31m", 100), "a b [31m");
        assert_eq!(one_line(&"x".repeat(5000), 2000).len(), 2000);
    }
}
