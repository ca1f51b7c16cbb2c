//! A question on its way from the start to its end: what the log gets to know, and when. No DOM and no
//! clock: the page and simulated people play this.

use std::sync::Arc;

use super::{Answer, Choice, Event, Explanation, Missing, Plan, State};
use crate::task::MAX_NOTE;

/// The question under way. Events that its functions give are to be logged, oldest first; an act that the
/// question does not admit gives none.
pub struct NamingInPlay {
    plan: Arc<Plan>,
    answer: Answer,
    enlarged: Option<usize>,
    /// The explanation as it stands in its field, and as it was last logged.
    explanation: String,
    logged_explanation: String,
    finished: bool,
}

/// The parts that are missing before a question can end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unfinished {
    /// Places of the answer without a term.
    pub terms: Vec<Missing>,
    /// Whether the explanation is missing.
    pub explanation: bool,
}

impl Unfinished {
    /// Whether nothing is missing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && !self.explanation
    }
}

impl NamingInPlay {
    /// A question as its log left it; one that has just begun is empty.
    #[must_use]
    pub fn open(plan: Arc<Plan>, state: &State) -> Self {
        Self {
            plan,
            answer: state.answer().clone(),
            enlarged: state.enlarged(),
            explanation: state.explanation().to_owned(),
            logged_explanation: state.explanation().to_owned(),
            finished: state.finished,
        }
    }

    /// The answer as it stands.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// The sample that is enlarged, from 0.
    #[must_use]
    pub fn enlarged(&self) -> Option<usize> {
        self.enlarged
    }

    /// The explanation as it stands in its field.
    #[must_use]
    pub fn explanation(&self) -> &str {
        &self.explanation
    }

    /// The answer is changed. A term that is chosen already changes nothing.
    pub fn change(&mut self, choice: Choice) -> Vec<Event> {
        let mut changed = self.answer.clone();
        let done = changed.change(&self.plan.vocabulary, choice);
        if self.finished || done.is_err() || changed == self.answer {
            return Vec::new();
        }
        self.answer = changed;
        vec![Event::Changed(choice)]
    }

    /// A sample is enlarged, in place of the one before.
    pub fn enlarge(&mut self, sample: usize) -> Vec<Event> {
        let changes = sample < self.plan.samples && self.enlarged != Some(sample);
        if self.finished || !changes {
            return Vec::new();
        }
        self.enlarged = Some(sample);
        vec![Event::SampleEnlarged { sample }]
    }

    /// The enlarged sample is closed.
    pub fn close_sample(&mut self) -> Vec<Event> {
        match self.enlarged.take() {
            Some(_) if !self.finished => vec![Event::SampleClosed],
            _ => Vec::new(),
        }
    }

    /// The definitions of a group's terms are opened.
    pub fn open_definitions(&mut self, group: usize) -> Vec<Event> {
        let known = group < self.plan.vocabulary.groups.len() && !self.finished;
        known
            .then_some(Event::DefinitionsOpened { group })
            .into_iter()
            .collect()
    }

    /// The worked example is opened.
    pub fn open_example(&mut self) -> Vec<Event> {
        let known = self.plan.example.is_some() && !self.finished;
        known.then_some(Event::ExampleOpened).into_iter().collect()
    }

    /// The explanation is being written; logged by [`save`](Self::save), or with the end.
    pub fn write(&mut self, text: &str) {
        if self.plan.explanation != Explanation::Absent {
            self.explanation = text.chars().take(MAX_NOTE).collect();
        }
    }

    /// Logs the explanation, if it has changed.
    pub fn save(&mut self) -> Vec<Event> {
        if self.finished || self.explanation == self.logged_explanation {
            return Vec::new();
        }
        self.logged_explanation.clone_from(&self.explanation);
        let text = self.explanation.clone();
        vec![Event::ExplanationWritten { text }]
    }

    /// The parts that are missing before the question can end.
    #[must_use]
    pub fn unfinished(&self) -> Unfinished {
        let required = self.plan.explanation == Explanation::Required;
        Unfinished {
            terms: self.answer.missing(&self.plan.vocabulary),
            explanation: required && self.explanation.trim().is_empty(),
        }
    }

    /// The answer is final, if nothing is missing.
    pub fn finish(&mut self) -> Vec<Event> {
        if self.finished || !self.unfinished().is_empty() {
            return Vec::new();
        }
        let mut events = self.save();
        self.finished = true;
        events.push(Event::Finished);
        events
    }
}
