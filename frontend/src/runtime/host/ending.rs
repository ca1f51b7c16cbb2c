//! The host's part in the end of a session: everything uploaded, then the code.

use api::{ErrorCode, ErrorInfo};
use domain::recruitment::platform::WayBack;
use domain::session::{Phase, Session};
use leptos::prelude::{GetUntracked, Set};
use leptos::task::spawn_local;

use super::Host;
use super::departure_request::{DepartureRequest, FIRST_PAUSE_MS, LONGEST_PAUSE_MS};
use crate::runtime::client::{self, ClientError};
use crate::runtime::clock;
use crate::runtime::store::LocalSession;
use crate::runtime::upload::UploadInput;
use crate::state::ending::Ending;
use crate::state::{CodeState, Persistence, SaveState, Screen};
use crate::text::text;

impl Host {
    /// Asks for the code when the session is complete and the server holds all of it; and for
    /// the way back to the participant's platform, however the session ended.
    pub(super) fn ask_to_leave_if_due(&self) {
        let state = self.state.borrow();
        let phase = state.session.phase();
        let complete = phase == Phase::Complete && !state.session.wants_erasure();
        if state.closed || !phase.is_end() {
            return;
        }
        let DepartureRequest::Due {
            not_before_ms,
            pause_ms,
        } = state.departure_request
        else {
            return;
        };
        let (acked_len, offline) = self.uplink.read(|up| {
            (
                up.acked_len(),
                up.is_offline(crate::runtime::uplink::now_ms()),
            )
        });
        drop(state);
        if self.waits_for_sound() {
            self.set_code(CodeState::Waiting);
            return;
        }
        let mut state = self.state.borrow_mut();
        let now_ms = clock::monotonic_ms();
        let all_there = acked_len >= state.session.next_seq();
        if all_there && now_ms < not_before_ms {
            // It was asked for, and the page says what came of that.
            return;
        }
        if !all_there {
            drop(state);
            self.set_code(if offline {
                CodeState::Offline
            } else {
                CodeState::Waiting
            });
            return;
        }
        state.departure_request = DepartureRequest::Asked { pause_ms };
        drop(state);
        let me = self.this.clone();
        spawn_local(async move {
            let Some(host) = me.upgrade() else {
                return;
            };
            let answer = host.ask_to_leave(complete).await;
            host.on_departure(answer).await;
        });
    }

    /// The code of a complete session, and the way back.
    async fn ask_to_leave(
        &self,
        complete: bool,
    ) -> Result<(Option<String>, Option<WayBack>), ClientError> {
        let code = if complete {
            Some(client::complete(&self.id, &self.token).await?.code)
        } else {
            None
        };
        let departure = client::departure(&self.id, &self.token).await?;
        Ok((code.or(departure.code), departure.way_back))
    }

    async fn on_departure(&self, answer: Result<(Option<String>, Option<WayBack>), ClientError>) {
        let again = |pause_ms: f64| DepartureRequest::Due {
            not_before_ms: clock::monotonic_ms() + pause_ms,
            pause_ms: (pause_ms * 2.0).min(LONGEST_PAUSE_MS),
        };
        let pause_ms = match self.state.borrow().departure_request {
            DepartureRequest::Asked { pause_ms } => pause_ms,
            DepartureRequest::Due { .. } | DepartureRequest::Refused => FIRST_PAUSE_MS,
        };
        match answer {
            Ok((code, way_back)) if self.read(Session::wants_erasure) => {
                self.on_erased(code, way_back).await;
            }
            Ok((None, way_back)) => {
                // Once is enough; the page goes on saving.
                self.state.borrow_mut().departure_request = DepartureRequest::Refused;
                self.app.way_back.set(way_back);
            }
            Ok((Some(code), way_back)) => {
                self.state.borrow_mut().closed = true;
                self.heartbeat.take();
                self.uplink.close();
                // Nothing is under way any more that could say so.
                self.app.save.set(Some(SaveState::Saved));
                let session = LocalSession::Completed {
                    title: self.title.clone(),
                    language: Some(self.read(|session| session.plan().language.clone())),
                    code: code.clone(),
                    ending: Ending {
                        way_back: way_back.clone(),
                        ..self.read(Ending::of)
                    },
                };
                self.app.way_back.set(way_back);
                // The code first: without it, the events are all there is.
                self.store.save_session(&self.slot, &session).await;
                self.set_code(CodeState::Ready(code));
                self.store.drop_events(&self.id).await;
            }
            Err(ClientError::Refused(error)) if error.code == ErrorCode::NoCode => {
                self.state.borrow_mut().departure_request = DepartureRequest::Refused;
                self.set_code(CodeState::Trial);
            }
            Err(ClientError::Refused(error))
                if !matches!(
                    error.code,
                    ErrorCode::Internal | ErrorCode::Unavailable | ErrorCode::StorageFull
                ) =>
            {
                leptos::logging::error!("no completion code: {}", error.message);
                self.state.borrow_mut().departure_request = DepartureRequest::Refused;
                self.set_code(CodeState::Failed(text().runtime.no_code().to_owned()));
            }
            Err(error) => {
                self.state.borrow_mut().departure_request = again(pause_ms);
                self.set_code(match error {
                    ClientError::Unreachable => CodeState::Offline,
                    // In reach, and busy or broken.
                    _ => CodeState::Waiting,
                });
            }
        }
    }

