//! Starts and targets.

use std::cell::OnceCell;

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::super::{HiddenAt, Item, ListOrder, SameForAll, Settings, StartAt};
use crate::model::ModelFacts;
use crate::model::distance::{THRESHOLD_TOLERANCE, reaches, threshold_at};
use crate::model::instance::{Instance, InstanceId};
use crate::task::draw::{DrawContext, DrawError};

/// Pairs tried before giving up on a model.
const ATTEMPTS: usize = 1_000;
/// How many pairs are drawn for each question that a stratum gives.
const PAIRS_PER_QUESTION: usize = 10;
/// Vectors that a model's mean is taken of.
const MEAN_OF: u32 = 1_000;

/// Instances that a target is compared with, where its threshold is its own.
const OTHERS: usize = 200;

/// Start and target, with what they give.
pub(super) struct Pair {
    pub(super) start: Vec<f64>,
    pub(super) target: Vec<f64>,
    /// x′.
    pub(super) x: Instance,
    /// d(x, x′) at the start.
    pub(super) distance: f64,
    /// ε, where the question has its own.
    pub(super) threshold: Option<f64>,
}

/// Draws the pairs of one stage.
pub(super) struct Drawing<'a> {
    pub(super) settings: &'a Settings,
    pub(super) context: &'a DrawContext<'a>,
    pub(super) model: &'a ModelFacts,
    /// The dimensions that are not shown.
    pub(super) hidden: Vec<usize>,
    /// Instances that a target is compared with; decoded when they are first needed.
    pub(super) others: OnceCell<Vec<Vec<f32>>>,
}

