//! Questions on screen: each task drives its own.

pub mod exploration;
pub mod reconstruction;
pub mod single_dimension;

use std::any::Any;
use std::sync::Arc;

use domain::event::Event;
use domain::plan::StagePlan;
use domain::session;
use domain::task::reconstruction::play::{Decode, Undecodable};
use domain::task::{TaskPlan, TaskState, Verdict};

/// What a driver gives back: events to be logged, in order.
pub type Logged = Result<Vec<Event>, Undecodable>;

/// A question on screen. Times are in milliseconds since the question started.
pub trait TaskDriver: Any {
    /// Some time has passed; said ten times a second.
    fn tick(&mut self, _elapsed_ms: u64) -> Logged {
        Ok(vec![])
    }

    /// A frame is about to be drawn.
    ///
    /// # Errors
    /// When a picture cannot be computed.
    fn frame(&mut self, _elapsed_ms: u64) -> Logged {
        Ok(vec![])
    }

    /// The page may go away: nothing may be pending afterwards.
    ///
    /// # Errors
    /// When a picture cannot be computed.
    fn flush(&mut self, _elapsed_ms: u64) -> Logged {
        Ok(vec![])
    }

    /// The time is up: as [`flush`](Self::flush), and nothing moves any more.
    ///
    /// # Errors
    /// When a picture cannot be computed.
    fn cut(&mut self, elapsed_ms: u64) -> Logged {
        self.flush(elapsed_ms)
    }

    /// Whether there is work for the coming frame although nothing was done.
    fn wants_frame(&self, _elapsed_ms: u64) -> bool {
        false
    }

    /// Sets the signals of the screen.
    fn show(&self, scene: &Scene<'_>);

    /// Itself, to be told apart from other tasks' drivers.
    fn as_any(&mut self) -> &mut dyn Any;
}

/// What the session says of the question on screen.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The question, as far as it is logged.
    pub question: &'a session::Question,
    /// The server's verdict on the answer, once the page has logged it.
    pub verdict: Option<Verdict>,
    /// Whether the question can be skipped by now.
    pub can_skip: bool,
    /// The session's time.
    pub now_ms: u64,
}

/// What a driver is made from.
pub struct QuestionParts<'a> {
    /// The question, as far as it is logged.
    pub question: &'a session::Question,
    /// The instance that its screen shows and that is not decoded; none for a task without.
    pub instance: Option<Arc<Vec<f32>>>,
    /// The model's decoder.
    pub decode: Decode,
    /// Milliseconds since the question started.
    pub elapsed_ms: u64,
}

/// Brings a question on screen as its log left it. The events are what is to be logged first.
///
/// # Errors
/// When a picture cannot be computed, or the parts do not belong together.
pub fn driver(
    stage: &Arc<StagePlan>,
    parts: QuestionParts<'_>,
) -> Result<(Box<dyn TaskDriver>, Vec<Event>), Undecodable> {
    match (&stage.task, &parts.question.state) {
        (TaskPlan::Reconstruction(plan), TaskState::Reconstruction(state)) => {
            reconstruction::Driver::open(plan, state, &parts)
        }
        (TaskPlan::SingleDimension(plan), TaskState::SingleDimension(state)) => {
            single_dimension::Driver::open(plan, state, &parts)
        }
        (TaskPlan::Exploration(plan), TaskState::Exploration(state)) => {
            exploration::Driver::open(plan, state, &parts)
        }
        _ => Err(Undecodable),
    }
}

/// Sets a signal whose value has changed; setting it anyway would redraw what shows it.
fn set_changed<T: PartialEq + Clone + Send + Sync + 'static>(
    signal: &leptos::prelude::ArcRwSignal<T>,
    value: T,
) {
    use leptos::prelude::{GetUntracked, Set};
    if signal.get_untracked() != value {
        signal.set(value);
    }
}
