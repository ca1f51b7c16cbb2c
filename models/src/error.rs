//! What can be wrong with a bundle.

use domain::latent::LatentError;

use crate::architecture::ArchitectureError;

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
    #[error("cannot read {path}: {error}")]
    Io {
        /// Where it is.
        path: String,
        /// What the system said.
        #[source]
        error: std::io::Error,
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
    /// A file is no safetensors file, or cut short.
    #[error("{file}: not a complete safetensors file: {message}")]
    Safetensors {
        /// The file.
        file: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// A tensor is not in the file.
    #[error("{file}: tensor {tensor:?} {expected:?} is missing")]
    MissingTensor {
        /// The file.
        file: &'static str,
        /// The tensor.
        tensor: String,
        /// Its shape, were it there.
        expected: Vec<usize>,
    },
    /// A tensor is in the file that nothing reads.
    #[error("{file}: tensor {tensor:?} belongs to no layer")]
    ExtraTensor {
        /// The file.
        file: &'static str,
        /// The tensor.
        tensor: String,
    },
    /// A tensor holds numbers of the wrong kind.
    #[error("{file}: tensor {tensor:?} is of type {found}, not F32")]
    Dtype {
        /// The file.
        file: &'static str,
        /// The tensor.
        tensor: String,
        /// The type found.
        found: String,
    },
    /// A tensor has the wrong shape.
    #[error("{file}: tensor {tensor:?} has shape {found:?}, not {expected}")]
    Shape {
        /// The file.
        file: &'static str,
        /// The tensor.
        tensor: String,
        /// The shape that would be right.
        expected: String,
        /// The shape found.
        found: Vec<usize>,
    },
    /// A tensor holds an infinity or something that is no number.
    #[error("{file}: tensor {tensor:?} holds {value} at position {position}")]
    NotFinite {
        /// The file.
        file: &'static str,
        /// The tensor.
        tensor: String,
        /// 0-based position in the flattened tensor.
        position: usize,
        /// What is there.
        value: f32,
    },
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
    /// candle could not take the weights.
    #[error("weights: {0}")]
    Tensor(#[from] candle_core::Error),
}
