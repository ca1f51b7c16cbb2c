//! Concept global importance metric (CGIM): do a concept's weights and activations follow what is true of classes?

use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Score, Settings, Variant};
use crate::outcome::Outcome;
use crate::problem::Checked;

/// How alike two vectors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Similarity {
    /// Σ a b / (‖a‖ ‖b‖).
    Cosine,
    /// The cosine of the vectors with their means taken away.
    Pearson,
}

impl Similarity {
    /// The similarity of two vectors, −1 to 1; none when one of them has norm 0, or is constant for Pearson.
    #[must_use]
    pub fn of(self, a: &[f64], b: &[f64]) -> Option<f64> {
        let moved = |v: &[f64]| -> Vec<f64> {
            match self {
                Self::Cosine => v.to_vec(),
                Self::Pearson => {
                    let mean = v.iter().sum::<f64>() / v.len() as f64;
                    // A constant vector must not keep what rounding leaves of it.
                    let constant = v.iter().all(|value| *value == v[0]);
                    let less = |value: &f64| if constant { 0.0 } else { value - mean };
                    v.iter().map(less).collect()
                }
            }
        };
        let (a, b) = (moved(a), moved(b));
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let norms = product(&a, &a).sqrt() * product(&b, &b).sqrt();
        (norms > 0.0).then(|| product(&a, &b) / norms)
    }
}

/// One vector for each class, with an entry for each concept; none for a class without images.
pub type ClassMeans = Vec<Option<Vec<f64>>>;

/// The mean of each column over the images of each class. `values` are images × concepts, `class` the class of
/// each image that counts and none for one that does not, `classes` how many classes there are.
#[must_use]
pub fn class_means(values: &Array, class: &[Option<usize>], classes: usize) -> ClassMeans {
    let mut sums = vec![vec![0.0; values.columns()]; classes];
    let mut counts = vec![0_usize; classes];
    for (image, class) in class.iter().enumerate() {
        if let Some(class) = *class {
            counts[class] += 1;
            for (sum, value) in sums[class].iter_mut().zip(values.row(image)) {
                *sum += value;
            }
        }
    }
    let mean = |(sums, count): (Vec<f64>, usize)| {
        (count > 0).then(|| sums.iter().map(|sum| sum / count as f64).collect())
    };
    sums.into_iter().zip(counts).map(mean).collect()
}

/// One of the three metrics, of each concept and of each class.
#[derive(Debug, Clone, PartialEq)]
pub struct Alignment {
    /// The similarity of each concept's entries over classes; none where it is not defined.
    pub per_concept: Vec<Option<f64>>,
    /// The similarity of each class's entries over concepts; none where it is not defined.
    pub per_class: Vec<Option<f64>>,
}

/// CGIM 1 to 3: the similarity of V with θ, with U*, and with θ ⊙ U*.
///
/// `truth` V is the mean of the labels over the images of each class, `seen` U* the mean of the codes over the
/// correctly classified images of each class, `weights` θ are concepts × classes. A class without V or U* has no
/// similarity, and concepts are compared over the classes that have both. Panics when the arrays do not agree.
#[must_use]
pub fn alignments(
    weights: &Array,
    truth: &ClassMeans,
    seen: &ClassMeans,
    similarity: Similarity,
) -> [Alignment; 3] {
    let theta: ClassMeans = (0..weights.columns())
        .map(|k| Some(weights.column(k)))
        .collect();
    let both: ClassMeans = theta
        .iter()
        .zip(seen)
        .map(|(theta, seen)| {
            let (theta, seen) = (theta.as_ref()?, seen.as_ref()?);
            Some(theta.iter().zip(seen).map(|(t, u)| t * u).collect())
        })
        .collect();
    [&theta, seen, &both].map(|against| {
        let pairs: Vec<Option<(&Vec<f64>, &Vec<f64>)>> = against
            .iter()
            .zip(truth)
            .map(|(a, v)| Some((a.as_ref()?, v.as_ref()?)))
            .collect();
        let of_concept = |concept: usize| {
            let there = pairs.iter().flatten();
            let entries = there.map(|(a, v)| (a[concept], v[concept]));
            let (a, v): (Vec<f64>, Vec<f64>) = entries.unzip();
            similarity.of(&a, &v)
        };
        Alignment {
            per_concept: (0..weights.rows()).map(of_concept).collect(),
            per_class: pairs
                .iter()
                .map(|pair| pair.and_then(|(a, v)| similarity.of(a, v)))
                .collect(),
        }
    })
}

