//! Pages that broke down say so. It goes to the server's log, for whoever runs it.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use api::{Heard, PageError};
use axum::Json;
use axum::extract::State;

use super::extract;
use crate::state::AppState;

/// How many reports are logged within [`PERIOD`]: anybody can send them.
const LOGGED_AT_MOST: u32 = 30;
const PERIOD: Duration = Duration::from_secs(60);
/// How many characters of a message are logged.
const MESSAGE_CHARS: usize = 2_000;
const PATH_CHARS: usize = 100;

/// Counts the reports, so that nobody can fill the log with them.
#[derive(Debug, Default)]
pub struct PageErrors(Mutex<Option<(Instant, u32)>>);

impl PageErrors {
    /// Whether a report that comes at `now` is to be logged.
    fn admits(&self, now: Instant) -> bool {
        // Two numbers are whole even if somebody panicked beside them.
        let mut period = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
        let (since, count) = match *period {
            Some((since, count)) if now.duration_since(since) < PERIOD => (since, count),
            _ => (now, 0),
        };
        *period = Some((since, count.saturating_add(1)));
        count < LOGGED_AT_MOST
    }
}

/// `POST /api/page-errors`
pub(super) async fn report(
    State(state): State<AppState>,
    extract::Json(error): extract::Json<PageError>,
) -> Json<Heard> {
    let logged = state.page_errors.admits(Instant::now());
    if logged {
        let message = one_line(&error.message, MESSAGE_CHARS);
        let path = one_line(&error.path, PATH_CHARS);
        tracing::error!(%path, %message, "a participant's page broke down");
    }
    Json(Heard { logged })
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
    fn many_reports_in_a_minute_are_counted_and_not_logged() {
        let errors = PageErrors::default();
        let start = Instant::now();
        let admitted = (0..100).filter(|_| errors.admits(start)).count();
        assert_eq!(admitted, 30);
        assert!(!errors.admits(start + Duration::from_secs(59)));
        assert!(errors.admits(start + Duration::from_secs(61)));
    }

    #[test]
    fn a_report_is_one_line_of_the_log() {
        assert_eq!(one_line("a\nb\u{1b}[31m", 100), "a b [31m");
        assert_eq!(one_line(&"x".repeat(5000), 2000).len(), 2000);
    }
}
