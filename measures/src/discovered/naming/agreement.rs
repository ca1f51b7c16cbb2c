//! Agreement of people's terms beyond chance.

use super::answers::Answers;
use crate::statistics::Defined;
use crate::statistics::agreement::krippendorff_nominal_weighted;

/// Krippendorff's α of the terms of a group: concepts are what is coded, people are the coders, and who chose none
/// did not code.
///
/// # Errors
/// When no concept was named by two people, or all terms are the same. Panics when there is no such group.
pub fn term_agreement(answers: &Answers, group: usize) -> Defined<f64> {
    let units: Vec<Vec<(usize, u32)>> = (0..answers.concepts())
        .map(|concept| {
            let chosen = answers.of(concept, group);
            chosen
                .filter_map(|(term, times)| Some((term?, times)))
                .collect()
        })
        .collect();
    krippendorff_nominal_weighted(&units)
}
