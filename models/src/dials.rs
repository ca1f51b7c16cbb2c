//! The dials of a model, from where held-out instances lie in its latent space.

use domain::model::latent::{DEFAULT_STEP, Dimension, LatentSpace};

use crate::card::Percentiles;

/// A slider from the smallest to the largest of these values, in steps of `step`.
///
/// DIFFERENCE: both ends are moved outwards to the next step, since browsers count
/// a slider's steps from its minimum, and a target has to be a step.
///
/// A dimension that the model does not use still is a slider, of one step. So is one
/// without values, from 0.
#[must_use]
pub fn slider(values: impl IntoIterator<Item = f64>, step: f64) -> Dimension {
    let (min, max) = values
        .into_iter()
        .fold(None, |ends: Option<(f64, f64)>, v| {
            let (min, max) = ends.unwrap_or((v, v));
            Some((min.min(v), max.max(v)))
        })
        .unwrap_or((0.0, 0.0));
    // Dividing by the reciprocal keeps 0.29 as 0.29 and not 0.29000000000000004.
    let per_unit = 1.0 / step;
    let round = per_unit.round();
    let per_unit = if (round * step - 1.0).abs() < 1e-9 {
        round
    } else {
        per_unit
    };
    let min = (min * per_unit).floor();
    let max = (max * per_unit).ceil().max(min + 1.0);
    Dimension::continuous(min / per_unit, max / per_unit, step)
}

/// The step of a slider over `range`: the usual one for ranges of 1 to 100; a power of
/// ten between a hundredth and a thousandth of the range for others.
#[must_use]
pub fn usual_step(range: f64) -> f64 {
    if (1.0..100.0).contains(&range) || !range.is_finite() || range <= 0.0 {
        return DEFAULT_STEP;
    }
    let magnitude = range.log10().floor();
    let power = if range < 1.0 {
        magnitude - 2.0
    } else {
        magnitude - 3.0
    };
    // A power of ten as it is written: 10^−4 computed is not 0.0001.
    format!("1e{power}").parse().unwrap_or(DEFAULT_STEP)
}

/// A value as a bundle holds it, in f32, within its dimension: an f32 can lie a
/// rounding error beyond an end that is no f32 (2π).
#[must_use]
pub fn within(value: f32, dimension: &Dimension) -> f32 {
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
#[must_use]
pub fn percentiles(latents: &[Vec<f64>], space: &LatentSpace) -> Vec<Option<Percentiles>> {
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
            Dimension::continuous(0.0, 8.0, 0.01),
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
    fn sliders_end_on_steps() {
        let ends = |values: &[f64], step| match slider(values.iter().copied(), step) {
            Dimension::Continuous { min, max, .. } => (min, max),
            Dimension::Discrete { .. } => unreachable!(),
        };
        assert_eq!(ends(&[0.2901, -1.234, 0.1], 0.01), (-1.24, 0.3));
        assert_eq!(ends(&[0.5], 0.01), (0.5, 0.51));
        assert_eq!(ends(&[-170.0, 333.0], 10.0), (-170.0, 340.0));
        assert_eq!(ends(&[0.00042, 0.00077], 0.0001), (0.0004, 0.0008));
        assert_eq!(ends(&[], 0.01), (0.0, 0.01));
    }

    #[test]
    fn steps_fit_the_range() {
        for (range, step) in [
            (6.0, 0.01),
            (99.0, 0.01),
            (100.0, 0.1),
            (5000.0, 1.0),
            (0.5, 0.001),
            (0.02, 0.0001),
            (0.0, 0.01),
        ] {
            assert_eq!(usual_step(range), step, "{range}");
        }
    }
}
