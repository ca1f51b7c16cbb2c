//! Transposed convolution to fewer maps than fill a vector: most often to one.
//!
//! Here the taps take the place of the outputs: the pixels of an input row times the
//! weights are their patches, a dense product, and every output is the sum of the few
//! values of patches that fall on it.

use super::isa::{Isa, dispatch};
use super::patches::Patches;
use super::product::{ROWS, product};
use super::simd::{LANES, Simd};

/// A transposed convolution with few outputs.
#[derive(Debug, Clone)]
pub struct Columns {
    /// Geometry; `maps` is the number of outputs.
    pub patches: Patches,
    /// Channels it takes.
    pub inputs: usize,
    /// Values from one input pixel to the next.
    pub input_step: usize,
    /// Weights `[panel][input][LANES]`, where the panels together go through
    /// `[ky][kx][output]`.
    pub weights: Vec<f32>,
    /// One per output.
    pub bias: Vec<f32>,
}

/// Largest number of values to work in: a kernel as large as the picture makes patches of
/// that size for every pixel.
const MAX_SCRATCH: usize = 1 << 24;

impl Columns {
    /// Whether a transposed convolution had better go this way: it gives fewer maps than
    /// fill a vector, and its patches do not fill the memory.
    pub fn suit(patches: &Patches) -> bool {
        let reach = patches.reach();
        let factors = [
            reach,
            reach.saturating_mul(2).saturating_add(patches.grid.1),
            patches.kernel,
            patches.kernel,
            patches.maps,
        ];
        let scratch = factors.into_iter().fold(1, usize::saturating_mul);
        patches.maps < LANES && scratch <= MAX_SCRATCH
    }

