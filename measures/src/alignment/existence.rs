//! Concept existence metric (CEM): are the concepts that matter most in the image?

use super::order::{Importance, by_importance};
use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Score, Settings, Variant};
use crate::outcome::{Flag, Outcome};
use crate::problem::Checked;

/// For each image the share of the `first` most important concepts that are in it.
///
/// `codes` are images × concepts, `weights` concepts × classes, `labels` images × concepts with 0 for a concept that
/// is not there, `predicted` the class that the model puts each image into. With fewer concepts than `first` it is
/// the share of all. Panics when the arrays do not agree, or `first` is 0.
#[must_use]
pub fn existence(
    codes: &Array,
    weights: &Array,
    labels: &Array,
    predicted: &[usize],
    importance: Importance,
    first: &[usize],
) -> Vec<Vec<f64>> {
    assert!(first.iter().all(|&l| l > 0), "the first concept at least");
    (0..codes.rows())
        .map(|image| {
            let order = by_importance(codes, weights, image, predicted[image], importance);
            first
                .iter()
                .map(|&first| {
                    let most = &order[..first.min(order.len())];
                    let there = most.iter().filter(|&&c| labels.at(image, c)[0] != 0.0);
                    there.count() as f64 / most.len() as f64
                })
                .collect()
        })
        .collect()
}

/// How many concepts are looked at, as in the paper's table 1.
const FIRST: [usize; 3] = [1, 3, 5];

/// The concept existence metric as a measure.
pub static CEM: Measure = Measure {
    name: "cem",
    title: "Concept existence metric (CEM)",
    tells: "Whether the concepts that matter most for a prediction are in the image.",
    source: "Aysel et al., Concept-Based XAI: Metrics and Benchmarks, section 3.3; the average is reconstructed",
    formula: "mean over images of |first l concepts by importance ∩ concepts in the image| / l, for l = 1, 3, 5",
    needs: &[Need::Codes, Need::Weights, Need::Labels, Need::Predictions],
    takes: &[Need::Task],
    parameters: &[],
    variants: &[
        Variant {
            name: "contribution",
            says: "concepts ordered by θ û, what they add to the predicted class",
        },
        Variant {
            name: "code",
            says: "concepts ordered by û alone",
        },
        Variant {
            name: "weight",
            says: "concepts ordered by θ alone",
        },
    ],
    estimators: &[],
    scores: &[
        score("cem_1", "CEM, l = 1"),
        score("cem_3", "CEM, l = 3"),
        score("cem_5", "CEM, l = 5"),
        score("cem_1_correct", "CEM, l = 1, correct images"),
        score("cem_3_correct", "CEM, l = 3, correct images"),
        score("cem_5_correct", "CEM, l = 5, correct images"),
    ],
    cost: "Images × concepts × log concepts.",
    not_for: "Images whose concepts were not labelled one by one: labels of whole classes count what is hidden.",
    seeded: false,
    compute: measured,
};

const fn score(name: &'static str, title: &'static str) -> Score {
    Score {
        name,
        title,
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Depends("the share of concepts that are in an image"),
    }
}

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let mut checks = Checks::of(settings);
    let arrays = super::order::gathered(inputs, &mut checks);
    let labels = inputs.needed(Need::Labels);
    checks.axes(labels, "labels", &[2], "samples × concepts");
    checks.rows((labels, "labels"), (arrays.codes, "codes"));
    checks.columns((labels, "labels"), (arrays.codes, "codes"));
    checks.below(labels, "labels", 2, "a concept is there (1) or not (0)");
    checks.done()?;
    let each = existence(
        arrays.codes,
        arrays.weights,
        labels,
        &arrays.predicted,
        Importance::named(settings.variant),
        &FIRST,
    );
    let mut outcome = Outcome::new(&CEM, settings, each.len());
    for (place, first) in FIRST.into_iter().enumerate() {
        let all = each.iter().map(|image| image[place]);
        outcome.push(CEM.scores[place].name, mean(all));
        let there = arrays.codes.columns();
        if first > there {
            outcome.flags.push(Flag::Fewer {
                of: "concepts",
                asked: first,
                there,
            });
        }
    }
    let Some(task) = &arrays.task else {
        return Ok(outcome);
    };
    let correct = |image: &usize| task[*image] == arrays.predicted[*image];
    for place in 0..FIRST.len() {
        let score = CEM.scores[FIRST.len() + place].name;
        let of_correct = (0..each.len())
            .filter(correct)
            .map(|image| each[image][place]);
        let mean = mean(of_correct);
        outcome.push(score, mean);
        if mean.is_none() {
            outcome.undefined(score, "no image was classified correctly");
        }
    }
    Ok(outcome)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), v| (sum + v, count + 1));
    (count > 0).then(|| sum / count as f64)
}
