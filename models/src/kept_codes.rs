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

use serde::{Deserialize, Serialize};

use crate::card::Card;

/// Name of the file of codes.
pub const CODES_FILE: &str = "codes.npy";
/// Name of the file of true factors.
pub const FACTORS_FILE: &str = "factors.npy";
/// Name of the file that says what the two hold.
pub const ABOUT_CODES_FILE: &str = "codes.json";

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
