//! The parts of a study in order, and the ways forward between them.

use crate::session::flow::{Condition, Span};
use crate::study::{JumpTarget, Skip};

/// A part of the study, or several whose order does not matter.
#[derive(Default)]
pub(super) struct Step<'a> {
    pub(super) stages: Span,
    pub(super) questions: Span,
    /// Questions whose right and wrong answers rules count, practice included, at most.
    pub(super) judged: usize,
    /// Names that ways forward can lead to.
    pub(super) names: Vec<&'a str>,
    /// Questionnaires.
    pub(super) pages: Vec<&'a str>,
}

/// The parts that a person gets, in order, and the ways forward between them.
#[derive(Default)]
pub(super) struct PartSequence<'a> {
    pub(super) steps: Vec<Step<'a>>,
    /// From and up to which step each is looked for.
    pub(super) skips: Vec<(usize, usize, &'a Skip)>,
    pub(super) screens_out: bool,
}

impl<'a> PartSequence<'a> {
    /// The whole way as one step.
    pub(super) fn as_step(&self) -> Step<'a> {
        Step {
            stages: self.span(|step| step.stages, false),
            questions: self.span(|step| step.questions, true),
            judged: self.steps.iter().map(|step| step.judged).sum(),
            names: self
                .steps
                .iter()
                .flat_map(|step| step.names.clone())
                .collect(),
            pages: self
                .steps
                .iter()
                .flat_map(|step| step.pages.clone())
                .collect(),
        }
    }

    /// The total on the way to its end, at least and at most. `of_questions`: what is
    /// counted are questions, so that a rule that counts answers says how many there are before it.
    fn span(&self, of: fn(&Step<'a>) -> Span, of_questions: bool) -> Span {
        let end = self.steps.len();
        // The least before each step, by going on and by ways forward.
        let mut least = vec![usize::MAX; end + 1];
        least[0] = 0;
        for (at, step) in self.steps.iter().enumerate() {
            let before = least[at];
            least[at + 1] = least[at + 1].min(before.saturating_add(of(step).least));
            for (from, to, skip) in &self.skips {
                if !(*from..*to).contains(&at) {
                    continue;
                }
                let so_far = match &skip.when {
                    Condition::Answer(answer)
                        if step.pages.contains(&answer.questionnaire.as_str()) =>
                    {
                        before
                    }
                    Condition::RightAtLeast(wanted) | Condition::WrongAtLeast(wanted)
                        if step.judged > 0 =>
                    {
                        let wanted = *wanted as usize;
                        let passed = &self.steps[*from..=at];
                        if passed.iter().map(|step| step.judged).sum::<usize>() < wanted {
                            continue;
                        }
                        let practice = passed.iter().filter(|step| step.questions.most == 0);
                        let practice: usize = practice.map(|step| step.judged).sum();
                        let counted = match of_questions {
                            true => least[*from] + wanted.saturating_sub(practice),
                            false => 0,
                        };
                        counted.max(before + of(step).most.min(1))
                    }
                    _ => continue,
                };
                let target = match &skip.to {
                    JumpTarget::EndOfGroup => *to,
                    JumpTarget::EndOfStudy => end,
                    JumpTarget::ScreenedOut => continue,
                    JumpTarget::Part(name) => {
                        let mut steps = self.steps.iter().skip(*from);
                        let found = steps.position(|step| step.names.contains(&name.as_str()));
                        found.map_or(*to, |found| found + from)
                    }
                };
                if target > at {
                    least[target] = least[target].min(so_far);
                }
            }
        }
        Span {
            least: least[end],
            most: self.steps.iter().map(|step| of(step).most).sum(),
        }
    }
}
