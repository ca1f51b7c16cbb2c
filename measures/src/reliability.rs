//! How far a measure can be relied on: what its numbers do when nothing should change them, when there is nothing to
//! find, and when what there is to find is known (arXiv 2605.18229, 2602.14111).

mod floors;
mod mixing;

use crate::array::Array;
use crate::inputs::{Inputs, Need};
use crate::measure::{Direction, Measure, Request, Score};
use crate::outcome::Outcome;
use crate::problem::Checked;
use crate::random::Random;
use serde::Serialize;
use std::cell::Cell;

/// The stream of random numbers that rows and permutations are drawn from.
const STREAM: u64 = 4;
/// 1.96 √2: two numbers with this many standard deviations between them differ at 95 % (the repeatability limit of
/// ISO 5725).
const LIMIT: f64 = 2.771_807_648_699_8;

/// A measure's card, made on some data.
#[derive(Debug, Clone, Serialize)]
pub struct Card {
    /// The measure's name.
    pub measure: &'static str,
    /// Rows of the data.
    pub rows: usize,
    /// How often each thing was done.
    pub repeats: usize,
    /// What was found for each score.
    pub scores: Vec<ScoreCard>,
}

/// What was found for one score of a measure. A number is none where it is not defined, or the measure does not read
/// what it would be made from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreCard {
    /// The score's name.
    pub score: &'static str,
    /// Its mean over reseeds.
    pub value: Option<f64>,
    /// Standard deviation over reseeds on the same arrays. 0 for a measure that no seed changes.
    pub reseed_sd: Option<f64>,
    /// Standard deviation over random halves of the samples, or of the people: about the standard error that other
    /// ones would give (the delete-half jackknife). The seed stays.
    pub resample_sd: Option<f64>,
    /// Mean where what is true (labels, task, the factor changed, the outputs to be explained) is permuted over rows.
    pub floor_permuted: Option<f64>,
    /// Mean where codes are normal numbers with the spectrum of the codes' covariance, in a random direction.
    pub floor_random: Option<f64>,
    /// Spearman's correlation of how little is mixed with how good the score says the mixtures are: 1 for a measure
    /// that puts them into the right order. True factors (the labels, whether the measure reads them or not) are mixed
    /// in the codes; where a measure reads importances, these are mixed with those of other concepts.
    pub mixing_correlation: Option<f64>,
    /// The score at each degree of mixing, from none to all.
    pub mixing_curve: Vec<Option<f64>>,
    /// The smallest difference between two models that means anything: 1.96 √2 √(reseed² + resample²).
    pub smallest_difference: Option<f64>,
}

/// How a card is made.
#[derive(Clone)]
pub struct CardRequest<'a> {
    /// What the measure is asked to do. Its seed is the first of those used.
    pub request: Request<'a>,
    /// How often each thing is done, at least 2.
    pub repeats: usize,
}

/// The smallest difference of each score between two models that means anything, in the order of the measure's scores:
/// what [`card`] calls so, without the rest of a card, in about a third of its time. None for a score that is not defined
/// on the arrays, or on a half of them.
///
/// # Errors
/// As [`card`].
pub fn smallest_differences(
    measure: &'static Measure,
    inputs: &Inputs,
    asked: &CardRequest,
) -> Checked<Vec<Option<f64>>> {
    let maker = Maker::of(measure, asked);
    let whole = maker.run(inputs, 0)?;
    let (reseeded, halves) = maker.spread(inputs, &whole);
    let places = 0..measure.scores.len();
    Ok(places
        .map(|place| {
            smallest(
                deviation(&of(&reseeded, place)),
                deviation(&of(&halves, place)),
            )
        })
        .collect())
}

/// 1.96 √2 √(reseed² + resample²); none where one of the two is not known.
fn smallest(reseed_sd: Option<f64>, resample_sd: Option<f64>) -> Option<f64> {
    let both = reseed_sd.zip(resample_sd);
    both.map(|(a, b)| LIMIT * (a * a + b * b).sqrt())
}

/// Makes the card of a measure on some data.
///
/// # Errors
/// Everything that keeps the measure from being computed on the data as they are. Where only a floor or a mixture
/// cannot be computed, its number is none.
pub fn card(measure: &'static Measure, inputs: &Inputs, asked: &CardRequest) -> Checked<Card> {
    let maker = Maker::of(measure, asked);
    let whole = maker.run(inputs, 0)?;
    let (reseeded, halves) = maker.spread(inputs, &whole);
    let permuted = maker.repeated(|seed| floors::permuted(measure, inputs, seed), true);
    let random = maker.repeated(|seed| floors::random_codes(measure, inputs, seed), true);
    let first = asked.request.seed;
    let mixed: Vec<Scores> = (0..mixing::DEGREES)
        .map(|degree| maker.scores(mixing::mixed(measure, inputs, degree, first), 0))
        .collect();
    let score = |(place, score): (usize, &Score)| {
        let reseed_sd = deviation(&of(&reseeded, place));
        let resample_sd = deviation(&of(&halves, place));
        let curve = of(&mixed, place);
        ScoreCard {
            score: score.name,
            value: mean(&of(&reseeded, place)),
            reseed_sd,
            resample_sd,
            floor_permuted: mean(&of(&permuted, place)),
            floor_random: mean(&of(&random, place)),
            mixing_correlation: mixing::correlation(&curve, score.direction == Direction::Higher),
            mixing_curve: curve,
            smallest_difference: smallest(reseed_sd, resample_sd),
        }
    };
    Ok(Card {
        measure: measure.name,
        rows: whole.rows,
        repeats: maker.repeats,
        scores: measure.scores.iter().enumerate().map(score).collect(),
    })
}

