//! Faults of a bundle.

use decode::WeightsError;
use decode::architecture::ArchitectureError;
use domain::model::latent::LatentError;

use crate::ordinary_file::FileFault;

/// Why a bundle was refused: which file, which tensor, what was expected and found.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// A file that the card calls for is not there.
    #[error("{file} is missing")]
    Missing {
        /// The file.
        file: &'static str,
    },
    /// A file is there that the card has no use for.
    #[error("{file} is there, but {why}")]
    Unexpected {
        /// The file.
        file: &'static str,
        /// Why it cannot belong to the bundle.
        why: &'static str,
    },
    /// A file could not be read.
    #[error("{path}: {fault}")]
    File {
        /// Where it is.
        path: String,
        /// Why.
        #[source]
        fault: FileFault,
    },
    /// A file could not be written.
    #[error("cannot write {path}: {error}")]
    Write {
        /// Where it should be.
        path: String,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },
    /// A bundle, or something else, is where one should be written.
    #[error("{path} is there already")]
    Exists {
        /// The folder.
        path: String,
    },
    /// A JSON file is malformed or of the wrong form.
    #[error("{file}: {message}")]
    Json {
        /// The file.
        file: &'static str,
        /// Place and problem.
        message: String,
    },
    /// The card is at odds with itself.
    #[error("card.json: {problem}")]
    Card {
        /// What is wrong.
        problem: String,
    },
    /// The decoder's layers do not fit together.
    #[error("card.json: architecture: {0}")]
    Architecture(#[source] ArchitectureError),
    /// The weights are not those the card was written for.
    #[error("{file}: SHA-256 is {found}, the card says {expected}")]
    Hash {
        /// The file.
        file: &'static str,
        /// Sum on the card, in hex.
        expected: String,
        /// Sum of the file, in hex.
        found: String,
    },
    /// A file of tensors is not what it should be.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// A held-out latent vector is not in the latent space.
    #[error("held_out.safetensors: row {row}: {error}")]
    HeldOutRow {
        /// 0-based row.
        row: usize,
        /// What is wrong with it.
        #[source]
        error: LatentError,
    },
    /// The folder (or the key) and the card name different models.
    #[error("the bundle is called {found:?}, its card says {expected:?}")]
    Name {
        /// Name on the card.
        expected: String,
        /// Name of the folder.
        found: String,
    },
    /// The layers do not compile to a plan, and this program is built without candle.
    #[error(
        "card.json: architecture: this decoder does not compile to a plan, and there is no candle here to run it"
    )]
    NoPlan,
    /// candle could not take the weights, or compute with them.
    #[error("weights: {message}")]
    Compute {
        /// What candle said.
        message: String,
    },
}

#[cfg(feature = "candle")]
impl From<candle_core::Error> for BundleError {
    fn from(error: candle_core::Error) -> Self {
        Self::Compute {
            message: error.to_string(),
        }
    }
}
