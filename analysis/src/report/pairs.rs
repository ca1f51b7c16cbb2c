//! Every two conditions, and their tests.

use measures::statistics::Interval;
use measures::statistics::effect_size::EffectSize;
use measures::statistics::equivalence::Equivalence;
use measures::statistics::rank::{MannWhitney, SignedRank};
use measures::statistics::t_test::{IndependentT, PairedT};
use serde::Serialize;

use crate::computed::Computed;

/// Two conditions.
#[derive(Debug, Clone, Serialize)]
pub struct Pair {
    /// The first.
    pub first: String,
    /// The second.
    pub second: String,
    /// The test that counts: the one that the plan declares, or the default. All that a row shows is
    /// of this test.
    pub declared: DeclaredTest,
    /// Its p, corrected over its family; absent if it is undefined.
    pub p_corrected: Option<f64>,
    /// Tests of the two people's means.
    pub tests: PairTests,
    /// Equivalence, where bounds are declared.
    pub equivalence: Option<Computed<Equivalence>>,
}

impl Pair {
    /// p of the test that counts; absent if it is undefined.
    #[must_use]
    pub fn p(&self) -> Option<f64> {
        Some(self.declared.result.defined()?.p)
    }
}

/// A contrast that the plan declares.
#[derive(Debug, Clone, Serialize)]
pub struct Contrast {
    /// Its name.
    pub name: String,
    /// The weight of each condition, in the comparison's order.
    pub weights: Vec<f64>,
    /// The test that counts, of Σ weight · condition.
    pub declared: DeclaredTest,
    /// Its p, corrected over its family; absent if it is undefined.
    pub p_corrected: Option<f64>,
}

impl Contrast {
    /// p of the test that counts; absent if it is undefined.
    #[must_use]
    pub fn p(&self) -> Option<f64> {
        Some(self.declared.result.defined()?.p)
    }
}

/// The test of two conditions that counts.
#[derive(Debug, Clone, Serialize)]
pub struct DeclaredTest {
    /// Which it is.
    pub test: TestOfPair,
    /// Its estimate of the first against the second: see [`TestOfPair::estimates`]. A mean
    /// difference is a number where its test is undefined, too.
    pub estimate: Computed<f64>,
    /// Its other numbers.
    pub result: Computed<TestResult>,
}

/// The numbers of a test of two conditions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TestResult {
    /// Standard error of the estimate; tests on ranks have none.
    pub standard_error: Option<f64>,
    /// t, z, the sum of the ranks of positive differences (V), or U of the first condition.
    pub statistic: f64,
    /// Degrees of freedom of t.
    pub df: Option<f64>,
    /// 95 % interval of the estimate.
    pub interval: Interval,
    /// p, two-sided.
    pub p: f64,
    /// How large the effect is, without a unit. Absent for contrasts of Welch's test, which have no such number, and
    /// for a t-test with one degree of freedom, where Hedges' correction does not exist.
    pub effect: Option<StandardisedEffect>,
}

/// The effect size of a test of two conditions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StandardisedEffect {
    /// Which it is.
    pub measure: EffectMeasure,
    /// Its estimate, with a 95 % interval.
    #[serde(flatten)]
    pub size: EffectSize,
}

/// A measure of how large an effect is: each test of two conditions has one of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectMeasure {
    /// Mean difference / SD of the differences, with Hedges' correction: of paired t-tests.
    HedgesGz,
    /// Difference of means / pooled SD, with Hedges' correction: of Student's tests.
    HedgesG,
    /// Difference of means / root of the mean of both variances, with Hedges' correction: of Welch's tests.
    HedgesGAv,
    /// Of tests on ranks: the estimate itself.
    RankBiserial,
    /// Difference / root of all variances of a linear mixed model.
    MixedModelD,
    /// Of logistic and cumulative-link mixed models: e to the power of the estimate.
    OddsRatio,
}

