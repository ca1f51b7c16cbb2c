//! Every two conditions, and their tests.

use measures::statistics::equivalence::Equivalence;
use measures::statistics::rank::{MannWhitney, SignedRank};
use measures::statistics::t_test::{IndependentT, PairedT};
use serde::Serialize;

use crate::found::Found;

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
