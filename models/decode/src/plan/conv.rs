//! The kernel that suits a convolution.

use super::groups::{Groups, Side};
use super::{Computation, Step, step_of};
use kernels::columns::Columns;
use kernels::epilogue::Epilogue;
use kernels::grouped::{Grouped, GroupedShape};
use kernels::patches::Patches;
use kernels::simd_lanes;
use kernels::taps::Taps;
use kernels::winograd::Winograd;

/// A convolution in either direction, as the batch norms after it have changed it.
pub(super) struct Conv {
    pub transposed: bool,
    /// Geometry; `maps` is the number of outputs.
    pub patches: Patches,
    pub inputs: usize,
    /// Values from one input pixel to the next.
    pub input_step: usize,
    pub groups: usize,
    /// `[outputs][inputs / groups][k][k]`.
    pub weight: Vec<f32>,
    /// One per output.
    pub bias: Vec<f32>,
}

impl Conv {
    /// Whether it goes by [`Columns`], which leaves no more values than there are maps; all
    /// others leave whole vectors.
    pub(super) fn sums_patches(&self) -> bool {
        self.groups == 1 && self.transposed && Columns::suit(&self.patches)
    }

    /// Packs the weights.
    pub(super) fn seal(self, mut epilogue: Epilogue) -> Step {
        let (computation, len) = if self.groups == 1 {
            self.whole(&mut epilogue)
        } else {
            self.grouped()
        };
        Step {
            computation,
            epilogue,
            len,
        }
    }

    /// The weight of an output and a map of its group, and 0 for outputs that only fill a vector.
    fn at(&self) -> impl Fn(usize, usize, usize, usize) -> f32 {
        let (k, of_group, outputs) = (
            self.patches.kernel,
            self.inputs / self.groups,
            self.bias.len(),
        );
        move |output, map, ky, kx| {
            if output < outputs {
                self.weight[((output * of_group + map) * k + ky) * k + kx]
            } else {
                0.0
            }
        }
    }

    /// A convolution in one group, and how many values it gives. Its kernel may take the slope
    /// below zero out of the epilogue.
    fn whole(self, epilogue: &mut Epilogue) -> (Computation, usize) {
        let (patches, outputs) = (self.patches, self.bias.len());
        if self.sums_patches() {
            let columns = Columns {
                patches,
                inputs: self.inputs,
                input_step: self.input_step,
                weights: Columns::pack(outputs, self.inputs, patches.kernel, self.at()),
                bias: self.bias,
            };
            return (Computation::Columns(columns), patches.pixels() * outputs);
        }
        let padded = outputs.next_multiple_of(simd_lanes());
        let mut bias = self.bias.clone();
        bias.resize(padded, 0.0);
        if self.transposed && winograd_pays(&patches, self.inputs, padded) {
            let inputs = (self.inputs, self.input_step);
            if let Some(winograd) = Winograd::new(patches, inputs, bias.clone(), self.at()) {
                let len = winograd.output_len();
                let winograd = winograd.with_slope(epilogue.take_slope());
                return (Computation::Winograd(winograd), len);
            }
        }
        let taps = Taps {
            transposed: self.transposed,
            patches,
            inputs: self.inputs,
            input_step: self.input_step,
            weights: Taps::pack(padded, self.inputs, patches.kernel, self.at()),
            bias,
        };
        let len = taps.output_len();
        (Computation::Taps(taps), len)
    }

    /// A convolution in several groups: lanes of vectors are maps of any group while groups are
    /// small, else one group is done after the other.
    fn grouped(self) -> (Computation, usize) {
        let (outputs, lanes) = (self.bias.len(), simd_lanes());
        let (taken, given) = (self.inputs / self.groups, outputs / self.groups);
        if taken <= lanes || given < lanes {
            let shape = GroupedShape {
                transposed: self.transposed,
                patches: self.patches,
                inputs: self.inputs,
                input_step: self.input_step,
                outputs,
                groups: self.groups,
            };
            if let Some(grouped) = Grouped::new(&shape, self.bias.clone(), self.at()) {
                let len = grouped.output_len();
                return (Computation::Grouped(grouped), len);
            }
        }
        let (grid, large) = (self.patches.positions(), self.patches.pixels());
        let (from, to) = if self.transposed {
            (grid, large)
        } else {
            (large, grid)
        };
        let size = self.weight.len() / self.groups;
        let parts = self
            .weight
            .chunks_exact(size)
            .zip(self.bias.chunks_exact(given));
        let parts = parts.map(|(weight, bias)| {
            let part = Self {
                patches: Patches {
                    maps: given,
                    ..self.patches
                },
                inputs: taken,
                input_step: step_of(taken),
                groups: 1,
                weight: weight.to_vec(),
                bias: bias.to_vec(),
                ..self
            };
            part.whole(&mut Epilogue::default())
        });
        let (parts, lens): (Vec<Computation>, Vec<usize>) = parts.unzip();
        let groups = Groups {
            parts,
            input: Side {
                pixels: from,
                step: self.input_step,
                maps: taken,
                part_step: step_of(taken),
            },
            output: Side {
                pixels: to,
                step: outputs.next_multiple_of(lanes),
                maps: given,
                part_step: lens.first().map_or(0, |len| len / to.max(1)),
            },
        };
        let len = groups.output_len();
        (Computation::Groups(groups), len)
    }
}

/// Whether Winograd's algorithm is faster than leaving out zeros: of which, after a
/// ReLU, there are a fifth to two thirds.
fn winograd_pays(patches: &Patches, inputs: usize, outputs: usize) -> bool {
    let direct = patches.positions() * patches.kernel * patches.kernel * inputs * outputs;
    Winograd::cost(patches, inputs, outputs).is_some_and(|cost| cost <= direct / 2)
}