impl EffectMeasure {
    /// Its letter, with which numbers are read: `g_z`.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::HedgesGz => "g_z",
            Self::HedgesG => "g",
            Self::HedgesGAv => "g_av",
            Self::RankBiserial => "r",
            Self::MixedModelD => "d",
            Self::OddsRatio => "OR",
        }
    }

    /// Its name, in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::HedgesGz => {
                "Hedges' g_z (mean difference / SD of the differences, corrected for small samples)"
            }
            Self::HedgesG => {
                "Hedges' g (difference of means / pooled SD, corrected for small samples)"
            }
            Self::HedgesGAv => {
                "Hedges' g_av (difference of means / root of the mean variance, corrected for small samples)"
            }
            Self::RankBiserial => "rank-biserial correlation r",
            Self::MixedModelD => "d (difference / root of all variances of the mixed model)",
            Self::OddsRatio => "odds ratio (OR)",
        }
    }
}

/// A test of two conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOfPair {
    /// Paired t-test.
    PairedT,
    /// Student's t-test.
    StudentT,
    /// Welch's t-test.
    WelchT,
    /// Wilcoxon's signed-rank test.
    Wilcoxon,
    /// Mann and Whitney's test.
    MannWhitney,
    /// Contrast of a linear mixed model.
    LinearMixedModel,
    /// Contrast of a logistic mixed model.
    LogisticMixedModel,
    /// Contrast of a cumulative-link mixed model.
    OrdinalMixedModel,
    /// A mixed model of a metric that is none of single questions: there is none.
    NoMixedModel,
}

impl TestOfPair {
    /// The name of its estimate, in words.
    #[must_use]
    pub fn estimates(self) -> &'static str {
        match self {
            Self::PairedT | Self::StudentT | Self::WelchT => "Mean difference",
            Self::Wilcoxon | Self::MannWhitney => "Rank-biserial correlation",
            Self::LinearMixedModel | Self::NoMixedModel => "Difference",
            Self::LogisticMixedModel | Self::OrdinalMixedModel => "Log odds ratio",
        }
    }

    /// Its name, in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PairedT => "Paired t-test",
            Self::StudentT => "Student's t-test",
            Self::WelchT => "Welch's t-test",
            Self::Wilcoxon => "Wilcoxon's signed-rank test",
            Self::MannWhitney => "Mann and Whitney's test",
            Self::LinearMixedModel => "Linear mixed model",
            Self::LogisticMixedModel => "Logistic mixed model",
            Self::OrdinalMixedModel => "Cumulative-link mixed model",
            Self::NoMixedModel => "Mixed model",
        }
    }

    /// Letter of its statistic.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::PairedT | Self::StudentT | Self::WelchT | Self::LinearMixedModel => "t",
            Self::Wilcoxon => "V",
            Self::MannWhitney => "U",
            Self::LogisticMixedModel | Self::OrdinalMixedModel | Self::NoMixedModel => "z",
        }
    }

    /// Whether it is a contrast of a model of single questions.
    #[must_use]
    pub fn is_model(self) -> bool {
        matches!(
            self,
            Self::LinearMixedModel
                | Self::LogisticMixedModel
                | Self::OrdinalMixedModel
                | Self::NoMixedModel
        )
    }

    /// Whether the estimate is in the metric's unit.
    #[must_use]
    pub fn is_in_unit(self) -> bool {
        matches!(
            self,
            Self::PairedT | Self::StudentT | Self::WelchT | Self::LinearMixedModel
        )
    }
}

/// Tests of two conditions.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "design", rename_all = "snake_case")]
pub enum PairTests {
    /// Within people.
    Within {
        /// Paired t-test.
        t: Computed<PairedT>,
        /// Wilcoxon's signed-rank test.
        rank: RankTest<SignedRank>,
    },
    /// Between people.
    Between {
        /// Student's t-test.
        t: Computed<IndependentT>,
        /// Welch's t-test.
        welch: Computed<IndependentT>,
        /// Mann and Whitney's test.
        rank: RankTest<MannWhitney>,
    },
}

/// A rank test, or why there is none.
pub type RankTest<T> = Computed<T>;
