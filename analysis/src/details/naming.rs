//! Names that people gave to concepts: how many they named, how well they agree, and how much one concept
//! is called like another (supplement of BotCL, section 4.2).

mod gathered;
mod results;

use domain::study::{AnalysisPlan, NamingMeasure};
use measures::discovered::naming::agreement::term_agreement;
use measures::discovered::naming::answers::Answers;
use measures::discovered::naming::consistency::Reading;
use measures::discovered::naming::interval::{jackknife_over_people, over_people};
use measures::discovered::naming::similarity::Estimator;
use measures::statistics::rank::{kruskal_wallis, mann_whitney};
use measures::statistics::{Interval, Undefined};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use crate::computed::Computed;
use crate::extent::Extent;
use crate::person::Person;
pub(crate) use gathered::{Bundle, Gathered};
pub use results::{
    ConceptNames, NamingDifference, NamingOmnibus, NamingResults, NamingRow, NamingScore,
    TermAgreement, TermCounts,
};

/// How often intervals cover the true value.
const LEVEL: f64 = 0.95;
/// Samples of people that a bootstrap interval is made from.
const REPLICATES: usize = 2_000;

/// The values of a measure over a bundle: one for each concept, or for each pair of concepts (MIC).
fn values_of(
    measure: NamingMeasure,
    gathered: &Gathered,
    bundle: &Bundle,
    answers: &Answers,
) -> Vec<Option<f64>> {
    match measure {
        NamingMeasure::Cdr => gathered.discovery(bundle, answers),
        NamingMeasure::Cc => gathered.consistency(bundle, answers, Reading::BothName),
        NamingMeasure::Mic => gathered.similarity(bundle, answers, Estimator::Overlap),
    }
}

/// Smallest and largest value that a measure can have.
fn range(measure: NamingMeasure) -> (f64, f64) {
    match measure {
        NamingMeasure::Cdr | NamingMeasure::Cc => (0.0, 1.0),
        NamingMeasure::Mic => Estimator::Overlap.range(),
    }
}

/// The names that some people gave to concepts, by vocabulary; nothing where no concept was named.
pub(crate) fn naming(
    people: &[(usize, &Person)],
    plan: Option<&AnalysisPlan>,
    extent: Extent,
) -> Vec<NamingResults> {
    let all = Gathered::of(people);
    all.iter()
        .map(|gathered| results(gathered, plan, extent))
        .collect()
}

fn results(gathered: &Gathered, plan: Option<&AnalysisPlan>, extent: Extent) -> NamingResults {
    let sampling = extent.intervals.then(|| Sampling {
        seed: plan.map_or(1, |plan| plan.seed),
        replicates: REPLICATES,
        level: LEVEL,
    });
    let bundles = gathered.bundles();
    let rows = bundles.iter().filter_map(|it| row(gathered, it, sampling));
    let pairs = bundles.iter().enumerate();
    let pairs = pairs.flat_map(|(at, first)| bundles[at + 1..].iter().map(move |it| (first, it)));
    let differences = pairs.flat_map(|(first, second)| {
        let measures = NamingMeasure::ALL.into_iter();
        measures.filter_map(move |it| difference(gathered, [first, second], it, sampling))
    });
    NamingResults {
        vocabulary: gathered.vocabulary().to_owned(),
        combined: gathered.is_combined(),
        bundles: rows.collect(),
        differences: differences.collect(),
        omnibus: omnibus(gathered, &bundles),
    }
}

/// How intervals are made.
#[derive(Clone, Copy)]
pub(crate) struct Sampling {
    pub seed: u64,
    pub replicates: usize,
    pub level: f64,
}

impl Sampling {
    /// The same samples of people for every number, whatever else is worked out.
    fn interval(
        self,
        answers: &Answers,
        statistic: impl Fn(&Answers) -> Option<f64>,
    ) -> Computed<Interval> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        over_people(answers, statistic, self.replicates, self.level, &mut rng).into()
    }

    /// The interval of a mean of a measure that lies in `range`. MIC's is a jackknife's: samples of people with
    /// replacement are biased in it (decision 68).
    fn of_measure(
        self,
        (measure, range): (NamingMeasure, (f64, f64)),
        answers: &Answers,
        statistic: impl Fn(&Answers) -> Option<f64>,
    ) -> Computed<Interval> {
        match measure {
            NamingMeasure::Mic => {
                jackknife_over_people(answers, statistic, range, self.level).into()
            }
            NamingMeasure::Cdr | NamingMeasure::Cc => self.interval(answers, statistic),
        }
    }
}

