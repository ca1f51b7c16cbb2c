//! Transposed convolution to fewer maps than fill a vector: most often to one.
//!
//! Here the taps take the place of the outputs: an input pixel times the weights gives
//! its whole patch at once, which is added to a plane with room for every patch, and
//! the plane without its padding is the output.

use super::isa::{Isa, dispatch};
use super::nonzero::NonZero;
use super::patches::Patches;
use super::simd::{LANES, Simd};

/// A transposed convolution with few outputs.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    /// Geometry; `maps` is the number of outputs.
    pub patches: Patches,
    /// Channels it takes.
    pub inputs: usize,
    /// Values from one input pixel to the next.
    pub input_step: usize,
    /// Weights `[vector][input][LANES]`, where the vectors together go through
    /// `[ky][kx][output]`.
    pub weights: Vec<f32>,
    /// One per output.
    pub bias: Vec<f32>,
}

impl Columns {
    /// Packs weights; `at(output, input, ky, kx)` is the weight.
    pub(crate) fn pack(
        outputs: usize,
        inputs: usize,
        kernel: usize,
        at: impl Fn(usize, usize, usize, usize) -> f32,
    ) -> Vec<f32> {
        let taps = kernel * kernel * outputs;
        let mut packed = Vec::new();
        for begin in (0..taps).step_by(2 * LANES) {
            let end = (begin + 2 * LANES).min(taps.next_multiple_of(LANES));
            for input in 0..inputs {
                packed.extend((begin..end).map(|tap| {
                    let (tap, output) = (tap / outputs, tap % outputs);
                    if tap < kernel * kernel {
                        at(output, input, tap / kernel, tap % kernel)
                    } else {
                        0.0
                    }
                }));
            }
        }
        packed
    }

    /// Rows and columns of the plane.
    fn plane(&self) -> (usize, usize) {
        let side = |n: usize| (n - 1) * self.patches.stride + self.patches.kernel;
        (side(self.patches.grid.0), side(self.patches.grid.1))
    }

    /// Values of the plane, if that is a number.
    pub(crate) fn plane_len(&self) -> Option<usize> {
        let side = |n: usize| {
            let last = n.checked_sub(1)?.checked_mul(self.patches.stride)?;
            last.checked_add(self.patches.kernel)
        };
        side(self.patches.grid.0)?
            .checked_mul(side(self.patches.grid.1)?)?
            .checked_mul(self.patches.maps)
    }

    /// Values of the plane, and of a patch in whole vectors.
    pub(crate) fn scratch_len(&self) -> (usize, usize) {
        let (rows, columns) = self.plane();
        let taps = self.patches.taps();
        (
            rows * columns * self.patches.maps,
            taps.next_multiple_of(LANES),
        )
    }

    /// Applies the layer to one picture. `plane` and `patch` are as long as
    /// [`scratch_len`](Self::scratch_len) says, or longer.
    pub(crate) fn apply(
        &self,
        isa: Isa,
        x: &[f32],
        y: &mut [f32],
        nonzero: &mut NonZero,
        (plane, patch): (&mut [f32], &mut [f32]),
    ) {
        let (plane_len, patch_len) = self.scratch_len();
        assert_eq!(self.weights.len(), self.inputs * patch_len);
        assert_eq!(x.len(), self.patches.positions() * self.input_step);
        assert_eq!(y.len(), self.patches.pixels() * self.patches.maps);
        let plane = &mut plane[..plane_len];
        dispatch!(isa, run(self, x, plane, &mut patch[..patch_len], nonzero));
        self.cut(plane, y);
    }

