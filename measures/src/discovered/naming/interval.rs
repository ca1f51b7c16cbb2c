//! Intervals over people.
//!
//! Rates and agreement have BCa bootstrap intervals ([`over_people`]). MIC has jackknife intervals
//! ([`jackknife_over_people`]): a sample with replacement has fewer different people than the study, whose histograms
//! overlap less, so that all samples lie on one side of the estimate (decision 68).

use super::answers::Answers;
use crate::statistics::bootstrap::{bca, replicates};
use crate::statistics::jackknife::jackknife;
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

/// The delete-one jackknife interval over people of a statistic whose values lie in `range`; its ends do, too. It
/// contains the statistic of everybody.
///
/// # Errors
/// - [`Undefined::Constant`] if the statistic is not defined for everybody, or without one of the people, or is the
///   same without each of them.
/// - Whatever [`jackknife`] refuses: fewer than two people.
pub fn jackknife_over_people(
    answers: &Answers,
    statistic: impl Fn(&Answers) -> Option<f64>,
    (lowest, highest): (f64, f64),
    level: f64,
) -> Defined<Interval> {
    let people = answers.people();
    let without = |left_out: usize| {
        let times = (0..people).map(|person| u32::from(person != left_out));
        statistic(&answers.weighted(times.collect()))
    };
    let estimate = statistic(&answers.weighted(vec![1; people])).ok_or(Undefined::Constant)?;
    let rest: Option<Vec<f64>> = (0..people).map(without).collect();
    let rest = rest.ok_or(Undefined::Constant)?;
    // MIC is 1 less a divergence, or worked out from shares: from numbers as large as 1.
    let found = jackknife(estimate, &rest, 1.0, level)?;
    Ok(Interval {
        low: found.low.max(lowest),
        high: found.high.min(highest),
        level,
    })
}
