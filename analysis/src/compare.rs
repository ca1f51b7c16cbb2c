//! One metric in one comparison.

use domain::study::{AnalysisPlan, ConditionsVary, Metric, PairTest};
use measures::statistics::anova::{one_way, repeated, welch};
use measures::statistics::bootstrap::{bca, mean, replicates};
use measures::statistics::complete::complete_cases;
use measures::statistics::equivalence::{Bounds, independent_equivalence, paired_equivalence};
use measures::statistics::rank::{friedman, kruskal_wallis, mann_whitney, wilcoxon};
use measures::statistics::t_test::{
    Variances, difference_of_means, independent, independent_test, paired, paired_test,
};
use measures::statistics::{Defined, Interval, describe};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::computed::Computed;
use crate::declared::{of_model, of_tests};
use crate::extent::Extent;
use crate::model::{Adjusting, Cases, model, pairs};
use crate::person::value;
use crate::report::{
    ConditionRow, DeclaredTest, MetricComparison, Omnibus, Pair, PairTests, PersonValue,
    TestOfMeans,
};

mod contrasts;
mod who;

use contrasts::{contrasts, weights_of};
use who::{in_tests, models};

/// Replicates of a bootstrap: BCa's ends at 95 % are then known to about a hundredth of
/// the interval.
const REPLICATES: usize = 9_999;

/// A comparison that is to be made.
pub(crate) struct ComparisonInput<'a> {
    pub name: &'a str,
    pub conditions: &'a [String],
    pub metric: Metric,
    pub design: ConditionsVary,
    pub plan: Option<&'a AnalysisPlan>,
    /// The fixed effects of mixed models beside the conditions.
    pub adjusting: &'a Adjusting,
    /// The results that are worked out beside closed forms.
    pub extent: Extent,
    /// Which of all bootstraps this is: each draws numbers of its own.
    pub stream: u64,
}

/// Compares; `None` if nobody has a value in any condition. p-values are not corrected yet.
/// `numbers` are the people's.
pub(crate) fn compare(
    question: &ComparisonInput<'_>,
    people: &Cases<'_>,
    numbers: &[usize],
) -> Option<MetricComparison> {
    let k = question.conditions.len();
    let values: Vec<Vec<Option<f64>>> = people
        .iter()
        .map(|conditions| {
            conditions
                .iter()
                .map(|s| value(s, question.metric))
                .collect()
        })
        .collect();
    let columns: Vec<Vec<f64>> = (0..k)
        .map(|c| values.iter().filter_map(|row| row[c]).collect())
        .collect();
    if columns.iter().all(Vec::is_empty) {
        return None;
    }
    let conditions = question
        .conditions
        .iter()
        .enumerate()
        .map(|(index, condition)| {
            let ended = || {
                people
                    .iter()
                    .flat_map(move |person| &person[index])
                    .flat_map(|stage| &stage.questions)
                    .filter(|q| q.outcome.is_some())
            };
            ConditionRow {
                condition: condition.clone(),
                description: describe(&columns[index]).into(),
                interval: question
                    .extent
                    .intervals
                    .then(|| bootstrap(question, index, &columns[index]).into()),
                questions: ended().count(),
                questions_with_time_away: ended().filter(|q| q.away_s > 0.0).count(),
                values: numbers
                    .iter()
                    .zip(&values)
                    .filter_map(|(&person, row)| Some((person, row[index]?)))
                    .map(|(person, value)| PersonValue { person, value })
                    .collect(),
                models: models(people, index),
            }
        })
        .collect();
    // Those who were to do any of the conditions.
    let concerned: Vec<usize> = (0..people.len())
        .filter(|&person| people[person].iter().any(|stages| !stages.is_empty()))
        .collect();
    let samples = match question.design {
        ConditionsVary::Within => {
            let rows: Vec<_> = concerned.iter().map(|&p| values[p].clone()).collect();
            let complete = complete_cases(&rows);
            Samples {
                columns: (0..k).map(|c| complete.column(c)).collect(),
                n: complete.rows.len(),
                rows: complete.rows,
            }
        }
        ConditionsVary::Between => Samples {
            n: concerned
                .iter()
                .filter(|&&p| values[p].iter().any(Option::is_some))
                .count(),
            columns,
            rows: Vec::new(),
        },
    };
    let by_model = question.test() == PairTest::MixedModel;
    let declared = weights_of(question.plan, question.conditions);
    let fit = ((question.extent.models || by_model) && k > 1)
        .then(|| {
            let weights: Vec<Vec<f64>> = declared.iter().map(|(_, it)| it.clone()).collect();
            let (metric, design) = (question.metric, question.design);
            model(people, k, metric, design, &weights, question.adjusting)
        })
        .flatten();
    let pairs = pairs(k)
        .enumerate()
        .map(|(index, (a, b))| {
            let tests = tests(question.design, &samples.columns[a], &samples.columns[b]);
            let declared = if by_model {
                of_model(fit.as_ref(), |tests| tests.pairs.get(index))
            } else {
                let means = difference_of_means(&samples.columns[a], &samples.columns[b]);
                of_tests(&tests, question.test(), means)
            };
            pair(question, &samples, (a, b), tests, declared)
        })
        .collect();
    // The people of the tests that count: a mixed model has those with any value.
    let n = match &fit {
        Some(fit) if by_model => fit.people,
        _ => samples.n,
    };
    let in_tests = in_tests(question, &values, &concerned, numbers);
    Some(MetricComparison {
        name: question.name.to_owned(),
        metric: question.metric,
        planned: question.is_planned(),
        conditions,
        n,
        numbers: if in_tests.len() == n {
            in_tests
        } else {
            Vec::new()
        },
        left_out: concerned.len() - n,
        omnibus: (k > 1).then(|| omnibus(question, &samples)),
        pairs,
        contrasts: contrasts(question, &samples, fit.as_ref(), declared),
        model: fit.map(|fit| fit.model.into()),
    })
}

