//! `redial study tune`: simulated people try the models of a study, at many thresholds and time limits.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use analysis::tuning::{ApproachCurve, TunedRow, Tuning};
use domain::simulate::{Sight, SimulatedPerson, Strategy};
use domain::study::draw::DrawError;
use domain::task::reconstruction::{Key, Plan, approach};
use rand::SeedableRng as _;
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::catalogue::StudyEntry;
use crate::zoo::Models;

mod questions;

use questions::{OfModel, questions};

/// Longest time that is looked at, in active seconds.
const LONGEST_S: f64 = 600.0;

/// How models are tried.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningRequest {
    /// Questions of each model for each strategy, each by a person of their own.
    pub questions: usize,
    /// Thresholds to look at, beside the study's own.
    pub thresholds: Vec<f64>,
    /// Times in active seconds to look at, beside the study's own.
    pub times: Vec<f64>,
    /// Strategies to look at; none: all but the one that gives up, which differs from another after the time limit alone.
    pub strategies: Vec<Strategy>,
    /// The same seed gives the same numbers, whatever the number of threads.
    pub seed: u64,
}

impl Default for TuningRequest {
    /// As on the command line.
    fn default() -> Self {
        Self {
            questions: 40,
            thresholds: vec![0.02, 0.05, 0.1, 0.15, 0.2, 0.3],
            times: vec![15.0, 30.0, 60.0, 120.0],
            strategies: Vec::new(),
            seed: 1,
        }
    }
}

/// Why nothing can be tuned.
#[derive(Debug, thiserror::Error)]
pub enum TuningError {
    /// No question is to be asked.
    #[error("at least 1 question of each model has to be asked")]
    NoQuestions,
    /// A threshold is none.
    #[error("thresholds lie from 0 up to 1, which {0} does not")]
    Threshold(f64),
    /// A time is none.
    #[error("times lie between 0 and {LONGEST_S} seconds, which {0} does not")]
    Time(f64),
    /// The study asks for no reconstruction.
    #[error("'{0}' has no scored stage of reconstruction, so there is nothing to tune")]
    NothingToTune(String),
    /// No session can be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
}

/// The tuning of a study by simulated people, as JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TunedStudy {
    /// Name of the study.
    pub study: String,
    /// SHA-256 of its file.
    pub study_sha256: String,
    /// Questions of each model for each strategy.
    pub questions: usize,
    /// The seed.
    pub seed: u64,
    /// Models, strategies, thresholds and times.
    #[serde(flatten)]
    pub tuning: Tuning,
    /// The result of each threshold and time for each model and strategy.
    pub rows: Vec<TunedRow>,
}

/// Lets simulated people try the models of a study, on so many threads. `watch` is told how many questions were asked, and
/// how many there are.
///
/// # Errors
/// When it asks for no reconstruction, or a number makes no sense.
pub fn tuned_study(
    entry: &StudyEntry,
    models: &Arc<Models>,
    request: &TuningRequest,
    threads: usize,
    watch: &(dyn Fn(u64, u64) + Sync),
) -> Result<TunedStudy, TuningError> {
    let tuning = tuning_of(entry, models, request, threads, watch)?;
    Ok(TunedStudy {
        study: entry.study.id.clone(),
        study_sha256: entry.sha256.clone(),
        questions: request.questions,
        seed: request.seed,
        rows: tuning.rows(),
        tuning,
    })
}

fn tuning_of(
    entry: &StudyEntry,
    models: &Arc<Models>,
    request: &TuningRequest,
    threads: usize,
    watch: &(dyn Fn(u64, u64) + Sync),
) -> Result<Tuning, TuningError> {
    if request.questions == 0 {
        return Err(TuningError::NoQuestions);
    }
    let mut thresholds = request.thresholds.iter();
    if let Some(wrong) = thresholds.find(|it| !(0.0..1.0).contains(*it)) {
        return Err(TuningError::Threshold(*wrong));
    }
    let mut times = request.times.iter();
    if let Some(wrong) = times.find(|it| !(**it > 0.0 && **it <= LONGEST_S)) {
        return Err(TuningError::Time(*wrong));
    }
    let asked = questions(entry, models, request)?;
    if asked.is_empty() {
        return Err(TuningError::NothingToTune(entry.study.id.clone()));
    }
    let mut found = Tuning {
        models: asked.iter().map(|(model, of)| of.own(model)).collect(),
        strategies: Vec::new(),
        thresholds: request.thresholds.clone(),
        times_s: request.times.clone(),
        approaches: Vec::new(),
    };
    for own in &found.models {
        found.thresholds.extend(own.threshold);
        found.times_s.push(own.skip_after_s);
    }
    for values in [&mut found.thresholds, &mut found.times_s] {
        values.sort_by(f64::total_cmp);
        values.dedup();
    }
    let strategies = if request.strategies.is_empty() {
        vec![
            Strategy::KnowsDimensions,
            Strategy::CoordinateAscent,
            Strategy::RandomTrial,
        ]
    } else {
        request.strategies.clone()
    };
    found.strategies = strategies.iter().map(|s| s.label().to_owned()).collect();
    let until = found.times_s.iter().copied().fold(0.0, f64::max);
    found.approaches = approaches(&asked, &strategies, until, (request.seed, threads), watch);
    Ok(found)
}

/// Every question by every strategy, by a seed and on so many threads.
fn approaches(
    asked: &BTreeMap<String, OfModel>,
    strategies: &[Strategy],
    until_s: f64,
    (seed, threads): (u64, usize),
    watch: &(dyn Fn(u64, u64) + Sync),
) -> Vec<ApproachCurve> {
    let mut jobs = Vec::new();
    for (model, of) in asked {
        for &strategy in strategies {
            for ((plan, key, question), sight) in of.plans.iter().zip(&of.sights) {
                jobs.push((model, strategy, plan, key, *question, sight));
            }
        }
    }
    let (asked, all) = (AtomicU64::new(0), jobs.len() as u64);
    watch(0, all);
    let share = jobs.len().div_ceil(threads.max(1)).max(1);
    let done = std::thread::scope(|scope| {
        let asked = &asked;
        let work = |(place, jobs): (usize, &[_])| {
            let jobs: Vec<(&String, Strategy, &Plan, &Key, usize, &Sight)> = jobs.to_vec();
            scope.spawn(move || {
                let numbered = (place * share..).zip(jobs);
                numbered
                    .map(|(number, (model, strategy, plan, key, question, sight))| {
                        let mut rng = ChaCha20Rng::seed_from_u64(seed);
                        // Somebody else each time, whatever the number of threads.
                        rng.set_stream(number as u64);
                        let person =
                            SimulatedPerson::draw(strategy, (*sight).clone(), Vec::new(), &mut rng);
                        let steps = approach(plan, key, question, &person, until_s, &mut rng);
                        watch(asked.fetch_add(1, Ordering::Relaxed) + 1, all);
                        ApproachCurve {
                            model: model.clone(),
                            strategy: strategy.label().to_owned(),
                            threshold: plan.threshold(question),
                            steps,
                        }
                    })
                    .collect::<Vec<_>>()
            })
        };
        let working: Vec<_> = jobs.chunks(share).enumerate().map(work).collect();
        working
            .into_iter()
            .map(std::thread::ScopedJoinHandle::join)
            .collect::<Result<Vec<_>, _>>()
    });
    match done {
        Ok(parts) => parts.into_iter().flatten().collect(),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
