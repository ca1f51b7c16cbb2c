//! Decisions about sessions: those that are chosen in the table of sessions, or the one that is replayed.

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

/// What decisions need to know of the page that offers them.
#[derive(Clone, Copy)]
pub struct Deciding {
    /// What the pages share.
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
    /// longer chosen.
    async fn each<B: Serialize, A: DeserializeOwned>(
        self,
        sessions: &[SessionId],
        path: impl Fn(&SessionId) -> String,
        body: &B,
    ) -> (u64, Result<(), ClientError>) {
        let key = self.area.change_key();
        let mut done = 0;
        for session in sessions {
            let answer = research_client::post(&path(session), body, key.as_deref()).await;
            if let Err(error) = answer.map(|_: A| ()) {
                return (done, Err(error));
            }
            done += 1;
            if self.choosing {
                self.chosen.update(|it| it.retain(|other| other != session));
            }
        }
        (done, Ok(()))
    }

    /// Something was done with sessions: the page shows it, unless it was left.
    fn done(self, words: String) {
        if self.reload.try_run(()).is_some() {
            self.area.done.set(Some(words));
        }
    }
}