/// The numbers of all scores of one run; none when it could not be computed.
type Scores = Option<Vec<Option<f64>>>;

/// One score of several runs.
fn of(runs: &[Scores], place: usize) -> Vec<Option<f64>> {
    let value = |run: &Scores| run.as_ref().and_then(|scores| scores[place]);
    runs.iter().map(value).collect()
}

/// What the parts of a card are made with.
struct Maker<'a> {
    measure: &'static Measure,
    request: &'a Request<'a>,
    repeats: usize,
    /// Runs so far.
    done: Cell<usize>,
}

impl<'a> Maker<'a> {
    fn of(measure: &'static Measure, asked: &'a CardRequest<'a>) -> Self {
        Self {
            measure,
            request: &asked.request,
            repeats: asked.repeats.max(2),
            done: Cell::new(0),
        }
    }

    /// Runs the measure with the seed that is so many after the first.
    fn run(&self, inputs: &Inputs, after: u64) -> Checked<Outcome> {
        let request = Request {
            seed: self.request.seed.wrapping_add(after),
            progress: None,
            ..self.request.clone()
        };
        self.measure.run(inputs, &request)
    }

    fn scores(&self, inputs: Option<Inputs>, after: u64) -> Scores {
        let outcome = inputs.and_then(|inputs| self.run(&inputs, after).ok());
        self.done.set(self.done.get() + 1);
        if let Some(told) = self.request.progress {
            told(self.done.get() as f64 / (4 * self.repeats + mixing::DEGREES) as f64);
        }
        let values = |outcome: &Outcome| {
            let scores = self.measure.scores.iter();
            scores.map(|score| outcome.value(score.name)).collect()
        };
        outcome.as_ref().map(values)
    }

    /// Scores of the same arrays with one seed after the other, and of random halves of them with the first seed.
    fn spread(&self, inputs: &Inputs, whole: &Outcome) -> (Vec<Scores>, Vec<Scores>) {
        let reseeded = if self.measure.seeded {
            self.repeated(|_| Some(inputs.clone()), true)
        } else {
            let scores = self.measure.scores.iter();
            let values = scores.map(|score| whole.value(score.name)).collect();
            vec![Some(values); self.repeats]
        };
        let halves = self.repeated(|seed| half(self.measure, inputs, seed), false);
        (reseeded, halves)
    }

    /// Scores of inputs that are made from one seed after the other; the measure is reseeded, too, or not.
    fn repeated<'i>(&self, made: impl Fn(u64) -> Option<Inputs<'i>>, reseed: bool) -> Vec<Scores> {
        let scores = |after: u64| {
            let seed = self.request.seed.wrapping_add(after);
            self.scores(made(seed), if reseed { after } else { 0 })
        };
        (0..self.repeats as u64).map(scores).collect()
    }
}

/// Arrays with a row for each sample.
const SAMPLES: [Need; 13] = [
    Need::Codes,
    Need::Labels,
    Need::Task,
    Need::Embeddings,
    Need::ChangedCodes,
    Need::ChangedFactor,
    Need::Predictions,
    Need::Outputs,
    Need::Surrogate,
    Need::Maps,
    Need::Masks,
    Need::Centres,
    Need::Images,
];

/// A random half of the samples that a measure reads, or of the people where it reads answers; none with fewer than
/// four, and where arrays do not agree in how many there are.
fn half<'a>(measure: &Measure, inputs: &Inputs<'a>, seed: u64) -> Option<Inputs<'a>> {
    let with_rows = |need: &Need| SAMPLES.contains(need) || *need == Need::Answers;
    let read: Vec<Need> = reads(measure).filter(with_rows).collect();
    let arrays: Vec<(Need, &Array)> = read
        .iter()
        .filter_map(|&need| Some((need, inputs.get(need)?)))
        .collect();
    let rows = arrays.first()?.1.rows();
    if rows < 4 || arrays.iter().any(|(_, array)| array.rows() != rows) {
        return None;
    }
    let mut order = Random::new(seed, STREAM).permutation(rows);
    order.truncate(rows / 2);
    order.sort_unstable();
    let mut halved = inputs.clone();
    for (need, array) in arrays {
        halved = halved.with(need, array.pick(&order));
    }
    Some(halved)
}

/// Everything that a measure needs or takes.
fn reads(measure: &Measure) -> impl Iterator<Item = Need> + use<> {
    let (needs, takes) = (measure.needs, measure.takes);
    needs.iter().chain(takes).copied()
}

/// The mean; none when a number is missing.
fn mean(values: &[Option<f64>]) -> Option<f64> {
    let values: Vec<f64> = values.iter().copied().collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The standard deviation of a sample (n − 1); none when a number is missing, or there are fewer than two.
fn deviation(values: &[Option<f64>]) -> Option<f64> {
    let values: Vec<f64> = values.iter().copied().collect::<Option<_>>()?;
    if values.len() < 2 {
        return None;
    }
    // Less the first, so that equal numbers have exactly 0.
    let first = values[0];
    let n = values.len() as f64;
    let mean = values.iter().map(|v| v - first).sum::<f64>() / n;
    let squares = values
        .iter()
        .map(|v| (v - first - mean) * (v - first - mean));
    Some((squares.sum::<f64>() / (n - 1.0)).sqrt())
}
