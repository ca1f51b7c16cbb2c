//! Names that people gave to concepts: how many they named, how well they agree, and how much one concept
//! is called like another (supplement of BotCL, section 4.2).

mod gathered;

use domain::concepts::ConceptKind;
use domain::study::AnalysisPlan;
use measures::discovered::naming::agreement::term_agreement;
use measures::discovered::naming::answers::Answers;
use measures::discovered::naming::consistency::Reading;
use measures::discovered::naming::interval::over_people;
use measures::discovered::naming::similarity::Estimator;
use measures::statistics::rank::{MannWhitney, RankAnova, kruskal_wallis, mann_whitney};
use measures::statistics::{Interval, Undefined};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::computed::Computed;
use crate::extent::Extent;
use crate::person::Person;
use gathered::{Bundle, Gathered};

/// How often intervals cover the true value.
const LEVEL: f64 = 0.95;
/// Samples of people that an interval is made from, where the plan says no number.
const REPLICATES: usize = 2_000;

/// Names of the concepts of one vocabulary.
#[derive(Debug, Clone, Serialize)]
pub struct NamingResults {
    /// Name of the vocabulary.
    pub vocabulary: String,
    /// Whether all groups of terms were made into one of all combinations.
    pub combined: bool,
    /// Each bundle of concepts: learnt, manual, random.
    pub bundles: Vec<NamingRow>,
    /// Every two bundles.
    pub differences: Vec<NamingDifference>,
    /// Whether bundles differ at all, over their concepts; none for fewer than two bundles.
    pub omnibus: Vec<NamingOmnibus>,
}

/// What concepts are named by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NamingMeasure {
    /// Concept discovery rate: share of people who named the concept.
    Cdr,
    /// Concept consistency: pairs of people who gave the same name, discounted by those who gave none.
    Cc,
    /// Mutual information between concepts: how alike two concepts' names are.
    Mic,
}

impl NamingMeasure {
    /// All of them, in the paper's order.
    pub const ALL: [Self; 3] = [Self::Cdr, Self::Cc, Self::Mic];

    /// What a reader reads.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Cdr => "CDR",
            Self::Cc => "CC",
            Self::Mic => "MIC",
        }
    }

    /// Its values over a bundle: one for each concept, or for each pair of concepts (MIC).
    fn values(self, gathered: &Gathered, bundle: &Bundle, answers: &Answers) -> Vec<Option<f64>> {
        match self {
            Self::Cdr => gathered.discovery(bundle, answers),
            Self::Cc => gathered.consistency(bundle, answers, Reading::BothName),
            Self::Mic => gathered.similarity(bundle, answers, Estimator::Overlap),
        }
    }
}

/// The names of one bundle's concepts.
#[derive(Debug, Clone, Serialize)]
pub struct NamingRow {
    /// Name of the bundle.
    pub bundle: String,
    /// Where its concepts come from.
    pub kind: ConceptKind,
    /// People who gave a final answer about one of its concepts.
    pub people: usize,
    /// CDR, CC by the default reading and MIC by the default estimator.
    pub scores: Vec<NamingScore>,
    /// Mean CC as the paper prints it: None = None agrees, and pairs that both named are discounted.
    pub cc_literal: Option<f64>,
    /// Mean CC where None = None agrees and pairs that both gave none are discounted.
    pub cc_both_none: Option<f64>,
    /// Mean over pairs of concepts of the mutual information, in nats, of the concept shown and the term.
    pub mic_concept_and_term: Option<f64>,
    /// Mean over pairs of concepts of the mutual information, in nats, of their counts as paired labels.
    pub mic_counts: Option<f64>,
    /// Krippendorff's α of the terms of each group.
    pub agreement: Vec<TermAgreement>,
    /// Its concepts.
    pub concepts: Vec<ConceptNames>,
}

/// One measure of one bundle.
#[derive(Debug, Clone, Serialize)]
pub struct NamingScore {
    /// The measure.
    pub measure: NamingMeasure,
    /// Mean over concepts, or over pairs of them; `None` where none has a value.
    pub mean: Option<f64>,
    /// Standard deviation over the same, divisor n − 1; `None` below two.
    pub sd: Option<f64>,
    /// 95 % BCa bootstrap interval of the mean over people; absent where it was not asked for.
    pub interval: Option<Computed<Interval>>,
}

