//! The dials of a model: their ranges, and held-out instances on them.

use anyhow::Result;
use domain::model::latent::{DEFAULT_STEP, Dimension, LatentSpace};
use models::dials::{self, within};

use crate::mnist::DIGITS;
use crate::run::Run;

/// The latent space: what is known beforehand, or sliders from the smallest to the
/// largest held-out latent vector (its continuous dimensions), after a choice among
/// the digits where the decoder is given one.
pub(super) fn latent_space(run: &Run, latents: &[Vec<f32>]) -> Result<LatentSpace> {
    if let Some(dimensions) = (run.recipe.known_dimensions)() {
        return Ok(LatentSpace::new(dimensions)?);
    }
    let slider = |i: usize| {
        let values = latents.iter().map(|z| f64::from(z[i]));
        dials::slider(values, DEFAULT_STEP)
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

/// The latent vectors of the first held-out rows as a bundle holds them: the label first where
/// it is a dimension, and every value within its dimension.
pub(super) fn rows(run: &Run, latents: &[Vec<f32>], space: &LatentSpace) -> Vec<Vec<f32>> {
    let labels = run.split.held_out.iter().map(|&row| {
        let labelled = run.model.objective.takes_digit();
        labelled
            .then(|| run.task.dataset.label(row as usize))
            .flatten()
    });
    with_labels(latents, labels, space)
}

fn with_labels(
    latents: &[Vec<f32>],
    labels: impl Iterator<Item = Option<u8>>,
    space: &LatentSpace,
) -> Vec<Vec<f32>> {
    let with_label = latents
        .iter()
        .zip(labels)
        .map(|(z, label)| label.map(f32::from).into_iter().chain(z.iter().copied()));
    with_label
        .map(|z| {
            z.zip(space.dimensions())
                .map(|(value, dimension)| within(value, dimension))
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_come_first_and_ends_hold() {
        let space = LatentSpace::new(vec![
            Dimension::Discrete { values: 10 },
            Dimension::continuous(0.0, std::f64::consts::TAU, 0.01),
        ])
        .unwrap();
        // As an f32, 2π is larger than it is.
        let labels = [Some(7), Some(2)].into_iter();
        let found = with_labels(&[vec![std::f32::consts::TAU], vec![-0.1]], labels, &space);
        assert_eq!(
            found,
            [[7.0, std::f32::consts::TAU.next_down()], [2.0, 0.0]]
        );
    }
}