/// The concept global importance metric as a measure.
pub static CGIM: Measure = Measure {
    name: "cgim",
    title: "Concept global importance metric (CGIM 1–3)",
    tells: "Whether weights and activations of concepts follow what is true of the classes.",
    source: "Aysel et al., Concept-Based XAI: Metrics and Benchmarks, section 3.2; the equations are reconstructed",
    formula: "V = mean label of each class, U* = mean code of its correct images; CGIM1 = sim(θ, V), CGIM2 = sim(U*, \
              V), CGIM3 = sim(θ ⊙ U*, V), for each concept over classes and for each class over concepts; means",
    needs: &[
        Need::Codes,
        Need::Weights,
        Need::Labels,
        Need::Predictions,
        Need::Task,
    ],
    takes: &[],
    parameters: &[],
    variants: &[
        Variant {
            name: "cosine",
            says: "sim is the cosine",
        },
        Variant {
            name: "pearson",
            says: "sim is Pearson's correlation",
        },
    ],
    estimators: &[],
    scores: &[
        score("cgim1_concepts", "CGIM1, mean over concepts"),
        score("cgim2_concepts", "CGIM2, mean over concepts"),
        score("cgim3_concepts", "CGIM3, mean over concepts"),
        score("cgim1_classes", "CGIM1, mean over classes"),
        score("cgim2_classes", "CGIM2, mean over classes"),
        score("cgim3_classes", "CGIM3, mean over classes"),
    ],
    cost: "Images × concepts, and concepts × classes.",
    not_for: "Few classes: over two of them Pearson's correlation is 1 or −1. A mean hides what the paper shows as \
              histograms.",
    seeded: false,
    compute: measured,
};

const fn score(name: &'static str, title: &'static str) -> Score {
    Score {
        name,
        title,
        direction: Direction::Higher,
        range: (Some(-1.0), Some(1.0)),
        chance: Chance::Depends(
            "0 with `pearson`; above 0 with `cosine` where no number is below 0",
        ),
    }
}

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let mut checks = Checks::of(settings);
    let arrays = super::order::gathered(inputs, &mut checks);
    let labels = inputs.needed(Need::Labels);
    checks.axes(labels, "labels", &[2], "samples × concepts");
    checks.rows((labels, "labels"), (arrays.codes, "codes"));
    checks.columns((labels, "labels"), (arrays.codes, "codes"));
    checks.done()?;
    let task = arrays.task.as_deref().unwrap_or_default();
    let all: Vec<Option<usize>> = task.iter().copied().map(Some).collect();
    let correct = |(&class, &said): (&usize, &usize)| (class == said).then_some(class);
    let correct: Vec<Option<usize>> = task.iter().zip(&arrays.predicted).map(correct).collect();
    let classes = arrays.weights.columns();
    let truth = class_means(labels, &all, classes);
    let seen = class_means(arrays.codes, &correct, classes);
    let similarity = match settings.variant {
        "pearson" => Similarity::Pearson,
        _ => Similarity::Cosine,
    };
    let mut outcome = Outcome::new(&CGIM, settings, labels.rows());
    for (place, one) in alignments(arrays.weights, &truth, &seen, similarity)
        .iter()
        .enumerate()
    {
        push(
            &mut outcome,
            CGIM.scores[place].name,
            "concept",
            &one.per_concept,
        );
        push(
            &mut outcome,
            CGIM.scores[place + 3].name,
            "class",
            &one.per_class,
        );
    }
    let without = seen.iter().filter(|mean| mean.is_none()).count();
    let why = "no image of them was classified correctly";
    outcome.left_out("cgim2_concepts", without, "classes", why);
    outcome.left_out("cgim3_concepts", without, "classes", why);
    let empty = truth.iter().filter(|mean| mean.is_none()).count();
    outcome.left_out(
        "cgim1_concepts",
        empty,
        "classes",
        "there is no image of them",
    );
    Ok(outcome)
}

fn push(outcome: &mut Outcome, score: &'static str, of: &'static str, values: &[Option<f64>]) {
    outcome.push_mean(
        score,
        values,
        "values",
        "a vector has norm 0, or there is no image",
    );
    for (place, value) in values.iter().enumerate() {
        outcome.push_of(score, Some(format!("{of} {place}")), *value);
    }
}
