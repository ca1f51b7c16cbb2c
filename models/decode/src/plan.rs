//! Decoders compiled for decoding: what the layers of a card become when weights are
//! loaded.
//!
//! Everything that does not depend on the latent vector is done once: batch norms go
//! into the weights before them, activations are joined to the layer before them, flat
//! vectors are reordered (by moving weights) so that maps lie channels last throughout,
//! and weights are packed in the order in which the kernels read them. Running a plan
//! allocates nothing.

use crate::architecture::Layer;
use crate::weights::StoredTensors;
use kernels::Isa;
use kernels::columns::Columns;
use kernels::dense::Dense;
use kernels::epilogue::Epilogue;
use kernels::grouped::Grouped;
use kernels::simd_lanes;
use kernels::taps::Taps;
use kernels::winograd::Winograd;

mod compile;
mod conv;
mod draft;
mod groups;
mod run;
mod runner;

use groups::Groups;
pub use run::Scratch;
pub use runner::{Memory, PlanRunner};

/// A sequential decoder, compiled.
#[derive(Debug, Clone)]
pub struct DecodingPlan {
    isa: Isa,
    steps: Vec<Step>,
    width: usize,
    instance_len: usize,
}

/// One step: what to do, and what to do to its results.
#[derive(Debug, Clone)]
struct Step {
    computation: Computation,
    epilogue: Epilogue,
    /// Number of values that come out.
    len: usize,
}

#[derive(Debug, Clone)]
enum Computation {
    Dense(Dense),
    Taps(Taps),
    Winograd(Winograd),
    Columns(Columns),
    Grouped(Grouped),
    Groups(Groups),
    /// Copies values: from where each one comes; [`HOLE`] for a zero.
    Gather(Vec<u32>),
    /// Repeats pixels of `step` values: rows and columns of the input, and how often.
    Upsample {
        height: usize,
        width: usize,
        step: usize,
        scale: usize,
    },
    /// Nothing but the epilogue.
    EpilogueOnly,
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepOperation {
    /// Multiplies a vector by a matrix.
    Dense,
    /// A convolution, tap by tap.
    Taps,
    /// A convolution by Winograd's short products.
    Winograd,
    /// A convolution as a product with a matrix of patches.
    Columns,
    /// A convolution in small groups, as many maps at a time as a vector has lanes.
    Grouped,
    /// A convolution in larger groups, one after the other.
    Groups,
    /// Copies values to other places.
    Gather,
    /// Repeats pixels.
    Upsample,
    /// Changes every value on its own.
    Pointwise,
}

impl StepOperation {
    /// Whether it reads weights.
    #[must_use]
    pub fn has_weights(self) -> bool {
        matches!(
            self,
            Self::Dense
                | Self::Taps
                | Self::Winograd
                | Self::Columns
                | Self::Grouped
                | Self::Groups
        )
    }
}

impl Computation {
    fn operation(&self) -> StepOperation {
        match self {
            Self::Dense(_) => StepOperation::Dense,
            Self::Taps(_) => StepOperation::Taps,
            Self::Winograd(_) => StepOperation::Winograd,
            Self::Columns(_) => StepOperation::Columns,
            Self::Grouped(_) => StepOperation::Grouped,
            Self::Groups(_) => StepOperation::Groups,
            Self::Gather(_) => StepOperation::Gather,
            Self::Upsample { .. } => StepOperation::Upsample,
            Self::EpilogueOnly => StepOperation::Pointwise,
        }
    }
}

/// Values from one pixel of maps to the next: a whole number of vectors, if there are enough
/// channels to fill one.
fn step_of(channels: usize) -> usize {
    if channels < simd_lanes() {
        channels
    } else {
        channels.next_multiple_of(simd_lanes())
    }
}

/// No place.
const HOLE: u32 = u32::MAX;

impl DecodingPlan {
    /// Compiles layers that take a vector of `width` values, with the tensors that they
    /// read. `None` when the layers do not fit together, or a tensor is missing or of
    /// another shape, or a layer is none that the kernels take.
    #[must_use]
    pub fn compile(layers: &[Layer], width: usize, stored: &StoredTensors) -> Option<Self> {
        compile::compile(layers, width, stored, Isa::detect())
    }

    /// The same in plain Rust, whatever vectors the machine has: what tests compare with.
    #[must_use]
    #[cfg(not(target_arch = "wasm32"))]
    pub fn compile_portable(
        layers: &[Layer],
        width: usize,
        stored: &StoredTensors,
    ) -> Option<Self> {
        compile::compile(layers, width, stored, Isa::portable())
    }

    /// What each step does, in order.
    #[must_use]
    pub fn operations(&self) -> Vec<StepOperation> {
        self.steps
            .iter()
            .map(|step| step.computation.operation())
            .collect()
    }

    /// Number of values that the decoder takes.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of values of an instance.
    #[must_use]
    pub fn instance_len(&self) -> usize {
        self.instance_len
    }
}
