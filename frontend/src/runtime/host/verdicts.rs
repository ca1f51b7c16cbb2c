//! The host's part in right answers: the server is asked for them once it has the participant's.

use domain::event::{Event, QuestionRef};
use domain::session::{Phase, Session};
use domain::task::Verdict;
use gloo_timers::future::TimeoutFuture;
use leptos::task::spawn_local;

use super::Host;
use crate::runtime::client::{self, ClientError};

/// Between two attempts.
const PAUSE_MS: u32 = 1_000;

impl Host {
    /// Asks for the verdict that something waits for, if there is one and the server can know it.
    pub(super) fn ask_for_verdict(&self) {
        let mut state = self.state.borrow_mut();
        if state.closed || state.asking_verdict {
            return;
        }
        let Some(at) = awaited(&state.session) else {
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
            let answer = client::verdict(&host.id, &host.token, at).await;
            if answer.is_err() {
                TimeoutFuture::new(PAUSE_MS).await;
            }
            host.state.borrow_mut().asking_verdict = false;
            host.on_verdict(at, answer);
        });
    }

    fn on_verdict(&self, at: QuestionRef, answer: Result<Verdict, ClientError>) {
        match answer {
            // It may be known by now from a log that another page began.
            Ok(verdict) if self.read(|session| session.verdict(at).is_none()) => {
                self.act(Event::VerdictReceived { at, verdict });
            }
            Ok(_) => {}
            Err(error) => leptos::logging::warn!("no verdict yet: {error}"),
        }
    }
}

/// The answered question whose verdict is awaited: by its own screen, or by what comes next.
fn awaited(session: &Session) -> Option<QuestionRef> {
    let open = session.without_verdict();
    match session.phase() {
        Phase::AwaitingVerdicts { .. } => open.first().copied(),
        Phase::Question(at) => open.into_iter().find(|question| *question == at),
        _ => None,
    }
}
