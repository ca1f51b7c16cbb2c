//! Bootstrap intervals over people.

use super::answers::Answers;
use crate::statistics::bootstrap::{bca, replicates};
use crate::statistics::{Defined, Interval, Undefined};
use rand::Rng;

/// The BCa interval of a statistic of answers, from `count` samples of people drawn with replacement.
///
/// Somebody who is drawn twice counts twice, and makes no pair with themselves: else every sample would agree more
/// than the people do. Samples in which the statistic is not defined are left out.
///
/// # Errors
/// - [`Undefined::Constant`] if the statistic is not defined for everybody, or without one of the people, or is the
///   same without each of them.
/// - Whatever [`bca`] refuses: fewer than two people, all samples on one side.
pub fn over_people(
    answers: &Answers,
    statistic: impl Fn(&Answers) -> Option<f64>,
    count: usize,
    level: f64,
    rng: &mut impl Rng,
) -> Defined<Interval> {
    let people: Vec<f64> = (0..answers.people()).map(|p| p as f64).collect();
    let of_sample = |sample: &[f64]| {
        let mut times = vec![0; answers.people()];
        for &person in sample {
            times[person as usize] += 1;
        }
        statistic(&answers.weighted(times))
    };
    // The bootstrap takes numbers, and NaN marks what is not defined until it is filtered out.
    let number = |sample: &[f64]| of_sample(sample).unwrap_or(f64::NAN);
    let without = |left_out: usize| {
        let mut rest = people.clone();
        rest.remove(left_out);
        number(&rest)
    };
    if number(&people).is_nan() || (0..people.len()).any(|person| without(person).is_nan()) {
        return Err(Undefined::Constant);
    }
    let drawn = replicates(&people, number, count, rng)?;
    let defined: Vec<f64> = drawn.into_iter().filter(|v| !v.is_nan()).collect();
    bca(&people, number, &defined, level)
}
