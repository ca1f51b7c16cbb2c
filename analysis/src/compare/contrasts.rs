//! The contrasts that a plan declares: weighted sums of conditions.

use domain::study::{AnalysisPlan, ConditionsVary, PairTest};
use measures::statistics::effect_size;
use measures::statistics::t_test::{Variances, contrast_test, difference_of_means};
use measures::statistics::{Undefined, rank::wilcoxon, t_test::paired};

use super::{ComparisonInput, Samples};
use crate::declared::{of_contrast, of_model, of_tests};
use crate::model::Fit;
use crate::report::{Contrast, DeclaredTest, PairTests, TestOfPair};

/// Names and weights of the contrasts all of whose conditions are among these.
pub(super) fn weights_of(
    plan: Option<&AnalysisPlan>,
    conditions: &[String],
) -> Vec<(String, Vec<f64>)> {
    let contrasts = plan.iter().flat_map(|plan| &plan.contrasts);
    let here =
        contrasts.filter(|contrast| contrast.weights.keys().all(|it| conditions.contains(it)));
    let weights = here.map(|contrast| {
        let weights = conditions.iter().map(|it| contrast.weights.get(it));
        let weights = weights.map(|weight| weight.copied().unwrap_or_default());
        (contrast.name.clone(), weights.collect())
    });
    weights.collect()
}

/// The contrasts by the test that counts, not corrected yet.
pub(super) fn contrasts(
    question: &ComparisonInput<'_>,
    samples: &Samples,
    fit: Option<&Fit>,
    weights: Vec<(String, Vec<f64>)>,
) -> Vec<Contrast> {
    let contrast = |(index, (name, weights)): (usize, (String, Vec<f64>))| {
        let declared = match (question.test(), question.design) {
            (PairTest::MixedModel, _) => of_model(fit, |tests| tests.contrasts.get(index)),
            (test, ConditionsVary::Within) => within(&samples.rows, &weights, test),
            (test, ConditionsVary::Between) => between(&samples.columns, &weights, test),
        };
        Contrast {
            name,
            weights,
            declared,
            p_corrected: None,
        }
    };
    weights.into_iter().enumerate().map(contrast).collect()
}

/// Within people each has both sides of the sum: a test of two paired samples.
fn within(rows: &[Vec<f64>], weights: &[f64], test: PairTest) -> DeclaredTest {
    let side = |sign: f64| -> Vec<f64> {
        let of_row = |row: &Vec<f64>| {
            let terms = row.iter().zip(weights);
            terms
                .map(|(value, weight)| value * (sign * weight).max(0.0))
                .sum()
        };
        rows.iter().map(of_row).collect()
    };
    let (x, y) = (side(1.0), side(-1.0));
    let tests = PairTests::Within {
        t: paired(&x, &y).into(),
        rank: wilcoxon(&x, &y).into(),
    };
    of_tests(&tests, test, difference_of_means(&x, &y))
}

fn between(columns: &[Vec<f64>], weights: &[f64], test: PairTest) -> DeclaredTest {
    let samples: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let of_sample = samples.iter().zip(weights).filter(|(_, w)| **w != 0.0);
    let unit = of_sample
        .map(|(sample, weight)| weight * weight / sample.len() as f64)
        .sum::<f64>()
        .sqrt();
    let of = |test, variances| {
        let result = contrast_test(&samples, weights, variances);
        of_contrast(
            test,
            result.map(|t| match variances {
                Variances::Pooled => (t, effect_size::of_contrast(t.t, t.df, unit)),
                // Of several variances there is none that all would take as the unit.
                Variances::Separate => (t, None),
            }),
        )
    };
    match test {
        PairTest::Rank => of_contrast(TestOfPair::MannWhitney, Err(Undefined::RanksBetween)),
        PairTest::Welch => of(TestOfPair::WelchT, Variances::Separate),
        PairTest::T | PairTest::MixedModel => of(TestOfPair::StudentT, Variances::Pooled),
    }
}
