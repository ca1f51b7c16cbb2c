//! How far a participant has come.

use super::{Phase, Session};
use crate::session::event::QuestionRef;
use crate::session::plan::{PartPlan, Stretch};

impl Session {
    /// Share of the session that is behind the participant, in [0, 1].
    ///
    /// Every question is one step, and so is everything else that fills the screen: a tutorial, a
    /// form, a break. The questions of a practice stage count as one step together, because they
    /// are short. A staircase has as many steps as it asks questions. Parts that an answer skips
    /// count as done. 0 before the consent is given, 1 at the end.
    #[must_use]
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
            let stretch = Stretch::at(&self.plan, part);
            let steps = self.steps(part, &stretch);
            total += steps;
            if stretch.to <= now {
                done += steps;
            } else if part <= now && stretch.questions > 0 {
                let asked = self.ended_of(&stretch) as f64;
                done += steps * (asked / stretch.questions as f64).min(1.0);
            }
            part = stretch.to;
        }
        if total > 0.0 { done / total } else { 0.0 }
    }

    /// About how many minutes are left: what the consent form says, less the share that is done; one
    /// at least before the end. `None` where nobody was told how long the study takes, and at the end.
    #[must_use]
    pub fn minutes_left(&self) -> Option<usize> {
        let told = self
            .plan
            .duration_minutes
            .filter(|_| !self.phase.is_end())?;
        let left = f64::from(told) * (1.0 - self.progress());
        // A hair is taken away, so that 9 · 2/3 = 6.000000000000001 counts as 6.
        Some(((left - 1e-9).ceil() as usize).max(1))
    }

    /// Where a stage stands among those that the participant comes to; `None` if it is in no part.
    #[must_use]
    pub fn place_of(&self, stage: usize) -> Option<StagePlace> {
        let stretches = self.plan.stretches();
        let index = stretches.iter().position(|it| it.stages.contains(&stage))?;
        let scored = |some: &[Stretch]| some.iter().filter(|stretch| !stretch.practice).count();
        Some(StagePlace {
            number: scored(&stretches[..=index]),
            count: scored(&stretches),
            questions: stretches[index].questions,
        })
    }

    /// The number of a question in its stage, from 1, as the participant counts: of a staircase in
    /// all of its stages together.
    #[must_use]
    pub fn number_of(&self, at: QuestionRef) -> usize {
        let stretches = self.plan.stretches();
        let stretch = stretches.iter().find(|it| it.stages.contains(&at.stage));
        let of_stretch = |stage| stretch.is_some_and(|it| it.stages.contains(&stage));
        let before = self.questions().take_while(|question| question.at != at);
        1 + before
            .filter(|question| of_stretch(question.at.stage))
            .count()
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

    /// How much the parts of a stretch count.
    fn steps(&self, part: usize, stretch: &Stretch) -> f64 {
        match self.plan.parts.get(part) {
            // Participants have read it when the session begins.
            Some(PartPlan::Consent) => 0.0,
            _ if stretch.stages.is_empty() => 1.0,
            _ if stretch.practice => stretch.questions.min(1) as f64,
            _ => stretch.questions as f64,
        }
    }

    fn ended_of(&self, stretch: &Stretch) -> usize {
        let ended = self.questions();
        ended
            .filter(|question| {
                question.outcome.is_some() && stretch.stages.contains(&question.at.stage)
            })
            .count()
    }
}

/// Where a stage stands in its session, as the participant counts: a staircase is one stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StagePlace {
    /// Number of the stage from 1, practice not counted.
    pub number: usize,
    /// How many stages there are, practice not counted.
    pub count: usize,
    /// How many questions it asks, at most.
    pub questions: usize,
}
