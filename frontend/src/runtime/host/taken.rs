//! Calls from the screens of the session to the host.

use std::pin::Pin;
use std::rc::Rc;

use domain::common::sizes::Sizes;
use domain::session::Session;
use domain::session::event::{Event, QuestionRef};

use super::Host;
use crate::runtime::clock;
use crate::runtime::current::TakenSession;
use crate::runtime::instances::Instances;
use crate::runtime::store::DraftOf;
use crate::runtime::task::{EventsToLog, TaskDriver};
use crate::text::text;

impl TakenSession for Host {
    fn act(&self, event: Event) {
        if matches!(
            event,
            Event::ConsentGiven(_) | Event::ConsentDeclined | Event::Withdrew { .. }
        ) {
            self.set_asking(false);
        }
        self.log(event);
        self.show_phase();
    }

    fn keep_draft(&self, of: DraftOf, draft: &str) {
        self.store.save_draft(&self.id, of, Some(draft));
    }

    fn drop_draft(&self, of: DraftOf) {
        self.store.save_draft(&self.id, of, None);
    }

    fn time_left_s(&self) -> Option<f64> {
        let mut state = self.state.borrow_mut();
        let now_ms = state.clock.now_ms(clock::monotonic_ms());
        let left_ms = state.session.time_left_ms(now_ms)?;
        Some(left_ms as f64 / 1_000.0)
    }

    fn instances(&self) -> &Rc<Instances> {
        &self.instances
    }

    fn drive_any(&self, step: &mut dyn FnMut(&mut dyn TaskDriver, u64) -> EventsToLog) {
        self.notice_sleep();
        let mut state = self.state.borrow_mut();
        if state.closed {
            return;
        }
        let now_ms = state.clock.now_ms(clock::monotonic_ms());
        let Some(shown) = state.shown.as_mut() else {
            return;
        };
        let elapsed_ms = now_ms.saturating_sub(shown.started_at_ms);
        let done = step(shown.driver.as_mut(), elapsed_ms);
        let more = shown.driver.wants_frame(elapsed_ms);
        drop(state);
        if more {
            self.ask_for_frame();
        }
        let Ok(events) = done else {
            self.close(text().runtime.undecodable());
            return;
        };
        let before = self.read(Session::phase);
        self.log_all(events);
        if self.read(Session::phase) == before {
            self.show_question();
        } else {
            self.show_phase();
        }
        self.decode_in_background();
    }

    fn ask_for_frame(&self) {
        let mut state = self.state.borrow_mut();
        if !std::mem::replace(&mut state.frame_asked, true) {
            let this = self.this.clone();
            leptos::prelude::request_animation_frame(move || {
                if let Some(host) = this.upgrade() {
                    host.state.borrow_mut().frame_asked = false;
                    host.drive_any(&mut |driver, elapsed_ms| driver.frame(elapsed_ms));
                    host.beat_after_frame();
                }
            });
        }
    }

    fn sized(&self, at: QuestionRef, sizes: Sizes) {
        let mut state = self.state.borrow_mut();
        if let Some(shown) = state.shown.as_mut().filter(|shown| shown.at == at) {
            shown.sizes.saw(sizes);
        }
    }

    fn open_microphone(&self) -> Pin<Box<dyn Future<Output = Result<(), String>> + '_>> {
        Box::pin(self.ask_for_microphone())
    }

    fn microphone_level(&self) -> f64 {
        let level = self.recorder.borrow().as_ref().map_or(0.0, |it| it.level());
        // Speech has a root mean square around a tenth of full scale.
        (level * 6.0).min(1.0)
    }

    fn answer_recording(&self, agreed: bool) {
        self.log(Event::RecordingAnswered { agreed });
        if agreed {
            self.start_recording();
        } else if let Some(recorder) = self.recorder.take() {
            recorder.stop();
        }
        self.show_phase();
    }
}