impl Drawing<'_> {
    pub(super) fn pairs(&self, mut rng: &mut dyn Rng) -> Result<Vec<Pair>, DrawError> {
        let Settings {
            questions, items, ..
        } = self.settings;
        let count = questions.unwrap_or(0) as usize;
        let mut pairs = if !items.is_empty() {
            items
                .iter()
                .map(|item| self.given(item))
                .collect::<Result<_, _>>()?
        } else if let Some(same) = self.settings.same_for_all {
            self.same_for_all(count, same)?
        } else {
            return self.draw(count, rng);
        };
        if self.settings.question_order == ListOrder::Shuffled {
            pairs.shuffle(&mut rng);
        }
        Ok(pairs)
    }

    fn given(&self, item: &Item) -> Result<Pair, DrawError> {
        let mut pair = self.pair(self.snap(&item.start)?, self.snap(&item.target)?)?;
        pair.threshold = match item.target_alignment_percent {
            Some(percent) => Some(threshold_at(percent)),
            None => self.own_threshold(&pair.x.0)?,
        };
        if reaches(
            pair.distance,
            pair.threshold.unwrap_or(self.model.threshold),
        ) {
            let model = self.model.name.clone();
            return Err(DrawError::AlwaysSolved { model, attempts: 1 });
        }
        Ok(pair)
    }

    /// Pairs that do not depend on the session.
    fn same_for_all(&self, count: usize, same: SameForAll) -> Result<Vec<Pair>, DrawError> {
        let mut rng = ChaCha20Rng::seed_from_u64(same.seed);
        let strata = (same.strata.max(1) as usize).min(count.max(1));
        if strata == 1 {
            return self.draw(count, &mut rng);
        }
        let mut pool = self.draw(count * PAIRS_PER_QUESTION, &mut rng)?;
        pool.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        let mut chosen = Vec::new();
        for stratum in (0..strata).rev() {
            // The last ones take what is left over, from the far end of the pool.
            let questions = count * (stratum + 1) / strata - count * stratum / strata;
            let mut pairs = pool.split_off(pool.len() * stratum / (stratum + 1));
            pairs.shuffle(&mut rng);
            pairs.truncate(questions);
            chosen.extend(pairs);
        }
        chosen.shuffle(&mut rng);
        Ok(chosen)
    }

    /// Starts and targets, drawn independently; drawn again while the start already solves the
    /// question, or the target has been there where targets are drawn without replacement.
    fn draw(&self, count: usize, rng: &mut dyn Rng) -> Result<Vec<Pair>, DrawError> {
        let mean = match self.settings.hidden_dials_at {
            HiddenAt::Mean if !self.hidden.is_empty() => Some(self.mean()?),
            _ => None,
        };
        let mut pairs = Vec::new();
        let mut targets: Vec<InstanceId> = Vec::new();
        for _ in 0..count {
            let (mut solved, mut found) = (0, None);
            for _ in 0..ATTEMPTS {
                let mut drawn = self.draw_pair(mean.as_deref(), rng)?;
                drawn.threshold = self.own_threshold(&drawn.x.0)?;
                let threshold = drawn.threshold.unwrap_or(self.model.threshold);
                if reaches(drawn.distance, threshold) {
                    solved += 1;
                    continue;
                }
                if self.settings.distinct_targets {
                    let id = drawn.x.id();
                    // The draw for others must not depend on what this person has seen.
                    let seen = self.settings.same_for_all.is_none() && self.context.has(&id);
                    if seen || targets.contains(&id) {
                        continue;
                    }
                    targets.push(id);
                }
                found = Some(drawn);
                break;
            }
            let model = self.model.name.clone();
            pairs.push(found.ok_or(if solved == ATTEMPTS {
                DrawError::AlwaysSolved {
                    model,
                    attempts: ATTEMPTS,
                }
            } else {
                DrawError::TooFewTargets { model }
            })?);
        }
        Ok(pairs)
    }

    fn draw_pair(&self, mean: Option<&[f64]>, rng: &mut dyn Rng) -> Result<Pair, DrawError> {
        let name = &self.model.name;
        let mut start = self.snap(&self.context.sample(name, rng)?)?;
        let mut target = self.snap(&self.context.sample(name, rng)?)?;
        if self.settings.start == StartAt::Centre {
            for (value, dimension) in start.iter_mut().zip(self.model.latent.dimensions()) {
                if !dimension.is_discrete() {
                    *value = dimension.at_share(0.5);
                }
            }
        }
        for &dimension in &self.hidden {
            if let Some(mean) = mean {
                target[dimension] = mean[dimension];
            }
            start[dimension] = target[dimension];
        }
        self.pair(start, target)
    }

    fn pair(&self, start: Vec<f64>, target: Vec<f64>) -> Result<Pair, DrawError> {
        let name = &self.model.name;
        let from = self.context.decode(name, &start)?;
        let x = self.context.decode(name, &target)?;
        let distance = self.model.distance.between(self.model.shape, &from, &x);
        Ok(Pair {
            distance: distance.map_err(|_| DrawError::Broken(name.clone()))?,
            threshold: None,
            x: Instance(x),
            start,
            target,
        })
    }

    /// ε by how near other instances lie to a target, where the study wants that. Instances that cannot be told from
    /// the target do not count.
    fn own_threshold(&self, target: &[f32]) -> Result<Option<f64>, DrawError> {
        let Some(by_target) = self.settings.threshold_by_target else {
            return Ok(None);
        };
        let others = match self.others.get() {
            Some(others) => others,
            None => {
                let decoded = self.decode_others()?;
                self.others.get_or_init(|| decoded)
            }
        };
        let mut nearest = f64::INFINITY;
        for other in others {
            let ModelFacts {
                distance, shape, ..
            } = self.model;
            let distance = distance
                .between(*shape, target, other)
                .map_err(|_| DrawError::Broken(self.model.name.clone()))?;
            if distance > THRESHOLD_TOLERANCE {
                nearest = nearest.min(distance);
            }
        }
        if nearest.is_infinite() {
            let model = self.model.name.clone();
            return Err(DrawError::TooFewTargets { model });
        }
        Ok(Some(by_target.share_of_nearest * nearest))
    }

    fn decode_others(&self) -> Result<Vec<Vec<f32>>, DrawError> {
        let mut rng = ChaCha20Rng::seed_from_u64(0);
        let name = &self.model.name;
        (0..OTHERS)
            .map(|_| {
                let z = self.snap(&self.context.sample(name, &mut rng)?)?;
                self.context.decode(name, &z)
            })
            .collect()
    }

    /// The mean of the model's distribution, the same for everybody.
    fn mean(&self) -> Result<Vec<f64>, DrawError> {
        let mut rng = ChaCha20Rng::seed_from_u64(0);
        let vectors = (0..MEAN_OF)
            .map(|_| self.context.sample(&self.model.name, &mut rng))
            .collect::<Result<Vec<_>, _>>()?;
        let dimensions = self.model.latent.dimensions().iter().enumerate();
        let mean = dimensions.map(|(index, dimension)| {
            let values = || vectors.iter().filter_map(|z| z.get(index).copied());
            if dimension.is_discrete() {
                let times = |value: usize| {
                    #[allow(clippy::cast_precision_loss)] // at most 65,535
                    let value = value as f64;
                    values().filter(|it| *it == value).count()
                };
                // Of several, the first.
                let most = (0..dimension.width())
                    .rev()
                    .max_by_key(|value| times(*value));
                #[allow(clippy::cast_precision_loss)]
                let most = most.unwrap_or(0) as f64;
                most
            } else {
                values().sum::<f64>() / f64::from(MEAN_OF)
            }
        });
        self.snap(&mean.collect::<Vec<_>>())
    }

    fn snap(&self, z: &[f64]) -> Result<Vec<f64>, DrawError> {
        self.model
            .latent
            .snap(z)
            .map_err(|error| DrawError::Latent {
                model: self.model.name.clone(),
                error,
            })
    }
}
