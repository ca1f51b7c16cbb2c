//! How far a participant has come.

use super::{Phase, Session};
use crate::plan::PartPlan;

impl Session {
    /// Share of the session that is behind the participant, in [0, 1].
    ///
    /// Every question is one step, and so is everything else that fills the screen: a tutorial, a
    /// form, a break. The questions of a practice stage count as one step together, because they
    /// are short. A staircase has as many steps as it asks questions. Parts that an answer skips
    /// count as done. 0 before the consent is given, 1 at the end.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // a few hundred steps
    pub fn progress(&self) -> f64 {
        if self.phase.is_end() {
            return 1.0;
        }
        let Some(now) = self.part().filter(|_| self.phase != Phase::Consent) else {
            return 0.0;
        };
        let (mut done, mut total) = (0.0, 0.0);
        let mut part = 0;
        while part < self.plan.parts.len() {
            let stretch = self.stretch(part);
            total += stretch.steps;
            if stretch.to <= now {
                done += stretch.steps;
            } else if part <= now && stretch.questions > 0 {
                let asked = self.ended_within(part, stretch.to) as f64;
                done += stretch.steps * (asked / stretch.questions as f64).min(1.0);
            }
            part = stretch.to;
        }
        if total > 0.0 { done / total } else { 0.0 }
    }

    /// The part that the participant is in: 0-based index. `None` at an end.
    #[must_use]
    pub fn part(&self) -> Option<usize> {
        match self.phase {
            Phase::Declined
            | Phase::Withdrawn
            | Phase::DeviceUnfit
            | Phase::ScreenedOut
            | Phase::Complete => None,
            Phase::Consent => Some(self.consent_part()),
            Phase::Instructions { part }
            | Phase::Tutorial { part }
            | Phase::Questionnaire { part }
            | Phase::DeviceCheck { part }
            | Phase::Break { part }
            | Phase::AwaitingVerdicts { part } => Some(part),
            Phase::StageIntro { stage } | Phase::TimeUp { stage } => self.plan.part_of_stage(stage),
            Phase::Ready(at) | Phase::Question(at) => self.plan.part_of_stage(at.stage),
        }
    }

    /// The part, or the staircase that begins with it.
    #[allow(clippy::cast_precision_loss)]
    fn stretch(&self, part: usize) -> Stretch {
        let mut staircases = self.plan.staircases.iter();
        if let Some(staircase) = staircases.find(|staircase| staircase.from == part)
            && staircase.to > part
        {
            return Stretch {
                to: staircase.to,
                questions: staircase.questions as usize,
                steps: f64::from(staircase.questions),
            };
        }
        let stage = match self.plan.parts.get(part) {
            Some(PartPlan::Stage { stage }) => self.plan.stages.get(*stage),
            // Participants have read it when the session begins.
            Some(PartPlan::Consent) => return Stretch::single(part, 0, 0.0),
            _ => return Stretch::single(part, 0, 1.0),
        };
        let questions = stage.map_or(0, |stage| stage.task.question_count());
        let practice = stage.is_some_and(|stage| stage.practice);
        let steps = if practice {
            questions.min(1)
        } else {
            questions
        };
        Stretch::single(part, questions, steps as f64)
    }

    fn ended_within(&self, from: usize, to: usize) -> usize {
        let within = |stage| {
            let part = self.plan.part_of_stage(stage);
            part.is_some_and(|part| (from..to).contains(&part))
        };
        let ended = self.questions();
        ended
            .filter(|question| question.outcome.is_some() && within(question.at.stage))
            .count()
    }
}

/// Parts that are counted together.
struct Stretch {
    /// The part after the last of them.
    to: usize,
    /// How many questions are asked in them.
    questions: usize,
    /// How much they count.
    steps: f64,
}

impl Stretch {
    fn single(part: usize, questions: usize, steps: f64) -> Self {
        Self {
            to: part + 1,
            questions,
            steps,
        }
    }
}