    /// Everything is erased on the server; so it is here.
    async fn on_erased(&self, code: Option<String>, way_back: Option<WayBack>) {
        self.state.borrow_mut().closed = true;
        self.heartbeat.take();
        self.uplink.close();
        self.app.save.set(Some(SaveState::Saved));
        let session = LocalSession::Erased {
            title: self.title.clone(),
            language: self.read(|session| session.plan().language.clone()),
            way_back: way_back.clone(),
            code: code.clone(),
        };
        self.app.way_back.set(way_back);
        if let Some(code) = code {
            self.set_code(CodeState::Ready(code));
        }
        self.store.save_session(&self.slot, &session).await;
        self.store.drop_events(&self.id).await;
        self.app.show(Screen::Withdrawn { erase: true });
    }

    /// Has everything erased after the end, when nothing is logged any more; whether that worked.
    pub async fn erase_after_the_end(&self) -> bool {
        let Ok(departure) = client::erase(&self.id, &self.token).await else {
            return false;
        };
        self.on_erased(departure.code, departure.way_back).await;
        true
    }

    /// The server will not take the events: said where the participant is.
    pub(super) fn cannot_upload(&self, error: &ErrorInfo) {
        leptos::logging::error!("the server refused the log: {}", error.message);
        if error.code == ErrorCode::Erased {
            // By another page, or in answer to a batch whose acknowledgement was lost.
            let me = self.this.clone();
            spawn_local(async move {
                if let Some(host) = me.upgrade() {
                    let departure = client::departure(&host.id, &host.token).await.ok();
                    let (code, way_back) =
                        departure.map_or((None, None), |it| (it.code, it.way_back));
                    host.on_erased(code, way_back).await;
                }
            });
            return;
        }
        if error.code == ErrorCode::NotFound
            && self.app.keeping.get_untracked() == Persistence::Everything
            && let Some(window) = web_sys::window()
        {
            // The server has lost the session, as after an older backup was put back. The page opens
            // anew and hands it in again, or says what can be done.
            let _ = window.location().reload();
            return;
        }
        if error.code == ErrorCode::Conflict {
            // Its log went on from another page: in a browser whose tabs do not hear each other,
            // or on another device. That log is settled, and can be gone on with from here.
            self.give_up();
            return;
        }
        let words = &text().runtime;
        let message = if self.app.keeping.get_untracked() == Persistence::Everything {
            words.refused()
        } else {
            words.refused_not_kept()
        };
        if self.app.screen.get_untracked() == Screen::Complete {
            self.state.borrow_mut().departure_request = DepartureRequest::Refused;
            self.set_code(CodeState::Failed(message.to_owned()));
        } else {
            self.close(message);
        }
    }

    /// The participant asks for another attempt.
    pub fn retry(&self) {
        if self.uplink.read(|up| up.stopped().is_some()) {
            // Reloading the page compares the log with the server's.
            if let Some(window) = web_sys::window() {
                let _ = window.location().reload();
            }
            return;
        }
        self.state.borrow_mut().departure_request = DepartureRequest::default();
        self.set_code(CodeState::Waiting);
        self.uplink.on(UploadInput::RetryNow);
    }

    fn set_code(&self, code: CodeState) {
        if self.app.code.get_untracked() != code {
            self.app.code.set(code);
        }
    }
}
