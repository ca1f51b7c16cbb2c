//! A lab's own decoder: from a file that another framework exported to a bundle.
//!
//! Native only, behind the feature `import`.

pub mod assemble;
mod builder;
mod error;
mod exported;
pub mod latents;
pub mod layers;
pub mod layout;
pub mod onnx;
pub mod reference;
pub mod table;

pub use error::ImportError;
pub use exported::Exported;
pub use layout::Layout;
pub use table::Table;
