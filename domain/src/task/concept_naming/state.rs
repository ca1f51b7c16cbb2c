//! A question as far as it has gone.

use std::collections::BTreeSet;

use super::{Answer, Event, Explanation, Plan};
use crate::task::{Now, Outcome, Step, TaskRefusal};

/// Everything that the question's screen shows, and what is measured of it. Times are in milliseconds
/// since the question started.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub(super) question: usize,
    pub(super) answer: Answer,
    pub(super) explanation: String,
    pub(super) finished: bool,
    /// When the answer was first and last changed.
    pub(super) changed_ms: Option<[u64; 2]>,
    pub(super) changes: u32,
    /// The sample that is enlarged now, and since when.
    pub(super) enlarged: Option<(usize, u64)>,
    pub(super) enlargements: u32,
    pub(super) samples_enlarged: BTreeSet<usize>,
    /// For how long samples were enlarged, up to the one that is now.
    pub(super) enlarged_ms: u64,
    /// How often the definitions of each group were opened.
    pub(super) definitions_opened: Vec<u32>,
    pub(super) example_opened: u32,
}

impl State {
    pub(super) fn start(plan: &Plan, question: usize) -> Self {
        Self {
            question,
            answer: Answer::empty(&plan.vocabulary),
            explanation: String::new(),
            finished: false,
            changed_ms: None,
            changes: 0,
            enlarged: None,
            enlargements: 0,
            samples_enlarged: BTreeSet::new(),
            enlarged_ms: 0,
            definitions_opened: vec![0; plan.vocabulary.groups.len()],
            example_opened: 0,
        }
    }

    /// The answer as it stands.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// The explanation, as last logged.
    #[must_use]
    pub fn explanation(&self) -> &str {
        &self.explanation
    }

    /// The sample that is enlarged now, from 0.
    #[must_use]
    pub fn enlarged(&self) -> Option<usize> {
        self.enlarged.map(|(sample, _)| sample)
    }

    pub(super) fn apply(
        &mut self,
        plan: &Plan,
        now: &Now<'_>,
        event: &Event,
    ) -> Result<Step, TaskRefusal> {
        let impossible = |why: &str| TaskRefusal::Impossible {
            event: event.name(),
            why: why.to_owned(),
        };
        if now.outcome.is_some() {
            return Err(TaskRefusal::NotNow {
                event: event.name(),
            });
        }
        let elapsed_ms = now.elapsed_ms();
        match event {
            Event::Changed(choice) => {
                let changed = self.answer.change(&plan.vocabulary, *choice);
                changed.map_err(impossible)?;
                let first = self.changed_ms.map_or(elapsed_ms, |[first, _]| first);
                self.changed_ms = Some([first, elapsed_ms]);
                self.changes += 1;
            }
            Event::SampleEnlarged { sample } => {
                if *sample >= plan.samples {
                    return Err(impossible("there is no such sample"));
                }
                self.close_sample(elapsed_ms);
                self.enlarged = Some((*sample, elapsed_ms));
                self.enlargements += 1;
                self.samples_enlarged.insert(*sample);
            }
            Event::SampleClosed => {
                if self.enlarged.is_none() {
                    return Err(impossible("no sample is enlarged"));
                }
                self.close_sample(elapsed_ms);
            }
            Event::DefinitionsOpened { group } => {
                let count = self.definitions_opened.get_mut(*group);
                *count.ok_or_else(|| impossible("there is no such group"))? += 1;
            }
            Event::ExampleOpened => {
                if plan.example.is_none() {
                    return Err(impossible("the stage has no example"));
                }
                self.example_opened += 1;
            }
            Event::ExplanationWritten { text } => {
                if plan.explanation == Explanation::Absent {
                    return Err(impossible("no explanation is asked for"));
                }
                self.explanation.clone_from(text);
            }
            Event::Finished => return self.finish(plan, elapsed_ms).map_err(impossible),
        }
        Ok(Step::activity(now.at_ms))
    }

    fn close_sample(&mut self, elapsed_ms: u64) {
        if let Some((_, since_ms)) = self.enlarged.take() {
            self.enlarged_ms += elapsed_ms.saturating_sub(since_ms);
        }
    }

    fn finish(&mut self, plan: &Plan, elapsed_ms: u64) -> Result<Step, &'static str> {
        if !self.answer.missing(&plan.vocabulary).is_empty() {
            return Err("the answer is not complete");
        }
        if plan.explanation == Explanation::Required && self.explanation.trim().is_empty() {
            return Err("there is no explanation");
        }
        self.close_sample(elapsed_ms);
        self.finished = true;
        Ok(Step {
            left: true,
            ..Step::ended(Outcome::Finished)
        })
    }
}
