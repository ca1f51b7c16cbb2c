//! InfoE: how well a straight cut through all latents tells a source.

use crate::array::Array;
use crate::checks::LabelColumn;
use crate::logistic::{Design, Penalty};
use crate::split::Split;

/// How well a straight cut tells one source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SourceExplicitness {
    /// (H_null − H_pred) / H_null; none for a source with one value among all rows, or among those fitted to.
    pub value: Option<f64>,
    /// Whether the regression came to rest. It does not where a straight cut separates the values.
    pub settled: bool,
}

/// InfoE of one source, which has a label for each row of `latents`; `design` holds the rows of `split` to fit to.
///
/// H_pred is the mean log loss on the rows judged, H_null that of equal probabilities, which a balanced regression on
/// nothing comes to. A value that no row fitted to has counts with the probability 2⁻⁵², below which none is counted.
///
/// # Panics
/// When a row of `split` is not there.
#[must_use]
pub fn explicitness(
    latents: &Array,
    design: &Design,
    source: &[f64],
    split: &Split,
) -> SourceExplicitness {
    let source = LabelColumn::of(source);
    let (train, test) = (&split.train, &split.test);
    let present: Vec<usize> = (0..source.classes.len())
        .filter(|&class| {
            train
                .iter()
                .any(|&row| source.places[row] as usize == class)
        })
        .collect();
    if source.classes.len() < 2 || present.len() < 2 {
        return SourceExplicitness {
            value: None,
            settled: true,
        };
    }
    let place = |row: usize| {
        let class = source.places[row] as usize;
        present.iter().position(|&other| other == class)
    };
    let targets: Vec<usize> = train.iter().filter_map(|&row| place(row)).collect();
    let mut weights = vec![0.0; present.len()];
    for &target in &targets {
        weights[target] += 1.0;
    }
    for weight in &mut weights {
        *weight = targets.len() as f64 / (present.len() as f64 * *weight);
    }
    let fitted = design.fit(&targets, present.len(), Some(&weights), Penalty::None);
    let losses = test.iter().map(|&row| {
        let logs = fitted.log_probabilities(latents.row(row));
        -place(row).map_or(SMALLEST, |class| logs[class].max(SMALLEST))
    });
    let predicted = losses.sum::<f64>() / test.len() as f64;
    let null = libm::log(source.classes.len() as f64);
    SourceExplicitness {
        value: Some((null - predicted) / null),
        settled: fitted.settled,
    }
}

/// ln 2⁻⁵², the logarithm that probabilities are not counted below.
const SMALLEST: f64 = -36.043_653_389_117_15;
