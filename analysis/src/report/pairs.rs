//! Every two conditions: tests, and the mixed model beside them.

use measures::statistics::anova::FTest;
use measures::statistics::equivalence::Equivalence;
use measures::statistics::mixed_model::{Convergence, FixedEffect, RandomEffect, WaldTest};
use measures::statistics::rank::{MannWhitney, SignedRank};
use measures::statistics::t_test::{IndependentT, PairedT};
use serde::Serialize;

use super::Found;

/// Two conditions.
#[derive(Debug, Clone, Serialize)]
pub struct Pair {
    /// The first.
    pub first: String,
    /// The second.
    pub second: String,
    /// Tests of the two.
    pub tests: PairTests,
    /// p of the test that counts; absent if it is undefined.
    pub p: Option<f64>,
    /// The same, corrected over its family.
    pub p_corrected: Option<f64>,
    /// Equivalence, where bounds are declared.
    pub equivalence: Option<Found<Equivalence>>,
}

/// Tests of two conditions.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "design", rename_all = "snake_case")]
pub enum PairTests {
    /// Within people.
    Within {
        /// Paired t-test.
        t: Found<PairedT>,
        /// Wilcoxon's signed-rank test.
        rank: RankTest<SignedRank>,
    },
    /// Between people.
    Between {
        /// Student's t-test.
        t: Found<IndependentT>,
        /// Welch's t-test.
        welch: Found<IndependentT>,
        /// Mann and Whitney's test.
        rank: RankTest<MannWhitney>,
    },
}

/// A rank test, or why there is none.
pub type RankTest<T> = Found<T>;

/// Which mixed model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    /// REML, degrees of freedom after Satterthwaite.
    Linear,
    /// Laplace's approximation.
    Logistic,
    /// Cumulative links, Laplace's approximation.
    Ordinal,
}

/// A mixed model of single questions (of ratings, for difficulty).
#[derive(Debug, Clone, Serialize)]
pub struct ModelOfQuestions {
    /// Which.
    pub kind: ModelKind,
    /// Rows it is fitted to.
    pub rows: usize,
    /// Its random terms.
    pub random: Vec<RandomEffect>,
    /// Standard deviation of residuals, of a linear model.
    pub residual_sd: Option<f64>,
    /// Logarithm of its likelihood (restricted, for a linear one).
    pub log_likelihood: f64,
    /// How the fit ended.
    pub convergence: Convergence,
    /// F-test of the conditions, of a linear model.
    pub f: Option<Found<FTest>>,
    /// Wald's test of the conditions, of the others.
    pub wald: Option<Found<WaldTest>>,
    /// First minus second of each pair, in the order of the comparison's pairs: in the metric's
    /// unit for a linear model, as logarithms of odds ratios otherwise.
    pub pairs: Vec<Found<FixedEffect>>,
}
