//! Making bundles: from a lab's arrays, from marks that people have made, and at random.

mod learnt;
mod manual;
mod random;
mod resample;
mod template;

pub use learnt::{LabArrays, import};
pub use manual::{MarkedBundle, manual};
pub use random::{RandomBundle, random};
pub use template::{BundleTemplate, ExampleConcept};
