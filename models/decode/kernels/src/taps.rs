//! Convolution and transposed convolution, one tap of the kernel after the other.
//!
//! Pictures lie channels last. For one tap, every position of the grid has one pixel
//! that it reads and one that it adds to; the sums of a block of outputs are loaded
//! from the output, grown by one weight row per input channel that is not zero, and
//! stored back: no matrix of columns is made. A tap's weights for a block stay in the
//! nearest cache while all positions use them.

use super::isa::{Isa, dispatch};
use super::nonzero::NonZero;
use super::patches::Patches;
use super::simd::{LANES, Simd};

/// Outputs computed together, where there are as many.
const BLOCK: usize = 32;

/// A convolution in either direction.
#[derive(Debug, Clone)]
pub struct Taps {
    /// Whether the grid reads the large picture (convolution) or the large picture is
    /// the output (transposed convolution).
    pub transposed: bool,
    /// Geometry; `maps` is not used.
    pub patches: Patches,
    /// Channels it takes.
    pub inputs: usize,
    /// Values from one input pixel to the next.
    pub input_step: usize,
    /// Weights `[block][ky][kx][input][outputs of the block]`.
    pub weights: Vec<f32>,
    /// One per output, a multiple of [`LANES`].
    pub bias: Vec<f32>,
}

impl Taps {
    /// Packs weights; `at(output, input, ky, kx)` is the weight, and 0 for outputs that
    /// only fill a vector.
    pub fn pack(
        outputs: usize,
        inputs: usize,
        kernel: usize,
        at: impl Fn(usize, usize, usize, usize) -> f32,
    ) -> Vec<f32> {
        let mut packed = Vec::with_capacity(outputs * inputs * kernel * kernel);
        for begin in (0..outputs).step_by(BLOCK) {
            let block = begin..outputs.min(begin + BLOCK);
            for ky in 0..kernel {
                for kx in 0..kernel {
                    for input in 0..inputs {
                        packed.extend(block.clone().map(|output| at(output, input, ky, kx)));
                    }
                }
            }
        }
        packed
    }

    /// Pixels of the picture it reads.
    pub fn input_pixels(&self) -> usize {
        if self.transposed {
            self.patches.positions()
        } else {
            self.patches.pixels()
        }
    }

    /// Values it writes.
    pub fn output_len(&self) -> usize {
        let pixels = if self.transposed {
            self.patches.pixels()
        } else {
            self.patches.positions()
        };
        pixels * self.bias.len()
    }

    /// Applies the layer to one picture.
    pub fn apply(&self, isa: Isa, x: &[f32], y: &mut [f32], nonzero: &mut NonZero) {
        let outputs = self.bias.len();
        let weights = self.inputs * self.patches.kernel * self.patches.kernel * outputs;
        assert!(outputs.is_multiple_of(LANES) && self.weights.len() == weights);
        assert_eq!(x.len(), self.input_pixels() * self.input_step);
        assert_eq!(y.len(), self.output_len());
        dispatch!(isa, run(self, x, y, nonzero));
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(layer: &Taps, x: &[f32], y: &mut [f32], nonzero: &mut NonZero) {
    run::<super::simd::Avx2>(layer, x, y, nonzero);
}

#[inline(always)]
fn run<S: Simd>(layer: &Taps, x: &[f32], y: &mut [f32], nonzero: &mut NonZero) {
    nonzero.list(x, layer.inputs, layer.input_step, 1.0);
    let outputs = layer.bias.len();
    let (pixels, _) = y.as_chunks_mut::<LANES>();
    let (bias, _) = layer.bias.as_chunks::<LANES>();
    for (chunk, bias) in pixels.iter_mut().zip(bias.iter().cycle()) {
        S::load(bias).store(chunk);
    }
    let all_taps = layer.patches.kernel * layer.patches.kernel * layer.inputs;
    for begin in (0..outputs).step_by(BLOCK) {
        let width = BLOCK.min(outputs - begin);
        let weights = &layer.weights[begin * all_taps..][..width * all_taps];
        match width / LANES {
            1 => block::<S, 1>(layer, begin, weights, y, nonzero),
            2 => block::<S, 2>(layer, begin, weights, y, nonzero),
            3 => block::<S, 3>(layer, begin, weights, y, nonzero),
            _ => block::<S, 4>(layer, begin, weights, y, nonzero),
        }
    }
}

#[inline(always)]
fn block<S: Simd, const VECTORS: usize>(
    layer: &Taps,
    begin: usize,
    weights: &[f32],
    y: &mut [f32],
    nonzero: &NonZero,
) {
    let (outputs, patches) = (layer.bias.len(), &layer.patches);
    let (weights, _) = weights.as_chunks::<LANES>();
    let taps = weights.chunks_exact(layer.inputs * VECTORS);
    for (tap, weights) in taps.enumerate() {
        let (weights, _) = weights.as_chunks::<VECTORS>();
        let (ky, kx) = (tap / patches.kernel, tap % patches.kernel);
        let (stride, padding) = (patches.stride, patches.padding);
        let (ys, first_row) =
            Patches::span(ky, stride, padding.top, patches.grid.0, patches.large.0);
        let (xs, first_column) =
            Patches::span(kx, stride, padding.left, patches.grid.1, patches.large.1);
        for (row, grid_row) in ys.enumerate() {
            for (column, grid_column) in xs.clone().enumerate() {
                let in_grid = grid_row * patches.grid.1 + grid_column;
                let in_large =
                    (first_row + row * stride) * patches.large.1 + first_column + column * stride;
                let (from, to) = if layer.transposed {
                    (in_grid, in_large)
                } else {
                    (in_large, in_grid)
                };
                let (pixel, _) =
                    y[to * outputs + begin..][..VECTORS * LANES].as_chunks_mut::<LANES>();
                let mut sums = [S::splat(0.0); VECTORS];
                for (sum, pixel) in sums.iter_mut().zip(&*pixel) {
                    *sum = S::load(pixel);
                }
                for &(input, value) in nonzero.of(from) {
                    // SAFETY: a tap has `inputs` rows of weights, and `NonZero` lists
                    // channels below that.
                    let row = unsafe { weights.get_unchecked(input as usize) };
                    let value = S::splat(value);
                    for (sum, weights) in sums.iter_mut().zip(row) {
                        *sum = sum.add_product(S::load(weights), value);
                    }
                }
                for (sum, pixel) in sums.iter().zip(pixel) {
                    sum.store(pixel);
                }
            }
        }
    }
}
