//! Why a decoder could not be imported.

use arrays::ArrayError;
use decode::WeightsError;
use models::BundleError;

/// What is wrong, where, and what can be done.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file as a whole cannot be used.
    #[error("{0}")]
    File(String),
    /// A tensor of the file cannot be used.
    #[error("tensor {name:?}: {problem}")]
    Tensor {
        /// The tensor.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A node of an ONNX graph has no counterpart here.
    #[error("node {node:?} ({operator}): {problem}")]
    Node {
        /// Name of the node, or of its first output where it has none.
        node: String,
        /// Its operator.
        operator: String,
        /// What is wrong, and what can be done.
        problem: String,
    },
    /// What was asked for does not fit the decoder, or is missing: every problem, a line each.
    #[error("{}", .0.join("\n"))]
    Wishes(Vec<String>),
    /// The decoder computes something that is of no use in a study.
    #[error("{0}")]
    Decoded(String),
    /// The bundle made is refused.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

impl From<ArrayError> for ImportError {
    fn from(error: ArrayError) -> Self {
        Self::File(error.to_string())
    }
}

impl From<WeightsError> for ImportError {
    fn from(error: WeightsError) -> Self {
        Self::Bundle(error.into())
    }
}

impl ImportError {
    /// A problem with the whole file.
    pub(crate) fn file(problem: impl Into<String>) -> Self {
        Self::File(problem.into())
    }

    /// A problem with a tensor.
    pub(crate) fn tensor(name: &str, problem: impl Into<String>) -> Self {
        Self::Tensor {
            name: name.to_owned(),
            problem: problem.into(),
        }
    }
}
