//! A question as far as it has gone, and what is measured of it.

use serde::{Deserialize, Serialize};

use super::{Event, Key, LIKERT_POINTS, Plan, QuestionPlan};
use crate::clock::seconds;
use crate::task::{Now, Outcome, Step, TaskRefusal, Verdict};

/// A final answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answered {
    /// The option, from 0.
    pub option: usize,
    /// "I'm confident I'm right", 1 to 5.
    pub confidence: u8,
    /// "The dial makes sense", 1 to 5.
    pub understanding: u8,
}

/// Everything that the question's screen shows.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    question: usize,
    set: u32,
    chosen: Option<usize>,
    /// When the present choice was made, in milliseconds since the question started.
    chosen_ms: Option<u64>,
    answer: Option<Answered>,
    with_feedback: Option<bool>,
}

/// What is measured of one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Measures {
    /// The dimension asked about, from 0.
    pub dimension: usize,
    /// What the participant calls it, from 1.
    pub dial: usize,
    /// Number of options. Chance is one over this.
    pub options: usize,
    /// The option chosen, from 0; absent before any was.
    pub chosen: Option<usize>,
    /// The right option; known only with the answer key or a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right_option: Option<usize>,
    /// Whether the answer is right; known only with the answer key or a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<bool>,
    /// "I'm confident I'm right", 1 to 5; absent before the answer.
    pub confidence: Option<u8>,
    /// "The dial makes sense", 1 to 5; absent before the answer.
    pub understanding: Option<u8>,
    /// Seconds from the start to the last choice. (Response time goes on to *Continue*.)
    pub choice_time_s: Option<f64>,
    /// How often more examples were asked for.
    pub more_examples: u32,
    /// Whether the right answer was shown; absent before the participant went on.
    pub with_feedback: Option<bool>,
}

impl State {
    pub(super) fn start(question: usize) -> Self {
        Self {
            question,
            set: 0,
            chosen: None,
            chosen_ms: None,
            answer: None,
            with_feedback: None,
        }
    }

    /// Number of the set of examples on screen.
    #[must_use]
    pub fn set(&self) -> u32 {
        self.set
    }

    /// The option chosen so far.
    #[must_use]
    pub fn chosen(&self) -> Option<usize> {
        self.chosen
    }

    /// The final answer, once it is given.
    #[must_use]
    pub fn answer(&self) -> Option<Answered> {
        self.answer
    }

    pub(super) fn apply(
        &mut self,
        plan: &Plan,
        now: &Now<'_>,
        event: &Event,
    ) -> Result<Step, TaskRefusal> {
        let impossible = |why: &str| {
            Err(TaskRefusal::Impossible {
                event: event.name(),
                why: why.to_owned(),
            })
        };
        let Some(question) = plan.questions.get(self.question) else {
            return impossible("there is no such question");
        };
        let exists = |option: &usize| *option < question.options.len();
        match (now.outcome, event) {
            (None, Event::MoreExamplesShown { set }) if *set == self.set + 1 => {
                self.set = *set;
                Ok(Step::activity(now.at_ms))
            }
            (None, Event::MoreExamplesShown { .. }) => impossible("a set of examples is missing"),
            (None, Event::Chosen { option }) if exists(option) => {
                self.choose(*option, now.elapsed_ms());
                Ok(Step::activity(now.at_ms))
            }
            (None, Event::Chosen { .. }) => impossible("there is no such option"),
            (
                None,
                &Event::Answered {
                    option,
                    confidence,
                    understanding,
                },
            ) => {
                let points = 1..=LIKERT_POINTS;
                if !exists(&option) {
                    return impossible("there is no such option");
                }
                if !points.contains(&confidence) || !points.contains(&understanding) {
                    return impossible("the two items have points 1 to 5");
                }
                if self.chosen != Some(option) {
                    self.choose(option, now.elapsed_ms());
                }
                self.answer = Some(Answered {
                    option,
                    confidence,
                    understanding,
                });
                Ok(Step {
                    activity_at_ms: Some(now.at_ms),
                    ..Step::ended(Outcome::Answered)
                })
            }
            (Some(_), Event::MovedOn { with_feedback }) => {
                if *with_feedback && now.verdict.is_none() {
                    return impossible("the right answer had not been received");
                }
                self.with_feedback = Some(*with_feedback);
                Ok(Step::left())
            }
            _ => Err(TaskRefusal::NotNow {
                event: event.name(),
            }),
        }
    }

    fn choose(&mut self, option: usize, elapsed_ms: u64) {
        self.chosen = Some(option);
        self.chosen_ms = Some(elapsed_ms);
    }

    pub(super) fn measures(
        &self,
        plan: &Plan,
        key: Option<&Key>,
        verdict: Option<Verdict>,
    ) -> Measures {
        let question = plan.questions.get(self.question);
        let of = |value: fn(&QuestionPlan) -> usize| question.map_or(0, value);
        // The key knows; a verdict says it once there is an answer.
        let right_option = key.map(|key| key.option).or(verdict.map(|v| v.option));
        let answered = self.answer.map(|answer| answer.option);
        Measures {
            dimension: of(|question| question.dimension),
            dial: of(|question| question.dial),
            options: of(|question| question.options.len()),
            chosen: self.chosen,
            right_option,
            right: answered
                .zip(right_option)
                .map(|(chosen, right)| chosen == right),
            confidence: self.answer.map(|answer| answer.confidence),
            understanding: self.answer.map(|answer| answer.understanding),
            choice_time_s: self.chosen_ms.map(seconds),
            more_examples: self.set,
            with_feedback: self.with_feedback,
        }
    }
}
