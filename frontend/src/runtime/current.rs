//! The session that is taken on this page, as its screens reach it.

use std::pin::Pin;
use std::rc::Rc;

use domain::common::sizes::Sizes;
use domain::session::event::{Event, QuestionRef};
use leptos::prelude::{Callback, LocalStorage, SetValue, StoredValue, WithValue};

use super::instances::Instances;
use super::store::DraftOf;
use super::task::{Displayed, EventsToLog, TaskDriver};

/// A session that is taken on the page where it is displayed: its screens tell it what the participant does. A page
/// that replays one has none, and so nothing of what logs, stores and sends.
pub trait TakenSession: Displayed {
    /// Logs something the participant did, and shows what follows from it.
    fn act(&self, event: Event);

    /// Keeps what is half done and not in the log, so that a reload finds it.
    fn keep_draft(&self, of: DraftOf, draft: &str);

    /// Forgets it: it is done.
    fn drop_draft(&self, of: DraftOf);

    /// Seconds that are left for the page on screen; absent where it may take any time.
    fn time_left_s(&self) -> Option<f64>;

    /// The instances of the session.
    fn instances(&self) -> &Rc<Instances>;

    /// Tells the question on screen something, logs what comes of it, and shows how it stands. It is given the time
    /// since the question started, in milliseconds.
    fn drive_any(&self, step: &mut dyn FnMut(&mut dyn TaskDriver, u64) -> EventsToLog);

    /// Has the rest of an input done in the coming frame.
    fn ask_for_frame(&self);

    /// Asks the browser for the microphone.
    fn open_microphone(&self) -> Pin<Box<dyn Future<Output = Result<(), String>> + '_>>;

    /// The page was laid out: how large picture and sliders of a question are.
    fn sized(&self, at: QuestionRef, sizes: Sizes);

    /// How loud the microphone is, in [0, 1], for a meter.
    fn microphone_level(&self) -> f64;

    /// The participant answered whether they may be recorded.
    fn answer_recording(&self, agreed: bool);
}

impl dyn TakenSession + '_ {
    /// Tells the question on screen something, if it is one of that task.
    pub fn drive<D: TaskDriver>(&self, step: impl FnOnce(&mut D, u64) -> EventsToLog) {
        let mut step = Some(step);
        self.drive_any(&mut |driver, elapsed_ms| {
            match (driver.as_any().downcast_mut(), step.take()) {
                (Some(driver), Some(step)) => step(driver, elapsed_ms),
                // An input of a screen that has just left.
                _ => Ok(vec![]),
            }
        });
    }

    /// The same for an input of which the rest is done in the coming frame.
    pub fn drive_in_frame<D: TaskDriver>(&self, step: impl FnOnce(&mut D, u64) -> EventsToLog) {
        self.drive(step);
        self.ask_for_frame();
    }
}

/// The session under way, if there is one. One for the whole life of a page, so it can be copied
/// everywhere.
#[derive(Clone, Copy)]
pub struct CurrentSession(StoredValue<Option<Rc<dyn TakenSession>>, LocalStorage>);

impl Default for CurrentSession {
    fn default() -> Self {
        Self(StoredValue::new_local(None))
    }
}

impl CurrentSession {
    /// The session.
    #[must_use]
    pub fn get(&self) -> Option<Rc<dyn TakenSession>> {
        self.0.with_value(Clone::clone)
    }

    /// Another one takes its place.
    pub fn set(&self, session: Option<Rc<dyn TakenSession>>) {
        self.0.set_value(session);
    }

    /// A callback that tells the session under way something; without one it does nothing.
    pub fn callback<T: 'static>(
        self,
        tell: impl Fn(&dyn TakenSession, T) + Send + Sync + 'static,
    ) -> Callback<T> {
        Callback::new(move |value| {
            if let Some(session) = self.get() {
                tell(&*session, value);
            }
        })
    }
}
