//! Which concepts matter most for an image.

use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};

/// The quantity that concepts are ordered by, for the class k that the model puts image i into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Importance {
    /// θ_jk û_ij: what the concept adds to the class.
    Contribution,
    /// û_ij alone: how much of it the model sees.
    Code,
    /// θ_jk alone: how much it counts for the class.
    Weight,
}

impl Importance {
    /// All of them, with the names that variants have. The first is the default.
    pub const NAMED: [(&'static str, Self); 3] = [
        ("contribution", Self::Contribution),
        ("code", Self::Code),
        ("weight", Self::Weight),
    ];

    /// The importance that a variant names; of a name that there is not, the default.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let found = Self::NAMED.iter().find(|(known, _)| name == *known);
        found.map_or(Self::Contribution, |(_, importance)| *importance)
    }
}

/// The concepts of an image, the most important first; of equals the first one first.
///
/// `codes` are images × concepts, `weights` concepts × classes, `predicted` the class that the model puts the image
/// into. Panics when there is no such image or class.
#[must_use]
pub fn by_importance(
    codes: &Array,
    weights: &Array,
    image: usize,
    predicted: usize,
    importance: Importance,
) -> Vec<usize> {
    let values: Vec<f64> = codes
        .row(image)
        .iter()
        .enumerate()
        .map(|(concept, code)| {
            let weight = weights.at(concept, predicted)[0];
            match importance {
                Importance::Contribution => weight * code,
                Importance::Code => *code,
                Importance::Weight => weight,
            }
        })
        .collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    // Stable, and −0 equals 0, as in numpy's sort of the negated values.
    order.sort_by(|&a, &b| {
        values[b]
            .partial_cmp(&values[a])
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    order
}

/// The codes, weights and classes of a model, in arrays that agree.
pub(super) struct Classified<'a> {
    /// Images × concepts.
    pub codes: &'a Array,
    /// Concepts × classes.
    pub weights: &'a Array,
    /// The class that the model puts each image into.
    pub predicted: Vec<usize>,
    /// The true class of each image, when it is known.
    pub task: Option<Vec<usize>>,
}

/// The arrays that every measure of this folder has in common. They agree when the checks find nothing wrong: shapes,
/// and classes that there are not.
pub(super) fn gathered<'a>(inputs: &'a Inputs, checks: &mut Checks) -> Classified<'a> {
    let (codes, weights) = (inputs.needed(Need::Codes), inputs.needed(Need::Weights));
    let predictions = inputs.needed(Need::Predictions);
    checks.axes(codes, "codes", &[2], "samples × concepts");
    checks.axes(weights, "weights", &[2], "concepts × classes");
    checks.as_many(
        "rows",
        (weights.rows(), "weights"),
        (codes.columns(), "codes"),
    );
    let mut classes = |need: Need, array: &Array| {
        checks.axes(array, need.name(), &[1], "samples");
        checks.rows((array, need.name()), (codes, "codes"));
        checks.below(
            array,
            need.name(),
            weights.columns(),
            "the weights have as many classes",
        )
    };
    let predicted = classes(Need::Predictions, predictions);
    let task = inputs.get(Need::Task).map(|task| classes(Need::Task, task));
    Classified {
        codes,
        weights,
        predicted,
        task,
    }
}
