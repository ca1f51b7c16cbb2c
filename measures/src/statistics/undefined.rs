//! Why there is no number: the one place that says so, in words.

use serde::{Deserialize, Serialize};

/// Why a number is not defined.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "undefined", rename_all = "snake_case")]
pub enum Undefined {
    /// There are too few values, people, groups or conditions.
    #[error("too few {of}: {found}, where {needed} are needed")]
    TooFew {
        /// Of what.
        of: SampleUnit,
        /// How many there are.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A value is infinite or no number.
    #[error("value {index} is not finite")]
    NotFinite {
        /// 0-based place in its sample.
        index: usize,
    },
    /// Samples that belong together differ in length.
    #[error("{found} values beside {expected}")]
    Lengths {
        /// Values in one sample.
        found: usize,
        /// Values in the other.
        expected: usize,
    },
    /// What the test divides by is zero: the values, their differences, or what is left
    /// once effects are taken out, do not vary.
    #[error("the data do not vary")]
    Constant,
    /// A row or a column of a table of counts is empty.
    #[error("a row or a column of the table is empty")]
    EmptyMargin,
    /// An argument is outside its range: a level not in (0, 1), bounds in the wrong order.
    #[error("{what} is out of range")]
    OutOfRange {
        /// The argument.
        what: Argument,
    },
    /// All bootstrap replicates lie on one side of the estimate.
    #[error("all bootstrap replicates lie on one side of the estimate")]
    OneSided,
    /// Columns of a model say the same: their effects cannot be told apart.
    #[error("effects cannot be told apart")]
    Aliased,
    /// The variance of a random term cannot be told from something else, whatever the values are.
    #[error("{from}")]
    Unidentified {
        /// From what.
        from: Confounded,
    },
    /// An estimate of a model of outcomes runs away: they are all the same in one condition, or
    /// for each person.
    #[error("a condition has only one outcome, or each person has: odds cannot be estimated")]
    Separated,
    /// A model could not be fitted: the search for its estimates did not come to rest, or came
    /// to rest where it began because nothing depends on them.
    #[error("the fit did not converge")]
    NotConverged,
    /// A contrast of ranks of independent samples.
    #[error("ranks between people have no contrast")]
    RanksBetween,
    /// A model of single questions of something that is none of them.
    #[error("the metric is not one of single questions")]
    NotOfQuestions,
    /// A test of conditions that vary between people, where they vary within.
    #[error("the test is one of conditions between people")]
    BetweenOnly,
    /// Exact enumeration would take too long.
    #[error("the table is too large for an exact test")]
    TooLarge,
}

/// What there can be too few of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the names say it
pub enum SampleUnit {
    Values,
    People,
    Groups,
    Conditions,
    Replicates,
}

impl std::fmt::Display for SampleUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Values => "values",
            Self::People => "people",
            Self::Groups => "groups",
            Self::Conditions => "conditions",
            Self::Replicates => "replicates",
        })
    }
}

/// What the variance of a random term cannot be told from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confounded {
    /// The fixed effects: the term adds nothing to them.
    Conditions,
    /// The residuals: the term has a level for every row.
    Residuals,
    /// Other random terms.
    Terms,
}

impl std::fmt::Display for Confounded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Conditions => {
                "people or questions cannot be told from conditions: there is one in each"
            }
            Self::Residuals => {
                "people or questions cannot be told from what is left over: each has one row"
            }
            Self::Terms => "people, people × conditions and questions cannot be told apart",
        })
    }
}

/// An argument that can be out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the names say it
pub enum Argument {
    Level,
    Bounds,
    Time,
    Probability,
}

impl std::fmt::Display for Argument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Level => "the level",
            Self::Bounds => "the pair of bounds",
            Self::Time => "a time",
            Self::Probability => "a probability",
        })
    }
}
