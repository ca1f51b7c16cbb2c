//! Whether a question's samples are there, and fit its plan and its key.

use super::{Key, Plan};
use crate::concepts::Sheet;
use crate::model::evidence::Verification;

/// Nothing that a page reports of a naming follows from a decoder, so only what was drawn is looked at.
pub(super) fn verify(plan: &Plan, key: &Key, question: usize, verification: &mut Verification<'_>) {
    let Some(asked) = plan.questions.get(question) else {
        return verification.contradiction(None, "there is no such question".into());
    };
    if let Some(values) = verification.instance(&asked.sheet)
        && Sheet::of(&values, plan.shape, plan.samples).is_none()
    {
        let problem = "the samples are not as many, or not of the shape, that the plan says";
        verification.contradiction(None, problem.into());
    }
    let groups = &plan.vocabulary.groups;
    let fits = |(group, term): (usize, &Option<usize>)| {
        let known = groups.get(group).map_or(0, |group| group.terms.len());
        term.is_none_or(|term| term < known)
    };
    if !key.expected.iter().enumerate().all(fits) {
        let problem = "the key expects a term that the vocabulary does not have";
        verification.contradiction(None, problem.into());
    }
}
