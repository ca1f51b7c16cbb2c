//! Decoders compiled for decoding: what the layers of a card become when weights are
//! loaded.
//!
//! Everything that does not depend on the latent vector is done once: batch norms go
//! into the weights before them, activations are joined to the layer before them, flat
//! vectors are reordered (by moving weights) so that maps lie channels last throughout,
//! and weights are packed in the order in which the kernels read them. Running a plan
//! allocates nothing.

use crate::architecture::Layer;
use crate::kernels::Isa;
use crate::kernels::columns::Columns;
use crate::kernels::dense::Dense;
use crate::kernels::finish::Finish;
use crate::kernels::simd_lanes;
use crate::kernels::taps::Taps;
use crate::kernels::winograd::Winograd;
use crate::weights::Stored;

mod compile;
mod draft;
mod run;
#[cfg(test)]
mod tests;

pub use run::Scratch;

/// A sequential decoder, compiled.
#[derive(Debug, Clone)]
pub struct Plan {
    isa: Isa,
    steps: Vec<Step>,
    width: usize,
    instance_len: usize,
}

/// One step: what to do, and what to do to its results.
#[derive(Debug, Clone)]
struct Step {
    work: Work,
    finish: Finish,
    /// Number of values that come out.
    len: usize,
}

#[derive(Debug, Clone)]
enum Work {
    Dense(Dense),
    Taps(Taps),
    Winograd(Winograd),
    Columns(Columns),
    /// Copies values: from where each one comes; [`HOLE`] for a zero.
    Gather(Vec<u32>),
    /// Repeats pixels of `step` values: rows and columns of the input, and how often.
    Upsample {
        height: usize,
        width: usize,
        step: usize,
        scale: usize,
    },
    /// Nothing but the finish.
    Keep,
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

impl Plan {
    /// Compiles layers that take a vector of `width` values, with the tensors that they
    /// read. `None` when the layers do not fit together, or a tensor is missing or of
    /// another shape; candle's operations ([`Network`](crate::network::Network)) say
    /// why.
    #[must_use]
    pub fn compile(layers: &[Layer], width: usize, stored: &Stored) -> Option<Self> {
        compile::compile(layers, width, stored, Isa::detect())
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
