//! Simulated people try the models of a study, at many thresholds and time limits.

use std::collections::BTreeMap;
use std::sync::Arc;

use analysis::tuning::{ApproachCurve, OwnSettings, Tuning};
use anyhow::{bail, ensure};
use clap::Args;
use domain::session::event::SessionId;
use domain::simulate::{Sight, SimulatedPerson, Strategy};
use domain::study::draw::{DrawRequest, Drawn, draw};
use domain::task::reconstruction::{Key, Plan, SkipRule, approach};
use domain::task::{AnswerKey, TaskPlan};
use rand::SeedableRng as _;
use rand_chacha::ChaCha20Rng;
use server::catalogue::StudyEntry;
use server::simulation::InstalledEvidence;
use server::zoo::Models;

use crate::progress::Progress;

/// How models are tried.
#[derive(Debug, Clone, Args)]
pub struct TuneOptions {
    /// Questions of each model for each strategy, each by a person of their own
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub questions: usize,
    /// Thresholds ε to look at, beside the study's own
    #[arg(long, value_name = "E,E…", value_delimiter = ',', default_values_t = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3])]
    pub thresholds: Vec<f64>,
    /// Times T in active seconds to look at, beside the study's own
    #[arg(long, value_name = "S,S…", value_delimiter = ',', default_values_t = [15.0, 30.0, 60.0, 120.0])]
    pub times: Vec<f64>,
    /// Strategies to look at [default: all but gives_up, which differs from random_trial after T
    /// alone]
    #[arg(long, value_name = "STRATEGY", value_delimiter = ',')]
    pub strategies: Vec<Strategy>,
    /// The same seed gives the same numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

/// Lets simulated people try the models of a study.
///
/// # Errors
/// When it asks for no reconstruction, or a number makes no sense.
pub fn tuning_of(
    entry: &StudyEntry,
    models: &Arc<Models>,
    options: &TuneOptions,
) -> anyhow::Result<Tuning> {
    ensure!(options.questions > 0, "--questions is at least 1");
    ensure!(
        options
            .thresholds
            .iter()
            .all(|epsilon| (0.0..1.0).contains(epsilon)),
        "--thresholds lie from 0 up to 1"
    );
    ensure!(
        options
            .times
            .iter()
            .all(|time| *time > 0.0 && *time <= 600.0),
        "--times lie between 0 and 600 seconds"
    );
    let asked = questions(entry, models, options)?;
    if asked.is_empty() {
        bail!(
            "'{}' has no scored stage of reconstruction, so there is nothing to tune",
            entry.study.id
        );
    }
    let mut found = Tuning {
        models: asked.iter().map(|(model, of)| of.own(model)).collect(),
        strategies: Vec::new(),
        thresholds: options.thresholds.clone(),
        times_s: options.times.clone(),
        approaches: Vec::new(),
    };
    for own in &found.models {
        found.thresholds.push(own.threshold);
        found.times_s.push(own.skip_after_s);
    }
    for values in [&mut found.thresholds, &mut found.times_s] {
        values.sort_by(f64::total_cmp);
        values.dedup();
    }
    let strategies = if options.strategies.is_empty() {
        vec![
            Strategy::KnowsDimensions,
            Strategy::CoordinateAscent,
            Strategy::RandomTrial,
        ]
    } else {
        options.strategies.clone()
    };
    found.strategies = strategies.iter().map(|s| s.label().to_owned()).collect();
    let until = found.times_s.iter().copied().fold(0.0, f64::max);
    found.approaches = approaches(&asked, &strategies, until, options.seed);
    Ok(found)
}

impl Default for TuneOptions {
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

/// The questions about one model.
struct OfModel {
    plans: Vec<(Plan, Key, usize)>,
    sights: Vec<Sight>,
}

impl OfModel {
    fn own(&self, model: &str) -> OwnSettings {
        let first = self.plans.first();
        let skip_after_s = first.map_or(0.0, |(plan, ..)| match plan.skip {
            SkipRule::AfterActive { seconds } => seconds,
            SkipRule::Never | SkipRule::Always => plan.model.skip_after_s,
        });
        OwnSettings {
            model: model.to_owned(),
            threshold: first.map_or(0.0, |(plan, ..)| plan.model.threshold),
            skip_after_s,
        }
    }
}

/// So many questions of each model, as sessions of every cell would be asked them.
fn questions(
    entry: &StudyEntry,
    models: &Arc<Models>,
    options: &TuneOptions,
) -> anyhow::Result<BTreeMap<String, OfModel>> {
    /// Nobody draws more sessions of a cell than this for the questions wanted.
    const MOST_SESSIONS: u64 = 1_000;
    let mut asked: BTreeMap<String, OfModel> = BTreeMap::new();
    for cell in entry.study.design.cells() {
        for row in 0..MOST_SESSIONS {
            let mut rng = ChaCha20Rng::seed_from_u64(options.seed);
            rng.set_stream(row);
            let arrival = DrawRequest {
                session: SessionId(format!("tune-{row}")),
                cell: cell.clone(),
                row,
                language: entry.study.first_language().to_owned(),
            };
            let drawn = draw(
                &entry.study,
                &entry.sha256,
                arrival,
                &**models,
                &entry.texts,
                &mut rng,
            )?;
            if !take(&drawn, models, options.questions, &mut asked) {
                break;
            }
        }
    }
    Ok(asked)
}

/// Takes in the questions of a session; whether any were wanted.
fn take(
    drawn: &Drawn,
    models: &Arc<Models>,
    wanted: usize,
    asked: &mut BTreeMap<String, OfModel>,
) -> bool {
    let instances = drawn.instances.iter();
    let sight: Sight = Arc::new(InstalledEvidence {
        models: models.clone(),
        instances: instances
            .map(|(id, instance)| (id.clone(), instance.0.clone()))
            .collect(),
    });
    let mut any = false;
    for (stage, keys) in drawn.plan.stages.iter().zip(&drawn.keys.questions) {
        let TaskPlan::Reconstruction(plan) = &stage.task else {
            continue;
        };
        if stage.practice {
            continue;
        }
        let of = asked
            .entry(plan.model.name.clone())
            .or_insert_with(|| OfModel {
                plans: Vec::new(),
                sights: Vec::new(),
            });
        for (question, key) in keys.iter().enumerate() {
            if let AnswerKey::Reconstruction(key) = key
                && of.plans.len() < wanted
            {
                of.plans.push((plan.clone(), key.clone(), question));
                of.sights.push(sight.clone());
                any = true;
            }
        }
    }
    any
}

/// Every question by every strategy, on all cores.
fn approaches(
    asked: &BTreeMap<String, OfModel>,
    strategies: &[Strategy],
    until_s: f64,
    seed: u64,
) -> Vec<ApproachCurve> {
    let mut jobs = Vec::new();
    for (model, of) in asked {
        for &strategy in strategies {
            for ((plan, key, question), sight) in of.plans.iter().zip(&of.sights) {
                jobs.push((model, strategy, plan, key, *question, sight));
            }
        }
    }
    let progress = Progress::counting("questions", Some(jobs.len()));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = jobs.len().div_ceil(threads).max(1);
    let done = std::thread::scope(|scope| {
        let progress = &progress;
        let work = |(place, jobs): (usize, &[_])| {
            let jobs: Vec<(&String, Strategy, &Plan, &Key, usize, &Sight)> = jobs.to_vec();
            scope.spawn(move || {
                let numbered = (place * share..).zip(jobs);
                numbered
                    .map(|(number, (model, strategy, plan, key, question, sight))| {
                        let mut rng = ChaCha20Rng::seed_from_u64(seed);
                        // Somebody else each time, whatever the number of cores.
                        rng.set_stream(number as u64);
                        let person =
                            SimulatedPerson::draw(strategy, (*sight).clone(), Vec::new(), &mut rng);
                        let steps = approach(plan, key, question, &person, until_s, &mut rng);
                        progress.one_more();
                        ApproachCurve {
                            model: model.clone(),
                            strategy: strategy.label().to_owned(),
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
