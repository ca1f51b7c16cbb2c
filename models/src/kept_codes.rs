//! Codes that are kept beside a bundle: what the model says of rows that it has not seen, and what is true of them.
//!
//! They are no part of the bundle: nobody decodes with them, and no session depends on them. Measures of
//! representations are computed from them where the data are not at hand.
//!
//! | file | holds |
//! | --- | --- |
//! | `codes.npy` | rows × continuous dimensions: the latent vector of each row, or the mean of its distribution |
//! | `factors.npy` | rows × factors: what is true of each row, in the unit of the data |
//! | `codes.json` | an [`AboutCodes`] |
//! | `before_codes.npy`, `changed_codes.npy` | pairs × continuous dimensions: codes of rows whose pictures were drawn, and of the same rows with one factor changed |
//! | `changed_factor.npy` | the factor that was changed in each pair, by its place among the factors |
//! | `smallest_differences.json` | a [`SmallestDifferences`]: how far scores from these codes have to differ to mean anything |

use serde::{Deserialize, Serialize};

use crate::card::Card;

/// Name of the file of codes.
pub const CODES_FILE: &str = "codes.npy";
/// Name of the file of true factors.
pub const FACTORS_FILE: &str = "factors.npy";
/// Name of the file that says what the two hold.
pub const ABOUT_CODES_FILE: &str = "codes.json";

/// Name of the file of codes before one factor is changed.
pub const BEFORE_CODES_FILE: &str = "before_codes.npy";
/// Name of the file of codes after it.
pub const CHANGED_CODES_FILE: &str = "changed_codes.npy";
/// Name of the file that says which factor was changed.
pub const CHANGED_FACTOR_FILE: &str = "changed_factor.npy";
/// Name of the file that says which differences of scores mean anything.
pub const SMALLEST_DIFFERENCES_FILE: &str = "smallest_differences.json";

/// What kept codes are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AboutCodes {
    /// How many rows there are: the first held-out ones, in their order.
    pub rows: usize,
    /// What the columns of the factors are called.
    pub factors: Vec<String>,
    /// The factor that is the class of a row; absent where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// SHA-256 of the weights of the model whose codes these are; empty for a closed form.
    pub weights_sha256: String,
    /// SHA-256 of the encoder that made them; absent where codes are the factors themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder_sha256: Option<String>,
}

impl AboutCodes {
    /// Whether these are codes of the model with this card.
    #[must_use]
    pub fn is_of(&self, card: &Card) -> bool {
        let measured = card.measured.as_ref();
        let encoder = measured.and_then(|measured| measured.encoder_sha256.as_ref());
        self.weights_sha256 == card.facts.weights_sha256 && self.encoder_sha256.as_ref() == encoder
    }

    /// The column of the factors that is the class of a row.
    #[must_use]
    pub fn task_column(&self) -> Option<usize> {
        let task = self.task.as_ref()?;
        self.factors.iter().position(|factor| factor == task)
    }
}

/// What the reliability cards of measures say of scores from kept codes: the smallest difference between two models that
/// means anything. `redial measure cards --keep` makes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmallestDifferences {
    /// SHA-256 of the weights of the model whose codes they are of; empty for a closed form.
    pub weights_sha256: String,
    /// SHA-256 of the encoder that made the codes; absent where codes are the factors themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder_sha256: Option<String>,
    /// How often measures were seeded anew, and halves of the rows drawn.
    pub repeats: usize,
    /// The first of the seeds.
    pub seed: u64,
    /// One for each score that has one.
    pub scores: Vec<SmallestDifference>,
}

/// The smallest difference of one score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmallestDifference {
    /// The measure's name.
    pub measure: String,
    /// The score's name.
    pub score: String,
    /// The rows that the score is of: the first ones. With fewer rows it is larger.
    pub rows: usize,
    /// The smallest difference that means anything, in the score's unit.
    pub smallest: f64,
}

impl SmallestDifferences {
    /// Whether they are of these codes.
    #[must_use]
    pub fn is_of(&self, codes: &AboutCodes) -> bool {
        self.weights_sha256 == codes.weights_sha256 && self.encoder_sha256 == codes.encoder_sha256
    }

    /// That of a score from so many rows; none where it was not kept.
    #[must_use]
    pub fn of(&self, measure: &str, score: &str, rows: usize) -> Option<f64> {
        let mut all = self.scores.iter();
        let found = all.find(|it| it.measure == measure && it.score == score && it.rows == rows);
        found.map(|it| it.smallest)
    }
}
