//! The test of two conditions that counts: all of a row's numbers are those of one test.

use domain::study::PairTest;
use measures::statistics::mixed_model::FixedEffect;
use measures::statistics::rank::{MannWhitney, SignedRank};
use measures::statistics::t_test::TTest;
use measures::statistics::{Defined, Undefined};

use crate::computed::Computed;
use crate::model::{Fit, ModelKind, ModelOfQuestions, TestsOfModel};
use crate::report::{DeclaredTest, PairTests, TestOfPair, TestResult};

/// The one of the tests of means that a plan declares. `means` is the difference of means.
pub(crate) fn of_tests(tests: &PairTests, declared: PairTest, means: Defined<f64>) -> DeclaredTest {
    let of_t = |test, result: Defined<TTest>| DeclaredTest {
        test,
        estimate: result.map_or(means, |t| Ok(t.difference)).into(),
        result: result.map(|t| of_ttest(&t)).into(),
    };
    match (tests, declared) {
        (PairTests::Within { rank, .. }, PairTest::Rank) => {
            let numbers = |r: &SignedRank| (r.rank_biserial, r.rank_sum_positive, r.p);
            of_ranks(TestOfPair::Wilcoxon, rank.as_ref().map(numbers))
        }
        (PairTests::Between { rank, .. }, PairTest::Rank) => {
            let numbers = |r: &MannWhitney| (r.rank_biserial, r.u, r.p);
            of_ranks(TestOfPair::MannWhitney, rank.as_ref().map(numbers))
        }
        (PairTests::Within { .. }, PairTest::Welch) => {
            of_t(TestOfPair::WelchT, Err(Undefined::BetweenOnly))
        }
        (PairTests::Within { t, .. }, _) => of_t(TestOfPair::PairedT, t.as_ref().map(|t| t.test)),
        (PairTests::Between { welch, .. }, PairTest::Welch) => {
            of_t(TestOfPair::WelchT, welch.as_ref().map(|t| t.test))
        }
        (PairTests::Between { t, .. }, _) => of_t(TestOfPair::StudentT, t.as_ref().map(|t| t.test)),
    }
}

/// A contrast of a mixed model: a pair, or one of the plan's. Without a fit, the metric is none of single questions.
pub(crate) fn of_model(
    fit: Option<&Fit>,
    one: impl Fn(&TestsOfModel) -> Option<&Computed<FixedEffect>>,
) -> DeclaredTest {
    let Some(fit) = fit else {
        return DeclaredTest {
            test: TestOfPair::NoMixedModel,
            estimate: Computed::Undefined(Undefined::NotOfQuestions),
            result: Computed::Undefined(Undefined::NotOfQuestions),
        };
    };
    let contrast = contrast(&fit.model, one);
    DeclaredTest {
        test: match fit.kind {
            ModelKind::Linear => TestOfPair::LinearMixedModel,
            ModelKind::Logistic => TestOfPair::LogisticMixedModel,
            ModelKind::Ordinal => TestOfPair::OrdinalMixedModel,
        },
        estimate: contrast.map(|found| found.estimate).into(),
        result: contrast.map(of_effect).into(),
    }
}

fn contrast(
    model: &Defined<ModelOfQuestions>,
    one: impl Fn(&TestsOfModel) -> Option<&Computed<FixedEffect>>,
) -> Defined<FixedEffect> {
    let model = model.as_ref().map_err(|why| *why)?;
    match one(&model.tests) {
        Some(found) => found.as_ref().copied(),
        None => Err(Undefined::NotConverged),
    }
}

/// A contrast of independent samples.
pub(crate) fn of_contrast(test: TestOfPair, result: Defined<TTest>) -> DeclaredTest {
    DeclaredTest {
        test,
        estimate: result.map(|t| t.difference).into(),
        result: result.map(|t| of_ttest(&t)).into(),
    }
}

fn of_ttest(test: &TTest) -> TestResult {
    TestResult {
        standard_error: Some(test.standard_error),
        statistic: test.t,
        df: Some(test.df),
        interval: Some(test.interval),
        p: test.p.two_sided,
    }
}

fn of_effect(effect: FixedEffect) -> TestResult {
    TestResult {
        standard_error: Some(effect.standard_error),
        statistic: effect.statistic,
        df: effect.df,
        interval: Some(effect.interval),
        p: effect.p,
    }
}

/// `numbers` are the correlation, the statistic and p.
fn of_ranks(test: TestOfPair, numbers: Defined<(f64, f64, f64)>) -> DeclaredTest {
    DeclaredTest {
        test,
        estimate: numbers.map(|(estimate, ..)| estimate).into(),
        result: numbers
            .map(|(_, statistic, p)| TestResult {
                standard_error: None,
                statistic,
                df: None,
                interval: None,
                p,
            })
            .into(),
    }
}