    /// Packs weights; `at(output, input, ky, kx)` is the weight.
    pub fn pack(
        outputs: usize,
        inputs: usize,
        kernel: usize,
        at: impl Fn(usize, usize, usize, usize) -> f32,
    ) -> Vec<f32> {
        let taps = kernel * kernel * outputs;
        let mut packed = Vec::with_capacity(taps.next_multiple_of(LANES) * inputs);
        for begin in (0..taps).step_by(LANES) {
            for input in 0..inputs {
                packed.extend((begin..begin + LANES).map(|tap| {
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

    /// Values of a patch, in whole vectors.
    fn patch_len(&self) -> usize {
        self.patches.taps().next_multiple_of(LANES)
    }

    /// Values of a row of patches, with those that would lie beside it.
    fn row_len(&self) -> usize {
        (self.patches.grid.1 + 2 * (self.patches.reach() - 1)) * self.patch_len()
    }

    /// Values it needs to work in: all rows of patches that reach a row of pixels.
    pub fn scratch_len(&self) -> usize {
        self.patches.reach() * self.row_len()
    }

    /// Applies the layer to one picture. `scratch` is as long as
    /// [`scratch_len`](Self::scratch_len) says, or longer.
    pub fn apply(&self, isa: Isa, x: &[f32], y: &mut [f32], scratch: &mut [f32]) {
        let (positions, pixels) = (self.patches.positions(), self.patches.pixels());
        assert_eq!(self.weights.len(), self.inputs * self.patch_len());
        assert_eq!(x.len(), positions * self.input_step);
        assert_eq!(y.len(), pixels * self.patches.maps);
        let scratch = &mut scratch[..self.scratch_len()];
        scratch.fill(0.0);
        for (y, bias) in y.iter_mut().zip(self.bias.iter().cycle()) {
            *y = *bias;
        }
        let reach = self.patches.reach();
        let margin = (reach - 1) * self.patch_len();
        let mut rows = x.chunks_exact(self.patches.grid.1 * self.input_step);
        for row in 0..self.patches.grid.0 + reach - 1 {
            if let Some(x) = rows.next() {
                let patches = &mut scratch[row % reach * self.row_len()..][margin..];
                dispatch!(isa, products(self, x, patches));
            }
            self.add_up(row, scratch, y);
        }
    }

    /// Adds patches to the rows of pixels that those of `row` are the last to reach;
    /// the patches of a row lie at its number modulo [`reach`](Patches::reach).
    fn add_up(&self, row: usize, patches: &[f32], y: &mut [f32]) {
        let Patches {
            maps,
            large,
            grid,
            kernel,
            stride,
            padding,
        } = self.patches;
        let (reach, patch_len) = (self.patches.reach(), self.patch_len());
        // The outputs that have `phase` to do with it, and the patches that reach them
        // last: beyond the grid there are none, but those before them.
        let of_phase = |phase, edge, grid: usize, large| {
            Patches::span(phase, stride, edge, grid + reach - 1, large)
        };
        for phase_y in 0..stride.min(kernel) {
            let (rows, first) = of_phase(phase_y, padding.top, grid.0, large.0);
            if !rows.contains(&row) {
                continue;
            }
            let line = (first + (row - rows.start) * stride) * large.1;
            for phase_x in 0..stride.min(kernel) {
                let (columns, first) = of_phase(phase_x, padding.left, grid.1, large.1);
                if columns.is_empty() {
                    continue;
                }
                for map in 0..maps {
                    let mut sum = Sum {
                        line: &mut y[(line + first) * maps + map..],
                        step: stride * maps,
                        patches,
                        patch_len,
                        count: columns.len(),
                    };
                    let mut terms = ([0; 4], 0);
                    for (back_y, ky) in (phase_y..kernel).step_by(stride).enumerate() {
                        if row < back_y || row - back_y >= grid.0 {
                            continue;
                        }
                        let start = (row - back_y) % reach * self.row_len();
                        for (back_x, kx) in (phase_x..kernel).step_by(stride).enumerate() {
                            let patch = columns.start + reach - 1 - back_x;
                            let tap = (ky * kernel + kx) * maps + map;
                            terms.0[terms.1] = start + patch * patch_len + tap;
                            terms.1 += 1;
                            if terms.1 == 4 {
                                sum.add(terms.0);
                                terms.1 = 0;
                            }
                        }
                    }
                    match terms.0[..terms.1] {
                        [a] => sum.add([a]),
                        [a, b] => sum.add([a, b]),
                        [a, b, c] => sum.add([a, b, c]),
                        _ => {}
                    }
                }
            }
        }
    }
}

/// Outputs `step` values apart, and the patches that reach them.
struct Sum<'a> {
    line: &'a mut [f32],
    step: usize,
    patches: &'a [f32],
    patch_len: usize,
    count: usize,
}

impl Sum<'_> {
    /// Adds values of patches to the outputs: each term is where the first output's is;
    /// the next output's lies a patch further.
    #[inline]
    fn add<const TERMS: usize>(&mut self, terms: [usize; TERMS]) {
        let last = self.count - 1;
        assert!(self.line.len() > last * self.step);
        for term in terms {
            assert!(self.patches.len() > term + last * self.patch_len);
        }
        for i in 0..self.count {
            // SAFETY: `i` is at most `last`, for which there are enough of both.
            let value = |term| unsafe { self.patches.get_unchecked(term + i * self.patch_len) };
            let sum: f32 = terms.iter().map(value).sum();
            // SAFETY: as above.
            *unsafe { self.line.get_unchecked_mut(i * self.step) } += sum;
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(layer: &Columns, x: &[f32], patches: &mut [f32]) {
    products::<super::simd::Avx2>(layer, x, patches);
}

/// The patches of a row of pixels.
#[inline(always)]
fn products<S: Simd>(layer: &Columns, x: &[f32], patches: &mut [f32]) {
    let pixels = layer.patches.grid.1;
    let panels = layer.patch_len() / LANES;
    let (weights, _) = layer.weights.as_chunks::<LANES>();
    let (patches, _) = patches.as_chunks_mut::<LANES>();
    let mut pixel = 0;
    while pixel < pixels {
        let rows = (&x[pixel * layer.input_step..], layer.input_step);
        let to = &mut patches[pixel * panels..];
        pixel += match pixels - pixel {
            1 => some::<S, 1>(layer.inputs, rows, weights, to, panels),
            2 => some::<S, 2>(layer.inputs, rows, weights, to, panels),
            3 => some::<S, 3>(layer.inputs, rows, weights, to, panels),
            _ => some::<S, ROWS>(layer.inputs, rows, weights, to, panels),
        };
    }
}

/// The patches of some pixels; how many those are.
#[inline(always)]
fn some<S: Simd, const PIXELS: usize>(
    inputs: usize,
    pixels: (&[f32], usize),
    weights: &[[f32; LANES]],
    to: &mut [[f32; LANES]],
    panels: usize,
) -> usize {
    let mut panel = 0;
    while panel < panels {
        let weights = (&weights[panel * inputs..], inputs);
        panel += if S::WIDE && panel + 1 < panels {
            let sums = product::<S, PIXELS, 2>(pixels, weights, inputs);
            store(sums, &mut to[panel..], panels)
        } else {
            let sums = product::<S, PIXELS, 1>(pixels, weights, inputs);
            store(sums, &mut to[panel..], panels)
        };
    }
    PIXELS
}

/// Stores sums; of how many panels they are.
#[inline(always)]
fn store<S: Simd, const PIXELS: usize, const PANELS: usize>(
    sums: [[S; PANELS]; PIXELS],
    to: &mut [[f32; LANES]],
    step: usize,
) -> usize {
    for (pixel, sums) in sums.into_iter().enumerate() {
        for (panel, sum) in sums.into_iter().enumerate() {
            sum.store(&mut to[pixel * step + panel]);
        }
    }
    PANELS
}
