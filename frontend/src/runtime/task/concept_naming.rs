//! Drives a question in which a concept is named.

use std::any::Any;
use std::sync::Arc;

use domain::movement::Undecodable;
use domain::session::event::Event;
use domain::task::TaskState;
use domain::task::concept_naming::play::NamingInPlay;
use domain::task::concept_naming::{self, Answer, Choice, Plan, State};
use leptos::prelude::ArcRwSignal;

use super::{EventsToLog, QuestionParts, Scene, TaskDriver, set_changed};

/// The signals of the screen.
#[derive(Clone)]
pub struct Signals {
    /// The answer as it stands.
    pub answer: ArcRwSignal<Answer>,
    /// The sample that is enlarged, from 0.
    pub enlarged: ArcRwSignal<Option<usize>>,
    /// The explanation, as last logged.
    pub explanation: ArcRwSignal<String>,
}

/// Samples that the screen shows.
#[derive(Clone)]
pub struct Sheets {
    /// Those of the concept asked about.
    pub asked: Arc<Vec<f32>>,
    /// Those of the worked example, where there is one.
    pub example: Option<Arc<Vec<f32>>>,
}

/// The question on screen.
pub struct Driver {
    play: NamingInPlay,
    sheets: Sheets,
    signals: Signals,
}

impl Driver {
    pub(super) fn open(
        plan: &Plan,
        state: &State,
        parts: &QuestionParts<'_>,
    ) -> Result<(Box<dyn TaskDriver>, Vec<Event>), Undecodable> {
        let mut instances = parts.instances.iter().cloned();
        let sheets = Sheets {
            asked: instances.next().ok_or(Undecodable)?,
            example: instances.next(),
        };
        let play = NamingInPlay::open(Arc::new(plan.clone()), state);
        let signals = Signals {
            answer: ArcRwSignal::new(play.answer().clone()),
            enlarged: ArcRwSignal::new(play.enlarged()),
            explanation: ArcRwSignal::new(play.explanation().to_owned()),
        };
        let driver = Self {
            play,
            sheets,
            signals,
        };
        Ok((Box::new(driver), vec![]))
    }

    /// The signals of the screen.
    #[must_use]
    pub fn signals(&self) -> Signals {
        self.signals.clone()
    }

    /// The samples.
    #[must_use]
    pub fn sheets(&self) -> Sheets {
        self.sheets.clone()
    }

    /// The answer is changed.
    ///
    /// # Errors
    /// Never.
    pub fn change(&mut self, choice: Choice) -> EventsToLog {
        Ok(logged(self.play.change(choice)))
    }

    /// A sample is enlarged.
    ///
    /// # Errors
    /// Never.
    pub fn enlarge(&mut self, sample: usize) -> EventsToLog {
        Ok(logged(self.play.enlarge(sample)))
    }

    /// The enlarged sample is closed.
    ///
    /// # Errors
    /// Never.
    pub fn close_sample(&mut self) -> EventsToLog {
        Ok(logged(self.play.close_sample()))
    }

    /// The definitions of a group are opened.
    ///
    /// # Errors
    /// Never.
    pub fn open_definitions(&mut self, group: usize) -> EventsToLog {
        Ok(logged(self.play.open_definitions(group)))
    }

    /// The worked example is opened.
    ///
    /// # Errors
    /// Never.
    pub fn open_example(&mut self) -> EventsToLog {
        Ok(logged(self.play.open_example()))
    }

    /// The explanation is being written; logged by [`Self::save`], or when the page goes away.
    pub fn write(&mut self, text: &str) {
        self.play.write(text);
    }

    /// Logs the explanation, if it has changed.
    ///
    /// # Errors
    /// Never.
    pub fn save(&mut self) -> EventsToLog {
        Ok(logged(self.play.save()))
    }

    /// The answer is final, if nothing is missing.
    ///
    /// # Errors
    /// Never.
    pub fn finish(&mut self) -> EventsToLog {
        Ok(logged(self.play.finish()))
    }
}

impl TaskDriver for Driver {
    fn flush(&mut self, _elapsed_ms: u64) -> EventsToLog {
        self.save()
    }

    fn show(&self, scene: &Scene<'_>) {
        let TaskState::ConceptNaming(state) = &scene.question.state else {
            return;
        };
        set_changed(&self.signals.answer, state.answer().clone());
        set_changed(&self.signals.enlarged, state.enlarged());
        set_changed(&self.signals.explanation, state.explanation().to_owned());
    }

    fn catch_up(&mut self, there: Box<dyn TaskDriver>) {
        if let Ok(there) = there.into_any().downcast::<Self>() {
            self.play = there.play;
        }
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

fn logged(events: Vec<concept_naming::Event>) -> Vec<Event> {
    events.into_iter().map(Event::from).collect()
}

#[cfg(test)]
mod tests;