    /// The part of the plane that is the output, with the bias added.
    fn cut(&self, plane: &[f32], y: &mut [f32]) {
        let (maps, padding) = (self.patches.maps, self.patches.padding);
        let (rows, columns) = self.plane();
        // Where the plane's first pixel lies in the output, if negative, is how many
        // are left out.
        let place = |padding: i32, n: usize, out: usize| {
            let skipped = usize::try_from(padding).unwrap_or(0);
            let to = usize::try_from(-i64::from(padding)).unwrap_or(0);
            let len = n.saturating_sub(skipped).min(out.saturating_sub(to));
            (skipped, to, len)
        };
        let (from_row, to_row, height) = place(padding.top, rows, self.patches.large.0);
        let (from_column, to_column, width) = place(padding.left, columns, self.patches.large.1);
        for (row, y) in y.chunks_exact_mut(self.patches.large.1 * maps).enumerate() {
            for pixel in y.chunks_exact_mut(maps) {
                pixel.copy_from_slice(&self.bias);
            }
            if row < to_row || row - to_row >= height {
                continue;
            }
            let from = &plane[((row - to_row + from_row) * columns + from_column) * maps..];
            for (y, value) in y[to_column * maps..].iter_mut().zip(&from[..width * maps]) {
                *y += value;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(layer: &Columns, x: &[f32], plane: &mut [f32], patch: &mut [f32], nonzero: &mut NonZero) {
    run::<super::simd::Avx2>(layer, x, plane, patch, nonzero);
}

#[inline(always)]
fn run<S: Simd>(
    layer: &Columns,
    x: &[f32],
    plane: &mut [f32],
    patch: &mut [f32],
    nonzero: &mut NonZero,
) {
    nonzero.list(x, layer.inputs, layer.input_step, 1.0);
    plane.fill(0.0);
    let patches = &layer.patches;
    let row_len = layer.plane().1 * patches.maps;
    let patch_row = patches.kernel * patches.maps;
    for position in 0..patches.positions() {
        let list = nonzero.of(position);
        let mut done = 0;
        while done < patch.len() {
            let weights = &layer.weights[done * layer.inputs..];
            done += if patch.len() - done >= 2 * LANES {
                products::<S, 2>(layer.inputs, weights, list, &mut patch[done..])
            } else {
                products::<S, 1>(layer.inputs, weights, list, &mut patch[done..])
            };
        }
        let (row, column) = (position / patches.grid.1, position % patches.grid.1);
        let first = row * patches.stride * row_len + column * patches.stride * patches.maps;
        for (ky, patch) in patch
            .chunks_exact(patch_row)
            .take(patches.kernel)
            .enumerate()
        {
            let plane = &mut plane[first + ky * row_len..][..patch_row];
            for (to, value) in plane.iter_mut().zip(patch) {
                *to += value;
            }
        }
    }
}

/// Some vectors of a patch; how many values that were.
#[inline(always)]
fn products<S: Simd, const VECTORS: usize>(
    inputs: usize,
    weights: &[f32],
    list: &[(u32, f32)],
    patch: &mut [f32],
) -> usize {
    let (weights, _) = weights[..inputs * VECTORS * LANES].as_chunks::<LANES>();
    let (weights, _) = weights.as_chunks::<VECTORS>();
    // Even and odd channels are summed apart, so that additions need not wait.
    let mut sums = [[S::splat(0.0); VECTORS]; 2];
    let add = |(input, value): (u32, f32), sums: &mut [S; VECTORS]| {
        // SAFETY: there are `inputs` rows of weights, and `NonZero` lists channels
        // below that.
        let row = unsafe { weights.get_unchecked(input as usize) };
        let value = S::splat(value);
        for (sum, weights) in sums.iter_mut().zip(row) {
            *sum = sum.add_product(S::load(weights), value);
        }
    };
    let (pairs, last) = list.as_chunks::<2>();
    for &[even, odd] in pairs {
        add(even, &mut sums[0]);
        add(odd, &mut sums[1]);
    }
    for &entry in last {
        add(entry, &mut sums[0]);
    }
    let (chunks, _) = patch.as_chunks_mut::<LANES>();
    for (i, chunk) in chunks.iter_mut().take(VECTORS).enumerate() {
        sums[0][i].add(sums[1][i]).store(chunk);
    }
    VECTORS * LANES
}
