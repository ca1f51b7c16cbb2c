//! InfoMEC: modularity, compactness and explicitness by normalised mutual information (Hsu et al. 2023).

use crate::array::Array;
use crate::checks::{Checks, LabelColumn, labels};
use crate::information::neighbours::{Ascending, Digamma, with_labels};
use crate::information::plug_in::{entropy, information};
use crate::inputs::{Inputs, Need};
use crate::logistic::Design;
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings, Variant};
use crate::outcome::{Flag, Outcome, Table, all_defined, mean_of_defined, names};
use crate::parallel;
use crate::problem::Checked;
use crate::split::Split;

use super::mutual_information::{BINS, bin};
use explicitness::explicitness;

pub mod explicitness;

/// InfoMEC as a measure.
pub static INFOMEC: Measure = Measure {
    name: "infomec",
    title: "InfoMEC",
    tells: "Whether a latent says something of one source only (InfoM), whether one latent says all of a source (InfoC), and how well a straight cut tells the sources (InfoE).",
    source: "Hsu et al. 2023, arXiv 2305.18378",
    formula: "NMI_ij = I(s_i; z_j) / H(s_i) over latents whose range is at least 1/20 of the largest; InfoM = (mean_j max_i NMI_ij / Σ_i NMI_ij − 1/n_s) / (1 − 1/n_s); InfoC likewise over latents; InfoE = mean (H_null − H_pred) / H_null of an unpenalised, class-balanced logistic regression on held-out rows",
    needs: &[Need::Codes, Need::Labels],
    takes: &[],
    parameters: &[
        Parameter {
            name: "neighbours",
            says: "Neighbours that the estimator ksg looks at.",
            default: 10.0,
            range: (1.0, 1000.0),
            whole: true,
            source: "Hsu et al. 2023, released code",
        },
        Parameter {
            name: "bins",
            says: "Bins of each latent for the estimator histogram.",
            default: BINS as f64,
            range: (2.0, 1000.0),
            whole: true,
            source: "as for MIG",
        },
    ],
    variants: &[],
    estimators: &[
        Variant {
            name: "ksg",
            says: "Mutual information from nearest neighbours (Ross 2014), without noise on ties.",
        },
        Variant {
            name: "histogram",
            says: "Mutual information from equally wide bins of each latent.",
        },
    ],
    scores: &[
        Score {
            name: "infom",
            title: "InfoM",
            direction: Direction::Higher,
            range: (Some(0.0), Some(1.0)),
            chance: Chance::Depends(
                "far above 0 where no latent knows anything: the little that each seems to know is by chance of one source",
            ),
        },
        Score {
            name: "infoc",
            title: "InfoC",
            direction: Direction::Higher,
            range: (Some(0.0), Some(1.0)),
            chance: Chance::Depends("far above 0 where no latent knows anything, as for InfoM"),
        },
        Score {
            name: "infoe",
            title: "InfoE",
            direction: Direction::Higher,
            range: (None, Some(1.0)),
            chance: Chance::Depends("0, or below it where classes are not equally frequent"),
        },
    ],
    cost: "Rows × latents × sources and a sort of each latent; for InfoE rows × latents × values of all sources, about a hundred times.",
    not_for: "Sources that are not whole numbers, and InfoM or InfoC alone where InfoE is near 0.",
    seeded: true,
    compute: measured,
};

/// Share of the rows that InfoE is judged on. The reference judges on the rows that it fits to.
const TEST_SHARE: f64 = 0.2;
/// A latent counts when its range is at least this share of the largest one.
const ACTIVE: f64 = 1.0 / 20.0;

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, truth) = (inputs.needed(Need::Codes), inputs.needed(Need::Labels));
    let mut checks = Checks::of(settings);
    checks
        .flat(codes, "codes")
        .labels(truth, "labels")
        .rows((truth, "labels"), (codes, "codes"))
        .done()?;
    let split = Split::random(codes.rows(), TEST_SHARE, settings.seed);
    let problems = split.problems(codes.rows());
    if !problems.is_empty() {
        return Err(problems);
    }
    let latents = codes.by_column();
    let active = active(&latents);
    let nmi = normalised(&latents, truth, settings);
    drop(latents);
    let mut outcome = Outcome::new(&INFOMEC, settings, codes.rows());
    outcome.push("infom", concentration(&columns_of(&nmi, &active)));
    outcome.push("infoc", concentration(&rows_of(&nmi, &active)));
    let sources = truth.by_column();
    let design = Design::new(codes, &split.train);
    let told = |done: usize| settings.progress(done as f64 / sources.len() as f64);
    let explicit = parallel::map(sources.len(), settings.threads, told, |source| {
        explicitness(codes, &design, &sources[source], &split)
    });
    let values: Vec<Option<f64>> = explicit.iter().map(|of| of.value).collect();
    outcome.push("infoe", mean_of_defined(&values));
    for (source, found) in explicit.iter().enumerate() {
        outcome.push_of("infoe", Some(source.to_string()), found.value);
        if found.value.is_none() {
            let (array, column) = ("labels", source);
            outcome.flags.push(Flag::OneClass { array, column });
        }
        outcome
            .flags
            .extend((!found.settled).then(|| Flag::NotConverged {
                fit: format!(
                    "the regression on source {source}, whose values a straight cut may separate,"
                ),
            }));
    }
    let inactive = active.iter().enumerate().filter(|(_, active)| !**active);
    outcome
        .flags
        .extend(inactive.map(|(column, _)| Flag::Inactive {
            array: "codes",
            column,
        }));
    outcome.tables.push(Table {
        title: "Normalised mutual information",
        columns: names("latent", codes.columns()),
        row_names: names("source", truth.columns()),
        rows: all_defined(&nmi),
    });
    Ok(outcome)
}

