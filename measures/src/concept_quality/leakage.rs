//! Leakage: what predicted concepts say of the task and of each other beyond what true concepts say (Parisini et
//! al.).

use crate::array::Array;
use crate::checks::{Checks, LabelColumn, labels};
use crate::information::neighbours::{Ascending, Digamma, of_two, with_labels};
use crate::information::plug_in::{entropy, information, quantile_bins};
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings, Variant};
use crate::outcome::{Flag, Outcome, Table, constant, mean_of_defined, names};
use crate::parallel;
use crate::problem::Checked;

/// Leakage as a measure.
pub static LEAKAGE: Measure = Measure {
    name: "leakage",
    title: "Concept-task and inter-concept leakage (CTL, ICL)",
    tells: "How much more predicted concepts say of the task, and of each other, than true concepts do.",
    source: "Parisini et al., arXiv 2504.14094",
    formula: "CTL = mean_i max(0, I(ĉ_i; y) / H(y) − I(c_i; y) / H(y)); ICL = mean_{i ≠ j} max(0, I(ĉ_i; ĉ_j) / √(H(ĉ_i) H(ĉ_j)) − the same of c)",
    needs: &[Need::Codes, Need::Labels, Need::Task],
    takes: &[],
    parameters: &[
        Parameter {
            name: "bins",
            says: "Bins of each code between its quantiles; entropies of codes come from them with either estimator.",
            default: 4.0,
            range: (2.0, 1000.0),
            whole: true,
            source: "chosen: quartiles, few enough for a hundred rows",
        },
        Parameter {
            name: "neighbours",
            says: "Neighbours that the estimator ksg looks at.",
            default: 10.0,
            range: (1.0, 1000.0),
            whole: true,
            source: "as for InfoMEC",
        },
    ],
    variants: &[],
    estimators: &[
        Variant {
            name: "plug-in",
            says: "Counts in bins between quantiles of each code.",
        },
        Variant {
            name: "ksg",
            says: "Distances to nearest neighbours (Kraskov et al. 2004, Ross 2014) for what codes say; codes' entropies from bins, as a differential entropy may be below 0.",
        },
    ],
    scores: &[
        Score {
            name: "ctl",
            title: "CTL",
            direction: Direction::Lower,
            range: (Some(0.0), None),
            chance: Chance::Depends("near 0, and above it for few rows and many bins"),
        },
        Score {
            name: "icl",
            title: "ICL",
            direction: Direction::Lower,
            range: (Some(0.0), None),
            chance: Chance::Depends("near 0, and above it for few rows and many bins"),
        },
    ],
    cost: "Plug-in: rows × codes², and a sort of each code. ksg: about rows · log(rows) × codes².",
    not_for: "Predicted concepts that are worse than chance: what they fail to say hides what they leak. Numbers of different bins or estimators beside each other.",
    seeded: false,
    compute: measured,
};

/// Leakage of each concept and each pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Leakage {
    /// CTL of each concept; none when the task does not vary.
    pub task: Vec<Option<f64>>,
    /// ICL of each pair of concepts, symmetric; none on the diagonal and where a code does not vary.
    pub concepts: Vec<Vec<Option<f64>>>,
}

impl Leakage {
    /// The mean CTL over concepts.
    #[must_use]
    pub fn mean_task(&self) -> Option<f64> {
        mean_of_defined(&self.task)
    }

    /// The mean ICL over pairs.
    #[must_use]
    pub fn mean_concepts(&self) -> Option<f64> {
        let pairs: Vec<Option<f64>> = self.concepts.iter().flatten().copied().collect();
        mean_of_defined(&pairs)
    }
}

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, truth) = (inputs.needed(Need::Codes), inputs.needed(Need::Labels));
    let task = inputs.needed(Need::Task);
    let mut checks = Checks::of(settings);
    checks
        .flat(codes, "codes")
        .labels(truth, "labels")
        .labels(task, "task")
        .rows((truth, "labels"), (codes, "codes"))
        .rows((task, "task"), (codes, "codes"))
        .columns((truth, "labels"), (codes, "codes"));
    if task.columns() != 1 {
        checks.shape(task, "task", "one class for each row");
    }
    checks.done()?;
    let leakage = leakage(codes, truth, task, settings);
    let mut outcome = Outcome::new(&LEAKAGE, settings, codes.rows());
    outcome.push("ctl", leakage.mean_task());
    outcome.push("icl", leakage.mean_concepts());
    for (concept, value) in leakage.task.iter().enumerate() {
        outcome.push_of("ctl", Some(concept.to_string()), *value);
    }
    for (array, values) in [("codes", codes), ("labels", truth), ("task", task)] {
        outcome.flags.extend(constant(array, &values.by_column()));
    }
    if codes.columns() < 2 {
        outcome.flags.push(Flag::Undefined {
            of: "ICL".to_owned(),
            why: "there is a single concept",
        });
    }
    outcome.tables.push(Table {
        title: "ICL of pairs of concepts",
        columns: names("concept", codes.columns()),
        row_names: names("concept", codes.columns()),
        rows: leakage.concepts,
    });
    Ok(outcome)
}

