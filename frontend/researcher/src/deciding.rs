//! Decisions about sessions: those that are chosen in the table of sessions, or the one that is replayed.

use api::{ErrorCode, ErrorInfo};
use domain::session::event::SessionId;
use frontend::runtime::client::ClientError;
use frontend::runtime::research_client;
use leptos::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::area::Area;

mod counting;
mod platform;

pub use counting::Decisions;
pub use platform::PlatformDecisions;

/// The state that decisions need of the page that offers them.
#[derive(Clone, Copy)]
pub struct Deciding {
    /// The state that the pages share.
    pub area: Area,
    /// The study.
    pub study: StoredValue<String>,
    /// The sessions that it is about.
    pub chosen: RwSignal<Vec<SessionId>>,
    /// Whether sessions are chosen on the page; else it is always about the same one.
    pub choosing: bool,
    /// Asks again for what the page shows of sessions.
    pub reload: Callback<()>,
}

impl Deciding {
    /// Has something done with sessions, one after the other, until one fails; gives with how many it was done. They are no
    /// longer chosen. Those about which somebody has decided before are left as they are, and all of them are named in the end.
    async fn each<B: Serialize, A: DeserializeOwned>(
        self,
        sessions: &[SessionId],
        path: impl Fn(&SessionId) -> String,
        body: &B,
    ) -> (u64, Result<(), ClientError>) {
        let key = self.area.change_key();
        let mut done = 0;
        let mut decided = None::<ErrorInfo>;
        for session in sessions {
            let answer = research_client::post(&path(session), body, key.as_deref()).await;
            match answer.map(|_: A| ()) {
                Ok(()) => done += 1,
                Err(ClientError::Refused(error)) if error.code == ErrorCode::Decided => {
                    decided = Some(both(decided, error));
                    continue;
                }
                Err(error) => return (done, Err(error)),
            }
            if self.choosing {
                self.chosen.update(|it| it.retain(|other| other != session));
            }
        }
        (
            done,
            decided.map_or(Ok(()), |error| Err(ClientError::Refused(error))),
        )
    }

    /// Something was done with sessions: the page shows it, unless it was left.
    fn done(self, words: String) {
        if self.reload.try_run(()).is_some() {
            self.area.done.set(Some(words));
        }
    }
}

/// Both errors as one.
fn both(before: Option<ErrorInfo>, error: ErrorInfo) -> ErrorInfo {
    let message = before.map_or_else(String::new, |before| format!("{}; ", before.message));
    ErrorInfo {
        message: message + &error.message,
        ..error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_decided_before_is_told_of_each_session() {
        let error = |message: &str| ErrorInfo {
            code: ErrorCode::Decided,
            message: message.to_owned(),
            acked_len: None,
        };
        let first = both(None, error("ada has excluded session a"));
        assert_eq!(first, error("ada has excluded session a"));
        let all = both(Some(first), error("bob has excluded session b"));
        assert_eq!(
            all.message,
            "ada has excluded session a; bob has excluded session b"
        );
    }
}