struct Samples {
    /// Values of each condition; within people in the same order.
    columns: Vec<Vec<f64>>,
    /// Within people: rows of people.
    rows: Vec<Vec<f64>>,
    n: usize,
}

impl ComparisonInput<'_> {
    fn test(&self) -> PairTest {
        self.plan.map_or(PairTest::default(), |plan| plan.test)
    }

    fn is_planned(&self) -> bool {
        self.plan
            .is_some_and(|plan| plan.metrics.contains(&self.metric))
    }
}

fn bootstrap(
    question: &ComparisonInput<'_>,
    condition: usize,
    values: &[f64],
) -> Defined<Interval> {
    let mut rng = ChaCha8Rng::seed_from_u64(question.plan.map_or(0, |plan| plan.seed));
    rng.set_stream(question.stream * 1_000 + condition as u64);
    let drawn = replicates(values, mean, REPLICATES, &mut rng)?;
    bca(values, mean, &drawn, 0.95)
}

fn omnibus(question: &ComparisonInput<'_>, samples: &Samples) -> Omnibus {
    match question.design {
        ConditionsVary::Within => Omnibus {
            means: TestOfMeans::Repeated {
                anova: repeated(&samples.rows).into(),
            },
            ranks: friedman(&samples.rows).into(),
        },
        ConditionsVary::Between => Omnibus {
            means: TestOfMeans::OneWay {
                anova: one_way(&samples.columns).into(),
                welch: welch(&samples.columns).into(),
            },
            ranks: kruskal_wallis(&samples.columns).into(),
        },
    }
}

/// The p of each pair by the test that counts, not corrected; `None` where it is undefined, and for
/// mixed models, which are of single questions. Within people, columns are in the same order.
pub(crate) fn p_of_samples(
    design: ConditionsVary,
    test: PairTest,
    columns: &[Vec<f64>],
) -> Vec<Option<f64>> {
    pairs(columns.len())
        .map(|(a, b)| p_of(design, test, &columns[a], &columns[b]))
        .collect()
}

/// The p of the test that counts.
fn p_of(design: ConditionsVary, test: PairTest, x: &[f64], y: &[f64]) -> Option<f64> {
    let t = match (design, test) {
        (_, PairTest::MixedModel) | (ConditionsVary::Within, PairTest::Welch) => return None,
        (ConditionsVary::Within, PairTest::Rank) => return Some(wilcoxon(x, y).ok()?.p),
        (ConditionsVary::Between, PairTest::Rank) => return Some(mann_whitney(x, y).ok()?.p),
        (ConditionsVary::Within, PairTest::T) => paired_test(x, y),
        (ConditionsVary::Between, PairTest::T) => independent_test(x, y, Variances::Pooled),
        (ConditionsVary::Between, PairTest::Welch) => independent_test(x, y, Variances::Separate),
    };
    Some(t.ok()?.p.two_sided)
}

/// The tests of two conditions' means over people.
fn tests(design: ConditionsVary, x: &[f64], y: &[f64]) -> PairTests {
    match design {
        ConditionsVary::Within => PairTests::Within {
            t: paired(x, y).into(),
            rank: wilcoxon(x, y).into(),
        },
        ConditionsVary::Between => PairTests::Between {
            t: independent(x, y, Variances::Pooled).into(),
            welch: independent(x, y, Variances::Separate).into(),
            rank: mann_whitney(x, y).into(),
        },
    }
}

fn pair(
    question: &ComparisonInput<'_>,
    samples: &Samples,
    (a, b): (usize, usize),
    tests: PairTests,
    declared: DeclaredTest,
) -> Pair {
    let (x, y) = (&samples.columns[a], &samples.columns[b]);
    let bounds = question.plan.and_then(|plan| {
        let declared = plan.equivalence.iter();
        let found = declared.into_iter().find(|e| e.metric == question.metric)?;
        Some(Bounds {
            low: found.low,
            high: found.high,
        })
    });
    let equivalence = bounds.map(|bounds| match question.design {
        ConditionsVary::Within => paired_equivalence(x, y, bounds),
        ConditionsVary::Between => independent_equivalence(x, y, bounds, Variances::Separate),
    });
    Pair {
        first: question.conditions[a].clone(),
        second: question.conditions[b].clone(),
        declared,
        p_corrected: None,
        tests,
        equivalence: equivalence.map(Computed::from),
    }
}
