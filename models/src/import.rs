//! A lab's own decoder: from a file that another framework exported to a bundle.
//!
//! Native only, behind the feature `import`.

mod builder;
mod error;
pub mod onnx;

pub use error::ImportError;
