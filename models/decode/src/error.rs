//! Faults of a file of tensors.

/// Why a file was refused: which file, which tensor, what was expected and found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WeightsError {
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
}
