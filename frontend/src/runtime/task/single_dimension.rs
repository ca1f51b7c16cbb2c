//! Drives a question of the single-dimension task.

use std::any::Any;
use std::sync::Arc;

use domain::movement::{Decode, Undecodable};
use domain::session::event::Event;
use domain::task::single_dimension::{self, ExampleSet, Plan, State, examples};
use domain::task::{TaskState, Verdict};
use leptos::prelude::{ArcRwSignal, GetUntracked, Set};

use super::{EventsToLog, QuestionParts, Scene, TaskDriver, set_changed};
use crate::state::{Examples, Feedback};

/// How long the right answer is waited for before the participant can go on without it.
const PATIENCE_MS: u64 = 10_000;

/// The signals of the screen.
#[derive(Clone)]
pub struct Signals {
    /// The examples on screen.
    pub examples: ArcRwSignal<Arc<Examples>>,
    /// The option chosen so far.
    pub chosen: ArcRwSignal<Option<usize>>,
    /// The answer, and the right one.
    pub feedback: ArcRwSignal<Feedback>,
}

/// The question on screen.
pub struct Driver {
    plan: Plan,
    question: usize,
    decode: Decode,
    instance: Arc<Vec<f32>>,
    set: u32,
    signals: Signals,
}

impl Driver {
    pub(super) fn open(
        plan: &Plan,
        state: &State,
        parts: &QuestionParts<'_>,
    ) -> Result<(Box<dyn TaskDriver>, Vec<Event>), Undecodable> {
        let question = parts.question.at.question;
        let instance = parts.instances.first().cloned().ok_or(Undecodable)?;
        let decode = parts.decode.clone().ok_or(Undecodable)?;
        let set = state.set();
        let signals = Signals {
            examples: ArcRwSignal::new(pictures(plan, question, set, &decode)?),
            chosen: ArcRwSignal::new(state.chosen()),
            feedback: ArcRwSignal::new(Feedback::NotAnswered),
        };
        let driver = Self {
            plan: plan.clone(),
            question,
            decode,
            instance,
            set,
            signals,
        };
        Ok((Box::new(driver), vec![]))
    }

    /// The signals of the screen.
    #[must_use]
    pub fn signals(&self) -> Signals {
        self.signals.clone()
    }

    /// x, the picture asked about.
    #[must_use]
    pub fn instance(&self) -> Arc<Vec<f32>> {
        Arc::clone(&self.instance)
    }

    /// Shows another set of examples.
    ///
    /// # Errors
    /// When a picture cannot be computed.
    pub fn show_more(&mut self) -> EventsToLog {
        if self.is_answered() {
            return Ok(vec![]);
        }
        let set = self.set + 1;
        let shown = pictures(&self.plan, self.question, set, &self.decode)?;
        self.signals.examples.set(shown);
        self.set = set;
        Ok(logged([single_dimension::Event::MoreExamplesShown { set }]))
    }

    /// An option is chosen; it can still be changed.
    ///
    /// # Errors
    /// Never.
    pub fn choose(&mut self, option: usize) -> EventsToLog {
        let changes = !self.is_answered() && self.signals.chosen.get_untracked() != Some(option);
        Ok(logged(
            changes.then_some(single_dimension::Event::Chosen { option }),
        ))
    }

    /// The answer is given. Where no right answer is shown, the next question follows.
    ///
    /// # Errors
    /// Never.
    pub fn answer(&mut self, option: usize, confidence: u8, understanding: u8) -> EventsToLog {
        if self.is_answered() {
            return Ok(vec![]);
        }
        let mut events = vec![single_dimension::Event::Answered {
            option,
            confidence,
            understanding,
        }];
        if !self.plan.feedback {
            let with_feedback = false;
            events.push(single_dimension::Event::MovedOn { with_feedback });
        }
        Ok(logged(events))
    }

    /// The participant goes on.
    ///
    /// # Errors
    /// Never.
    pub fn move_on(&mut self) -> EventsToLog {
        let with_feedback = match self.signals.feedback.get_untracked() {
            Feedback::Given { .. } => true,
            Feedback::Late { .. } => false,
            // The second click of two.
            Feedback::NotAnswered | Feedback::Waiting { .. } => return Ok(vec![]),
        };
        Ok(logged([single_dimension::Event::MovedOn { with_feedback }]))
    }

    fn is_answered(&self) -> bool {
        self.signals.feedback.get_untracked() != Feedback::NotAnswered
    }
}

impl TaskDriver for Driver {
    fn show(&self, scene: &Scene<'_>) {
        let TaskState::SingleDimension(state) = &scene.question.state else {
            return;
        };
        set_changed(&self.signals.chosen, state.chosen());
        let waited_ms = scene.now_ms.saturating_sub(scene.question.clock.until_ms());
        let chosen = state.answer().map(|answer| answer.option);
        let feedback = feedback(chosen, scene.verdict, waited_ms);
        set_changed(&self.signals.feedback, feedback);
    }

    fn catch_up(&mut self, there: Box<dyn TaskDriver>) {
        if let Ok(there) = there.into_any().downcast::<Self>()
            && there.set != self.set
        {
            self.set = there.set;
            let examples = there.signals.examples.get_untracked();
            self.signals.examples.set(examples);
        }
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// The feedback so long after the participant's answer: what is known of the right one.
fn feedback(chosen: Option<usize>, verdict: Option<Verdict>, waited_ms: u64) -> Feedback {
    match (chosen, verdict) {
        (None, _) => Feedback::NotAnswered,
        (Some(chosen), Some(verdict)) => Feedback::Given { chosen, verdict },
        (Some(chosen), None) if waited_ms < PATIENCE_MS => Feedback::Waiting { chosen },
        (Some(chosen), None) => Feedback::Late { chosen },
    }
}

/// A set of examples, decoded.
fn pictures(
    plan: &Plan,
    question: usize,
    set: u32,
    decode: &Decode,
) -> Result<Arc<Examples>, Undecodable> {
    let (ExampleSet::Traversals(groups) | ExampleSet::Exemplars(groups)) =
        examples(plan, question, set);
    Examples::decode(&groups, decode).map(Arc::new)
}

fn logged(events: impl IntoIterator<Item = single_dimension::Event>) -> Vec<Event> {
    events.into_iter().map(Event::from).collect()
}

#[cfg(test)]
mod tests;
