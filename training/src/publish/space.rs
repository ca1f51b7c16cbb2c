//! The dials of a model: their ranges, and where held-out instances lie on them.

use anyhow::Result;
use domain::latent::{DEFAULT_STEP, Dimension, LatentSpace};
use models::card::Percentiles;

use crate::mnist::DIGITS;
use crate::run::Run;

/// The latent space: what is known beforehand, or sliders from the smallest to the
/// largest held-out latent vector (its continuous dimensions), after a choice among
/// the digits where the decoder is given one.
///
/// DIFFERENCE: both ends are moved outwards to the next step, since browsers count
/// a slider's steps from its minimum, and a target has to be a step.
pub(super) fn latent_space(run: &Run, latents: &[Vec<f32>]) -> Result<LatentSpace> {
    if let Some(dimensions) = (run.recipe.known_dimensions)() {
        return Ok(LatentSpace::new(dimensions)?);
    }
    let per_unit = (1.0 / DEFAULT_STEP).round();
    let slider = |i: usize| {
        let values = latents.iter().map(|z| f64::from(z[i]));
        let (min, max) = values.fold((f64::MAX, f64::MIN), |(min, max), v| {
            (min.min(v), max.max(v))
        });
        let min = (min * per_unit).floor();
        // A dimension that the model does not use still is a slider.
        let max = (max * per_unit).ceil().max(min + 1.0);
        Dimension::Continuous {
            min: min / per_unit,
            max: max / per_unit,
            step: DEFAULT_STEP,
        }
    };
    let digit = Dimension::Discrete {
        values: u16::try_from(DIGITS)?,
    };
    let digit = run.model.objective.takes_digit().then_some(digit);
    let sliders = (0..run.model.dimensions).map(slider);
    Ok(LatentSpace::new(
        digit.into_iter().chain(sliders).collect(),
    )?)
}

/// Latent vectors as a bundle holds them: the label first where it is a dimension, and
/// every value within its dimension.
pub(super) fn rows(latents: &[Vec<f32>], labels: &[u8], space: &LatentSpace) -> Vec<Vec<f32>> {
    let with_label = latents.iter().enumerate().map(|(row, z)| {
        let label = labels.get(row).filter(|_| space.len() > z.len());
        label
            .map(|&l| f32::from(l))
            .into_iter()
            .chain(z.iter().copied())
    });
    with_label
        .map(|z| {
            z.zip(space.dimensions())
                .map(|(value, dimension)| within(value, dimension))
                .collect()
        })
        .collect()
}

/// An f32 can lie a rounding error beyond an end that is no f32 (2π).
#[allow(clippy::cast_possible_truncation)] // latents are f32
fn within(value: f32, dimension: &Dimension) -> f32 {
    let Dimension::Continuous { min, max, .. } = *dimension else {
        return value;
    };
    if f64::from(value) > max {
        let end = max as f32;
        if f64::from(end) > max {
            end.next_down()
        } else {
            end
        }
    } else if f64::from(value) < min {
        let end = min as f32;
        if f64::from(end) < min {
            end.next_up()
        } else {
            end
        }
    } else {
        value
    }
}

/// Percentiles of every continuous dimension over these latent vectors; none for a
/// discrete one.
pub(super) fn percentiles(latents: &[Vec<f64>], space: &LatentSpace) -> Vec<Option<Percentiles>> {
    let of = |i: usize, dimension: &Dimension| {
        if dimension.is_discrete() || latents.is_empty() {
            return None;
        }
        let mut values: Vec<f64> = latents.iter().map(|z| z[i]).collect();
        values.sort_by(f64::total_cmp);
        let p = |share: f64| percentile(&values, share);
        Some(Percentiles {
            p1: p(0.01),
            p5: p(0.05),
            p48: p(0.48),
            p52: p(0.52),
            p95: p(0.95),
            p99: p(0.99),
        })
    };
    space
        .dimensions()
        .iter()
        .enumerate()
        .map(|(i, dimension)| of(i, dimension))
        .collect()
}

/// The value below which a share of sorted values (at least one) lies, between
/// neighbours by linear interpolation.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)] // a place among few values
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_agree_with_numpy() {
        // python3 -c "import numpy as np
        // v = np.sqrt(np.arange(60.)); print(np.percentile(v, [1, 5, 48, 52, 95, 99]).tolist())"
        let latents: Vec<Vec<f64>> = (0..60)
            .rev()
            .map(|i| vec![3.0, f64::from(i).sqrt()])
            .collect();
        let space = LatentSpace::new(vec![
            Dimension::Discrete { values: 10 },
            Dimension::Continuous {
                min: 0.0,
                max: 8.0,
                step: 0.01,
            },
        ])
        .unwrap();
        let found = percentiles(&latents, &space);
        assert_eq!(found[0], None);
        let p = found[1].unwrap();
        for (found, expected) in [p.p1, p.p5, p.p48, p.p52, p.p95, p.p99]
            .iter()
            .zip(PERCENTILES)
        {
            assert!(
                (found - expected).abs() < 1e-12,
                "{found} is not {expected}"
            );
        }
    }

    const PERCENTILES: [f64; 6] = [
        0.59,
        1.716_158_945_309_088_2,
        5.321_474_521_330_884_5,
        5.538_791_950_740_946,
        7.486_640_756_634_026,
        7.642_575_889_085_835,
    ];

    #[test]
    fn labels_come_first_and_ends_hold() {
        let space = LatentSpace::new(vec![
            Dimension::Discrete { values: 10 },
            Dimension::Continuous {
                min: 0.0,
                max: std::f64::consts::TAU,
                step: 0.01,
            },
        ])
        .unwrap();
        // As an f32, 2π is larger than it is.
        let found = rows(&[vec![std::f32::consts::TAU], vec![-0.1]], &[7, 2], &space);
        assert_eq!(
            found,
            [[7.0, std::f32::consts::TAU.next_down()], [2.0, 0.0]]
        );
    }
}
