//! Questions on screen: each task drives its own.

pub mod concept_naming;
pub mod exploration;
pub mod reconstruction;
pub mod single_dimension;

use std::any::Any;
use std::cell::Ref;
use std::rc::Rc;
use std::sync::Arc;

use domain::movement::dials::BackgroundDecoding;
use domain::movement::{Decode, Ticket, Undecodable};
use domain::session::event::{Event, QuestionRef};
use domain::session::plan::StagePlan;
use domain::session::{self, Session};
use domain::task::{TaskPlan, TaskState, Verdict};

use super::decoders::Decoders;
use super::store::DraftOf;
use crate::state::AppState;

/// The output of a driver: events to be logged, in order.
pub type EventsToLog = Result<Vec<Event>, Undecodable>;

/// A question on screen. Times are in milliseconds since the question started.
pub trait TaskDriver: Any {
    /// Some time has passed; said ten times a second.
    fn tick(&mut self, _elapsed_ms: u64) -> EventsToLog {
        Ok(vec![])
    }

    /// A frame is about to be drawn.
    ///
    /// # Errors
    /// When a picture cannot be computed.
    fn frame(&mut self, _elapsed_ms: u64) -> EventsToLog {
        Ok(vec![])
    }

    /// The page may go away: nothing may be pending afterwards.
    ///
    /// # Errors
    /// When a picture cannot be computed.
    fn flush(&mut self, _elapsed_ms: u64) -> EventsToLog {
        Ok(vec![])
    }

    /// The time is up: as [`flush`](Self::flush), and nothing moves any more.
    ///
    /// # Errors
    /// When a picture cannot be computed.
    fn cut(&mut self, elapsed_ms: u64) -> EventsToLog {
        self.flush(elapsed_ms)
    }

    /// Whether there is work for the coming frame although nothing was done.
    fn wants_frame(&self, _elapsed_ms: u64) -> bool {
        false
    }

    /// The picture to be decoded beside the page now and not by [`frame`](Self::frame), if any: one
    /// at a time.
    fn wanted(&mut self, _elapsed_ms: u64) -> Option<DecodeJob> {
        None
    }

    /// It has been decoded; `None`: it has not, and is to be decoded again. The result follows
    /// with [`frame`](Self::frame).
    ///
    /// # Errors
    /// When the picture does not fit.
    fn arrived(&mut self, _job: DecodeJob, _picture: Option<Vec<f32>>) -> Result<(), Undecodable> {
        Ok(())
    }

    /// Sets the signals of the screen.
    fn show(&self, scene: &Scene<'_>);

    /// Takes over where a driver of the same question stands that was made from another moment of the
    /// log. The content of the screen follows with [`show`](Self::show). For pages that replay a session.
    fn catch_up(&mut self, there: Box<dyn TaskDriver>);

    /// Itself, to be told apart from other tasks' drivers.
    fn as_any(&mut self) -> &mut dyn Any;

    /// The same, to be taken apart.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// A picture to be decoded beside the page.
pub struct DecodeJob {
    /// Its change of the dials; absent: it is a preview.
    pub ticket: Option<Ticket>,
    /// Of what.
    pub z: Vec<f64>,
}

impl DecodeJob {
    /// The next picture that dials want, if any.
    pub(crate) fn of(dials: &mut dyn BackgroundDecoding) -> Option<Self> {
        let (ticket, z) = dials.wanted()?;
        let ticket = Some(ticket);
        Some(Self { ticket, z })
    }
}

/// Hands a picture to the dials that wanted it, or says that it did not come.
fn hand_over(
    dials: &mut dyn BackgroundDecoding,
    ticket: Ticket,
    picture: Option<Vec<f32>>,
) -> Result<(), Undecodable> {
    match picture {
        Some(picture) => dials.arrived(ticket, picture),
        None => {
            dials.lost(ticket);
            Ok(())
        }
    }
}

/// Where a question is on screen: the session's own page, or one that follows it.
pub trait Displayed {
    /// The session, as far as the page shows it.
    fn session(&self) -> Ref<'_, Session>;

    /// The models of the session.
    fn decoders(&self) -> &Rc<Decoders>;

    /// The signals of the page.
    fn app(&self) -> AppState;

    /// Hands out the driver of the question, if it is on screen.
    fn with_shown(&self, at: QuestionRef, read: &mut dyn FnMut(&mut dyn TaskDriver));

    /// The draft from before the page was left.
    fn draft(&self, of: DraftOf) -> Option<String>;
}

impl dyn Displayed + '_ {
    /// Reads the driver of the question on screen, if it is one of that task.
    pub fn with_driver<D: TaskDriver, T>(
        &self,
        at: QuestionRef,
        read: impl Fn(&D) -> T,
    ) -> Option<T> {
        let mut found = None;
        self.with_shown(at, &mut |driver| {
            found = driver
                .as_any()
                .downcast_mut::<D>()
                .map(|driver| read(driver));
        });
        found
    }
}

/// The session's facts about the question on screen.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The question, as far as it is logged.
    pub question: &'a session::BegunQuestion,
    /// The server's verdict on the answer, once the page has logged it.
    pub verdict: Option<Verdict>,
    /// Whether the question can be skipped by now.
    pub can_skip: bool,
    /// The session's time.
    pub now_ms: u64,
}

/// The parts that a driver is made from.
pub struct QuestionParts<'a> {
    /// The question, as far as it is logged.
    pub question: &'a session::BegunQuestion,
    /// The instances that its screen shows and that are not decoded, in the task's order.
    pub instances: Vec<Arc<Vec<f32>>>,
    /// The model's decoder; none for a task without a model.
    pub decode: Option<Decode>,
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
        (TaskPlan::ConceptNaming(plan), TaskState::ConceptNaming(state)) => {
            concept_naming::Driver::open(plan, state, &parts)
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
