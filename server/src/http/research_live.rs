//! The researcher's area: studies as they go on, by server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use api::ErrorCode;
use api::research::Right;
use api::research::live::MOST_STREAMS;
use axum::extract::State;
use axum::http::HeaderName;
use axum::http::header::CACHE_CONTROL;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::time::{Instant, sleep_until};

use super::error::ApiError;
use super::research::Entered;
use crate::access::{AccessError, SignedIn};
use crate::live::Watcher;
use crate::state::ServerState;

/// How often a comment is sent, so that no proxy takes the connection for a dead one.
const COMMENT_EVERY: Duration = Duration::from_secs(15);

/// `GET /research/api/live`
pub(super) async fn watch(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
) -> Result<Response, ApiError> {
    let studies = studies_of(&who);
    if studies.is_empty() {
        return Err(AccessError::Forbidden.into());
    }
    let watcher = state.live.watch(who.name(), studies.clone());
    let watcher = watcher.ok_or_else(|| {
        let many = format!("you have {MOST_STREAMS} live streams open; close one, then ask again");
        ApiError::new(ErrorCode::Unavailable, many)
    })?;
    let stream = Stream {
        watcher,
        who,
        studies,
        look_at: Instant::now() + state.limits.may_watch,
        state,
    };
    let events = stream::unfold(stream, |mut stream| async {
        let message = stream.next().await?;
        let event = Event::default().data(&*message);
        Some((Ok::<_, Infallible>(event), stream))
    });
    let headers = [
        (CACHE_CONTROL, "no-cache"),
        // nginx would keep messages until it has some kilobytes of them.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let comments = KeepAlive::new().interval(COMMENT_EVERY);
    Ok((headers, Sse::new(events).keep_alive(comments)).into_response())
}

/// The studies in which somebody may look on as a whole, in order.
fn studies_of(who: &SignedIn) -> Vec<String> {
    let mine = who
        .me()
        .studies
        .into_iter()
        .map(|membership| membership.study);
    let mut studies: Vec<String> = mine
        .filter(|study| who.may(Right::Look, study, false))
        .collect();
    studies.sort();
    studies
}

/// A stream that somebody has open.
struct Stream {
    watcher: Watcher,
    who: SignedIn,
    studies: Vec<String>,
    state: ServerState,
    look_at: Instant,
}

impl Stream {
    /// The next message; nothing at the end: the server stops, or whoever watches may not any more, or something else.
    async fn next(&mut self) -> Option<std::sync::Arc<str>> {
        loop {
            tokio::select! {
                biased;
                () = self.state.stopping.cancelled() => return None,
                () = sleep_until(self.look_at) => {
                    let who = self.state.access.still(&self.who).await.ok()?;
                    if studies_of(&who) != self.studies {
                        // A new connection gets a picture of what there is now.
                        return None;
                    }
                    self.look_at = Instant::now() + self.state.limits.may_watch;
                }
                message = self.watcher.next() => return Some(message),
            }
        }
    }
}