/// Which latents are active: their range is above 1/20 of the largest. None is when no latent varies.
#[must_use]
pub fn active(latents: &[Vec<f64>]) -> Vec<bool> {
    let range = |column: &Vec<f64>| {
        let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let low = column.iter().copied().fold(f64::INFINITY, f64::min);
        high - low
    };
    let ranges: Vec<f64> = latents.iter().map(range).collect();
    let largest = ranges.iter().copied().fold(0.0, f64::max);
    ranges
        .iter()
        .map(|&range| range > largest * ACTIVE)
        .collect()
}

/// I(source; latent) / H(source): a row for each source, a column for each latent. 0 for a source that does not vary.
fn normalised(latents: &[Vec<f64>], sources: &Array, settings: &Settings) -> Vec<Vec<f64>> {
    let sources = labels(sources).columns;
    let entropies: Vec<f64> = sources
        .iter()
        .map(|source| entropy(&source.places, source.classes.len()))
        .collect();
    let neighbours = settings.parameter("neighbours") as usize;
    let bins = settings.parameter("bins") as usize;
    let digamma = Digamma::up_to(sources.first().map_or(0, |s| s.places.len()).max(1));
    let of_latents = parallel::map(
        latents.len(),
        settings.threads,
        |_| {},
        |latent| {
            let of = |source: &LabelColumn| information_of(source, &latents[latent], bins);
            if settings.estimator == "histogram" {
                return sources.iter().map(of).collect::<Vec<f64>>();
            }
            let ascending = Ascending::of(&latents[latent]);
            let of = |source| with_labels(&ascending, source, neighbours, &digamma);
            sources.iter().map(of).collect()
        },
    );
    (0..sources.len())
        .map(|source| {
            let share = |of: &Vec<f64>| {
                if entropies[source] > 0.0 {
                    of[source] / entropies[source]
                } else {
                    0.0
                }
            };
            of_latents.iter().map(share).collect()
        })
        .collect()
}

fn information_of(source: &LabelColumn, latent: &[f64], bins: usize) -> f64 {
    information(
        (&source.places, source.classes.len()),
        (&bin(latent, bins), bins),
    )
}

fn columns_of(nmi: &[Vec<f64>], active: &[bool]) -> Vec<Vec<f64>> {
    let latents = (0..active.len()).filter(|&latent| active[latent]);
    latents
        .map(|latent| nmi.iter().map(|row| row[latent]).collect())
        .collect()
}

fn rows_of(nmi: &[Vec<f64>], active: &[bool]) -> Vec<Vec<f64>> {
    let row = |row: &Vec<f64>| {
        let pairs = row.iter().zip(active).filter(|(_, active)| **active);
        pairs.map(|(value, _)| *value).collect()
    };
    nmi.iter().map(row).collect()
}

/// (mean of largest / sum − 1/n) / (1 − 1/n) over lists of n numbers. A list of zeros is left out; none when none is
/// left, or n is below 2.
fn concentration(lists: &[Vec<f64>]) -> Option<f64> {
    let n = lists.first()?.len() as f64;
    let share = |list: &Vec<f64>| {
        let sum: f64 = list.iter().sum();
        (sum > 0.0).then(|| list.iter().copied().fold(0.0, f64::max) / sum)
    };
    let shares: Vec<Option<f64>> = lists.iter().map(share).collect();
    let mean = mean_of_defined(&shares)?;
    (n > 1.0).then(|| (mean - 1.0 / n) / (1.0 - 1.0 / n))
}