/// How far people agree on the terms of a group beyond chance.
#[derive(Debug, Clone, Serialize)]
pub struct TermAgreement {
    /// Name of the group.
    pub group: String,
    /// Krippendorff's α, for nominal data.
    pub alpha: Computed<f64>,
    /// 95 % BCa bootstrap interval over people; absent where it was not asked for.
    pub interval: Option<Computed<Interval>>,
}

/// What one concept was called.
#[derive(Debug, Clone, Serialize)]
pub struct ConceptNames {
    /// Name of the concept.
    pub concept: String,
    /// People who gave a final answer about it.
    pub people: usize,
    /// People among them who named nothing.
    pub named_nothing: usize,
    /// Its concept discovery rate.
    pub cdr: Option<f64>,
    /// Its concept consistency by the default reading; `None` below two people.
    pub cc: Option<f64>,
    /// How often each term was given, group by group.
    pub groups: Vec<TermCounts>,
}

/// How often each term of a group was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TermCounts {
    /// Name of the group.
    pub group: String,
    /// Each term with the number of people who gave it.
    pub terms: Vec<(String, usize)>,
}

/// Two bundles compared.
#[derive(Debug, Clone, Serialize)]
pub struct NamingDifference {
    /// The measure.
    pub measure: NamingMeasure,
    /// Names of the two bundles.
    pub bundles: [String; 2],
    /// Mean of the first minus mean of the second; `None` where one is not defined.
    pub difference: Option<f64>,
    /// 95 % BCa bootstrap interval of the difference over people; absent where it was not asked for.
    pub interval: Option<Computed<Interval>>,
    /// Mann and Whitney's test over concepts; absent for MIC, whose pairs of concepts are not independent.
    pub ranks: Option<Computed<MannWhitney>>,
}

/// All bundles compared over their concepts.
#[derive(Debug, Clone, Serialize)]
pub struct NamingOmnibus {
    /// The measure.
    pub measure: NamingMeasure,
    /// Kruskal and Wallis's test.
    pub ranks: Computed<RankAnova>,
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
struct Sampling {
    seed: u64,
    replicates: usize,
}

impl Sampling {
    /// The same samples of people for every number, whatever else is worked out.
    fn interval(
        self,
        answers: &Answers,
        statistic: impl Fn(&Answers) -> Option<f64>,
    ) -> Computed<Interval> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        over_people(answers, statistic, self.replicates, LEVEL, &mut rng).into()
    }
}

fn row(gathered: &Gathered, bundle: &Bundle, sampling: Option<Sampling>) -> Option<NamingRow> {
    let (own, answers) = gathered.who_saw(&[bundle])?;
    let mean_of = |values: Vec<Option<f64>>| mean(&defined(values));
    let score = |measure: NamingMeasure| {
        let values = defined(measure.values(&own, bundle, &answers));
        NamingScore {
            measure,
            mean: mean(&values),
            sd: deviation(&values),
            interval: sampling.map(|sampling| {
                let statistic = |drawn: &Answers| mean_of(measure.values(&own, bundle, drawn));
                sampling.interval(&answers, statistic)
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

fn difference(
    gathered: &Gathered,
    bundles: [&Bundle; 2],
    measure: NamingMeasure,
    sampling: Option<Sampling>,
) -> Option<NamingDifference> {
    let (own, answers) = gathered.who_saw(&bundles)?;
    let difference = |answers: &Answers| {
        let [first, second] =
            bundles.map(|bundle| mean(&defined(measure.values(&own, bundle, answers))));
        Some(first? - second?)
    };
    let [first, second] = bundles.map(|bundle| defined(measure.values(&own, bundle, &answers)));
    Some(NamingDifference {
        measure,
        bundles: bundles.map(|bundle| bundle.name.clone()),
        difference: difference(&answers),
        interval: sampling.map(|it| it.interval(&answers, difference)),
        ranks: (measure != NamingMeasure::Mic).then(|| mann_whitney(&first, &second).into()),
    })
}

fn omnibus(gathered: &Gathered, bundles: &[Bundle]) -> Vec<NamingOmnibus> {
    if bundles.len() < 2 {
        return Vec::new();
    }
    let test = |measure: NamingMeasure| {
        let of_bundle = |bundle: &Bundle| {
            let (own, answers) = gathered.who_saw(&[bundle])?;
            Some(defined(measure.values(&own, bundle, &answers)))
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
