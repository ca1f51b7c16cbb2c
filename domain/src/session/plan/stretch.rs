//! The parts of a plan that count as one stage for the participant.

use super::{PartPlan, SessionPlan};

/// One part, or the parts of a staircase: its stages count as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// The part after the last of them: 0-based index.
    pub to: usize,
    /// Their stages; none where the part is no stage.
    pub stages: Vec<usize>,
    /// How many questions are asked in them, at most.
    pub questions: usize,
    /// Whether all of it is practice.
    pub practice: bool,
}

impl Stretch {
    /// The part, or the staircase that begins with it.
    pub(crate) fn at(plan: &SessionPlan, part: usize) -> Self {
        let planned = |stage: usize| {
            let stage = plan.stages.get(stage);
            stage.map_or(0, |stage| stage.task.question_count())
        };
        let mut staircases = plan.staircases.iter();
        let staircase = staircases.find(|it| it.from == part && it.to > part);
        let (to, stages, questions) = match (staircase, plan.parts.get(part)) {
            (Some(staircase), _) => (
                staircase.to,
                staircase.stages.clone(),
                staircase.asked_at_most(planned),
            ),
            (None, Some(PartPlan::Stage { stage })) => (part + 1, vec![*stage], planned(*stage)),
            (None, _) => (part + 1, Vec::new(), 0),
        };
        let is_practice = |stage: &usize| plan.stages.get(*stage).is_some_and(|it| it.practice);
        Self {
            to,
            practice: stages.iter().all(is_practice),
            stages,
            questions,
        }
    }
}
