//! A lab's own decoder: from a file that another framework exported to a bundle.
//!
//! Native only. A decoder becomes a list of layers or a graph ([`onnx`], [`layers`]), the lab's latent
//! vectors become dials ([`latents`]), and [`assemble`] decodes and compares.
//!
//! - Files are somebody else's: they are read only if ordinary and of a size that fits ([`untrusted_file`]).
//! - An operator that is not known is refused by name, never left out.
//!
//! Deliberately absent: a run-time for ONNX, and Python: frameworks export before, and their own outputs
//! can be compared with ours ([`reference`](mod@reference)).

pub mod assemble;
mod builder;
pub mod encoder;
mod error;
mod exported;
mod graph;
pub mod latents;
pub mod layers;
pub mod layout;
mod not_finite;
pub mod onnx;
pub mod reference;
pub mod suggestion;
pub mod untrusted_file;

pub use arrays::NumericArray;
pub use error::ImportError;
pub use exported::ExportedDecoder;
pub use layout::Layout;