/// A code, its rows in bins, and the entropy of these.
struct Code<'a> {
    values: &'a [f64],
    bins: Vec<u32>,
    entropy: f64,
}

/// Leakage of arrays that were checked.
fn leakage(codes: &Array, truth: &Array, task: &Array, settings: &Settings) -> Leakage {
    let bins = settings.parameter("bins") as usize;
    let columns = codes.by_column();
    let codes = parallel::map(
        columns.len(),
        settings.threads,
        |_| {},
        |code| {
            let binned = quantile_bins(&columns[code], bins);
            Code {
                values: &columns[code],
                entropy: entropy(&binned, bins),
                bins: binned,
            }
        },
    );
    let concepts = labels(truth).columns;
    let task = LabelColumn::of(&task.column(0));
    let estimate = Estimate {
        bins,
        neighbours: (settings.estimator == "ksg")
            .then(|| settings.parameter("neighbours") as usize),
        digamma: Digamma::up_to(task.places.len()),
    };
    let of_task = entropy(&task.places, task.classes.len());
    let ctl = parallel::map(
        codes.len(),
        settings.threads,
        |_| {},
        |i| {
            let said = estimate.of_labels(&codes[i], &task) - of_labels(&concepts[i], &task);
            (of_task > 0.0).then(|| (said / of_task).max(0.0))
        },
    );
    let entropy_of = |concept: &LabelColumn| entropy(&concept.places, concept.classes.len());
    let concept_entropies: Vec<f64> = concepts.iter().map(entropy_of).collect();
    let k = codes.len();
    let told = |done: usize| settings.progress(done as f64 / (k * k) as f64);
    let upper = parallel::map(k * k, settings.threads, told, |pair| {
        let (i, j) = (pair / k, pair % k);
        if i >= j {
            return None;
        }
        let entropies = concept_entropies[i] * concept_entropies[j];
        let of_truth = shared(of_labels(&concepts[i], &concepts[j]), entropies)?;
        let entropies = codes[i].entropy * codes[j].entropy;
        let of_codes = shared(estimate.of_codes(&codes[i], &codes[j]), entropies)?;
        Some((of_codes - of_truth).max(0.0))
    });
    let entry = |i: usize, j: usize| upper[i.min(j) * k + i.max(j)];
    Leakage {
        task: ctl,
        concepts: (0..k)
            .map(|i| (0..k).map(|j| entry(i, j)).collect())
            .collect(),
    }
}

/// Information as a share of the geometric mean of two entropies, whose product is given; none when one is 0.
fn shared(information: f64, entropies: f64) -> Option<f64> {
    (entropies > 0.0).then(|| information / entropies.sqrt())
}

fn of_labels(a: &LabelColumn, b: &LabelColumn) -> f64 {
    information((&a.places, a.classes.len()), (&b.places, b.classes.len()))
}

/// How information of codes is estimated.
struct Estimate {
    bins: usize,
    /// Neighbours; none for counts.
    neighbours: Option<usize>,
    digamma: Digamma,
}

impl Estimate {
    fn of_labels(&self, code: &Code, labels: &LabelColumn) -> f64 {
        match self.neighbours {
            Some(k) => with_labels(&Ascending::of(code.values), labels, k, &self.digamma),
            None => information(
                (&code.bins, self.bins),
                (&labels.places, labels.classes.len()),
            ),
        }
    }

    fn of_codes(&self, a: &Code, b: &Code) -> f64 {
        match self.neighbours {
            Some(k) => of_two(a.values, b.values, k, &self.digamma),
            None => information((&a.bins, self.bins), (&b.bins, self.bins)),
        }
    }
}