fn row(gathered: &Gathered, bundle: &Bundle, sampling: Option<Sampling>) -> Option<NamingRow> {
    let (own, answers) = gathered.who_saw(&[bundle])?;
    let mean_of = |values: Vec<Option<f64>>| mean(&defined(values));
    let score = |measure: NamingMeasure| {
        let values = defined(values_of(measure, &own, bundle, &answers));
        NamingScore {
            measure,
            mean: mean(&values),
            sd: deviation(&values),
            interval: sampling.map(|sampling| {
                let statistic = |drawn: &Answers| mean_of(values_of(measure, &own, bundle, drawn));
                sampling.of_measure((measure, range(measure)), &answers, statistic)
            }),
        }
    };
    let agreement = own.groups().iter().enumerate().map(|(group, known)| {
        let alpha = |answers: &Answers| match own.of_bundle(bundle, answers) {
            Some(of_bundle) => term_agreement(&of_bundle, group),
            None => Err(Undefined::Constant),
        };
        TermAgreement {
            group: known.group.clone(),
            alpha: alpha(&answers).into(),
            interval: sampling.map(|it| it.interval(&answers, |drawn| alpha(drawn).ok())),
        }
    });
    Some(NamingRow {
        bundle: bundle.name.clone(),
        kind: bundle.kind,
        people: answers.people(),
        scores: NamingMeasure::ALL.map(score).into(),
        cc_literal: mean_of(own.consistency(bundle, &answers, Reading::Literal)),
        cc_both_none: mean_of(own.consistency(bundle, &answers, Reading::BothNone)),
        mic_concept_and_term: mean_of(own.similarity(bundle, &answers, Estimator::ConceptAndTerm)),
        mic_counts: mean_of(own.similarity(bundle, &answers, Estimator::Counts)),
        agreement: agreement.collect(),
        concepts: own.names(bundle, &answers),
    })
}

pub(crate) fn difference(
    gathered: &Gathered,
    bundles: [&Bundle; 2],
    measure: NamingMeasure,
    sampling: Option<Sampling>,
) -> Option<NamingDifference> {
    let (own, answers) = gathered.who_saw(&bundles)?;
    let difference = |answers: &Answers| {
        let [first, second] =
            bundles.map(|bundle| mean(&defined(values_of(measure, &own, bundle, answers))));
        Some(first? - second?)
    };
    let [first, second] = bundles.map(|bundle| defined(values_of(measure, &own, bundle, &answers)));
    let (low, high) = range(measure);
    let range = (low - high, high - low);
    Some(NamingDifference {
        measure,
        planned: false,
        bundles: bundles.map(|bundle| bundle.name.clone()),
        difference: difference(&answers),
        interval: sampling.map(|it| it.of_measure((measure, range), &answers, difference)),
        ranks: (measure != NamingMeasure::Mic).then(|| mann_whitney(&first, &second).into()),
        p_corrected: None,
    })
}

fn omnibus(gathered: &Gathered, bundles: &[Bundle]) -> Vec<NamingOmnibus> {
    if bundles.len() < 2 {
        return Vec::new();
    }
    let test = |measure: NamingMeasure| {
        let of_bundle = |bundle: &Bundle| {
            let (own, answers) = gathered.who_saw(&[bundle])?;
            Some(defined(values_of(measure, &own, bundle, &answers)))
        };
        let groups: Vec<Vec<f64>> = bundles.iter().filter_map(of_bundle).collect();
        NamingOmnibus {
            measure,
            ranks: kruskal_wallis(&groups).into(),
        }
    };
    [NamingMeasure::Cdr, NamingMeasure::Cc].map(test).into()
}

fn defined(values: Vec<Option<f64>>) -> Vec<f64> {
    values.into_iter().flatten().collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// With divisor n − 1.
fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}
