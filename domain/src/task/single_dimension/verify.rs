//! Whether a question's picture, right answer and latent vector agree.

use super::draw::nearest;
use super::{Key, Options, Plan};
use crate::model::distance::squared_error_bounds;
use crate::model::evidence::{VALUE_TOLERANCE, Verification};

pub(super) fn verify(plan: &Plan, key: &Key, question: usize, verification: &mut Verification<'_>) {
    let Some(question) = plan.questions.get(question) else {
        return verification.contradiction(None, "there is no such question".into());
    };
    let picture = verification.instance(&question.instance);
    let decoded = verification.decode(&plan.model, &key.z);
    if let (Some(picture), Some(decoded)) = (picture, decoded)
        && !squared_error_bounds(&decoded, &picture, VALUE_TOLERANCE)
            .is_ok_and(|bounds| bounds.contain(0.0))
    {
        let problem = "the picture is not what the model decodes from the answer key";
        verification.contradiction(None, problem.into());
    }
    let value = key.z.get(question.dimension).copied().unwrap_or(f64::NAN);
    let fits = match &question.options {
        Options::Ranges { ranges } => nearest(ranges, value) == Some(key.option),
        #[allow(clippy::cast_precision_loss)] // at most 65,535 values
        Options::Values { .. } => value == key.option as f64,
    };
    if !fits {
        let problem = format!("the right option is {}, its value {value}", key.option);
        verification.contradiction(None, problem);
    }
}
