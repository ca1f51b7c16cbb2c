//! The test of two conditions that counts: all of a row's numbers are those of one test.

use domain::study::PairTest;
use measures::statistics::effect_size::{EffectSize, of_mixed_model};
use measures::statistics::mixed_model::FixedEffect;
use measures::statistics::rank::{MannWhitney, SignedRank};
use measures::statistics::t_test::TTest;
use measures::statistics::{Defined, Interval, Undefined};

use crate::computed::Computed;
use crate::model::{Fit, ModelKind, ModelOfQuestions, TestsOfModel};
use crate::report::{
    DeclaredTest, EffectMeasure, PairTests, StandardisedEffect, TestOfPair, TestResult,
};

/// The one of the tests of means that a plan declares. `means` is the difference of means.
pub(crate) fn of_tests(tests: &PairTests, declared: PairTest, means: Defined<f64>) -> DeclaredTest {
    let of_t = |test, result: Defined<(TTest, Option<EffectSize>)>| {
        let estimate = result.map_or(means, |(t, _)| Ok(t.difference));
        of_ttest(test, estimate, result)
    };
    match (tests, declared) {
        (PairTests::Within { rank, .. }, PairTest::Rank) => {
            let numbers = |r: &SignedRank| {
                let size = correlation(r.rank_biserial, r.rank_biserial_interval);
                (size, r.rank_sum_positive, r.p)
            };
            of_ranks(TestOfPair::Wilcoxon, rank.as_ref().map(numbers))
        }
        (PairTests::Between { rank, .. }, PairTest::Rank) => {
            let numbers = |r: &MannWhitney| {
                let size = correlation(r.rank_biserial, r.rank_biserial_interval);
                (size, r.u, r.p)
            };
            of_ranks(TestOfPair::MannWhitney, rank.as_ref().map(numbers))
        }
        (PairTests::Within { .. }, PairTest::Welch) => {
            of_t(TestOfPair::WelchT, Err(Undefined::BetweenOnly))
        }
        (PairTests::Within { t, .. }, _) => {
            of_t(TestOfPair::PairedT, t.as_ref().map(|t| (t.test, t.g_z)))
        }
        (PairTests::Between { welch, .. }, PairTest::Welch) => {
            of_t(TestOfPair::WelchT, welch.as_ref().map(|t| (t.test, t.g)))
        }
        (PairTests::Between { t, .. }, _) => {
            of_t(TestOfPair::StudentT, t.as_ref().map(|t| (t.test, t.g)))
        }
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
        result: contrast.map(|found| of_effect(found, fit)).into(),
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

/// A contrast of independent samples, with its effect size, if it has one.
pub(crate) fn of_contrast(
    test: TestOfPair,
    result: Defined<(TTest, Option<EffectSize>)>,
) -> DeclaredTest {
    of_ttest(test, result.map(|(t, _)| t.difference), result)
}

fn of_ttest(
    test: TestOfPair,
    estimate: Defined<f64>,
    result: Defined<(TTest, Option<EffectSize>)>,
) -> DeclaredTest {
    let measure = match test {
        TestOfPair::PairedT => EffectMeasure::HedgesGz,
        TestOfPair::WelchT => EffectMeasure::HedgesGAv,
        _ => EffectMeasure::HedgesG,
    };
    let numbers = |(t, effect): (TTest, Option<EffectSize>)| TestResult {
        standard_error: Some(t.standard_error),
        statistic: t.t,
        df: Some(t.df),
        interval: t.interval,
        p: t.p.two_sided,
        effect: effect.map(|size| StandardisedEffect { measure, size }),
    };
    DeclaredTest {
        test,
        estimate: estimate.into(),
        result: result.map(numbers).into(),
    }
}

fn of_effect(effect: FixedEffect, fit: &Fit) -> TestResult {
    let difference = EffectSize {
        value: effect.estimate,
        interval: effect.interval,
    };
    let size = match fit.kind {
        ModelKind::Linear => fit.model.as_ref().ok().and_then(|model| {
            let random = model.random.iter().map(|term| term.sd);
            let sds: Vec<f64> = random.chain(model.residual_sd).collect();
            Some((
                EffectMeasure::MixedModelD,
                of_mixed_model(difference, &sds)?,
            ))
        }),
        ModelKind::Logistic | ModelKind::Ordinal => {
            let odds_ratio = EffectSize {
                value: effect.estimate.exp(),
                interval: Interval {
                    low: effect.interval.low.exp(),
                    high: effect.interval.high.exp(),
                    level: effect.interval.level,
                },
            };
            Some((EffectMeasure::OddsRatio, odds_ratio))
        }
    };
    TestResult {
        standard_error: Some(effect.standard_error),
        statistic: effect.statistic,
        df: effect.df,
        interval: effect.interval,
        p: effect.p,
        effect: size.map(|(measure, size)| StandardisedEffect { measure, size }),
    }
}

fn correlation(value: f64, interval: Interval) -> EffectSize {
    EffectSize { value, interval }
}

/// `numbers` are the correlation, the statistic and p.
fn of_ranks(test: TestOfPair, numbers: Defined<(EffectSize, f64, f64)>) -> DeclaredTest {
    DeclaredTest {
        test,
        estimate: numbers.map(|(size, ..)| size.value).into(),
        result: numbers
            .map(|(size, statistic, p)| TestResult {
                standard_error: None,
                statistic,
                df: None,
                interval: size.interval,
                p,
                effect: Some(StandardisedEffect {
                    measure: EffectMeasure::RankBiserial,
                    size,
                }),
            })
            .into(),
    }
}
