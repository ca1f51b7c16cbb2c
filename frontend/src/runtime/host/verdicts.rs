//! The host's part in right answers: the server is asked for them once it has the participant's.

use domain::session::event::{Event, QuestionRef};
use domain::session::{Phase, Session};
use gloo_timers::future::TimeoutFuture;
use leptos::task::spawn_local;

use super::Host;
use crate::runtime::client::{self, ClientError};
use crate::runtime::current::TakenSession as _;

/// Between two attempts.
const PAUSE_MS: u32 = 1_000;

/// A verdict or check that the server can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    /// Whether the answer to a question was right.
    Verdict(QuestionRef),
    /// Which answers to the questionnaire of a part are wrong.
    Check(usize),
}

impl Host {
    /// Asks for the verdict or check that something waits for, if there is one and the server
    /// can know it.
    pub(super) fn ask_for_verdict(&self) {
        let mut state = self.state.borrow_mut();
        if state.closed || state.asking_verdict {
            return;
        }
        let Some(awaited) = awaited(&state.session) else {
            return;
        };
        // The answer itself, and everything else that is logged by now.
        if self.uplink.read(|up| up.acked_len()) < state.session.next_seq() {
            return;
        }
        state.asking_verdict = true;
        drop(state);
        let this = self.this.clone();
        spawn_local(async move {
            let Some(host) = this.upgrade() else {
                return;
            };
            let told = host.ask(awaited).await;
            if told.is_err() {
                TimeoutFuture::new(PAUSE_MS).await;
            }
            host.state.borrow_mut().asking_verdict = false;
            match told {
                // It may be known by now from a log that another page began.
                Ok(event) if host.read(self::awaited) == Some(awaited) => {
                    host.act(event);
                }
                Ok(_) => {}
                Err(error) => leptos::logging::warn!("no verdict yet: {error}"),
            }
        });
    }

    async fn ask(&self, awaited: Awaited) -> Result<Event, ClientError> {
        match awaited {
            Awaited::Verdict(at) => {
                let verdict = client::verdict(&self.id, &self.token, at).await?;
                Ok(Event::VerdictReceived { at, verdict })
            }
            Awaited::Check(part) => {
                let wrong = client::check(&self.id, &self.token, part).await?;
                Ok(Event::CheckReceived { part, wrong })
            }
        }
    }
}

/// The verdict or check that is waited for: by a question's own screen, or by what comes next.
fn awaited(session: &Session) -> Option<Awaited> {
    if let Some(part) = session.without_check() {
        return Some(Awaited::Check(part));
    }
    let open = session.without_verdict();
    let at = match session.phase() {
        Phase::AwaitingVerdicts { .. } => open.first().copied(),
        Phase::Question(at) => open.into_iter().find(|question| *question == at),
        _ => None,
    };
    at.map(Awaited::Verdict)
}
