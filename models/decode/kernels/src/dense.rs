//! Dense layers: a vector times packed weights.
//!
//! Weights lie in blocks of [`BLOCK`] outputs, `[outputs / BLOCK][inputs][BLOCK]`, so
//! that one input's weights for a block are neighbours, and a whole block is read from
//! front to end. A block's sums stay in registers; inputs that are zero are left out.

use super::isa::{Isa, dispatch};
use super::nonzero::NonZero;
use super::simd::{LANES, Simd};

/// Outputs computed together.
pub const BLOCK: usize = 32;
const VECTORS: usize = BLOCK / LANES;
/// Rows of a batch computed together.
const ROWS: usize = 4;

/// Packed weights in the precision they are kept in.
#[derive(Debug, Clone)]
pub enum Packed {
    /// Single precision.
    F32(Vec<f32>),
    /// Half precision.
    F16(Vec<u16>),
    /// Whole numbers.
    Int8(Vec<i8>),
}

impl Packed {
    /// Packs weights; `at(output, input)` is where in `from` a weight is, if anywhere.
    pub fn pack<W: Copy + Default>(
        from: &[W],
        outputs: usize,
        inputs: usize,
        at: impl Fn(usize, usize) -> Option<usize>,
    ) -> Vec<W> {
        let mut packed = Vec::with_capacity(outputs.next_multiple_of(BLOCK) * inputs);
        for block in (0..outputs).step_by(BLOCK) {
            for input in 0..inputs {
                packed.extend((block..block + BLOCK).map(|output| {
                    let place = (output < outputs).then(|| at(output, input)).flatten();
                    place
                        .and_then(|place| from.get(place))
                        .copied()
                        .unwrap_or_default()
                }));
            }
        }
        packed
    }

    /// What inputs are multiplied by beforehand, and sums afterwards, to make good for
    /// weights that are loaded without their exponents' offset. Two powers of two, so
    /// that neither overflows.
    fn factors(&self) -> (f32, f32) {
        match self {
            Self::F16(_) => (
                f32::from_bits((127 + 96) << 23),
                f32::from_bits((127 + 16) << 23),
            ),
            Self::F32(_) | Self::Int8(_) => (1.0, 1.0),
        }
    }
}

/// A dense layer: y = scale·(W x) + bias.
#[derive(Debug, Clone)]
pub struct Dense {
    /// Values it takes.
    pub inputs: usize,
    /// Packed weights of a multiple of [`BLOCK`] outputs.
    pub weights: Packed,
    /// One per output, if not all are 1.
    pub scales: Option<Vec<f32>>,
    /// One per output.
    pub bias: Vec<f32>,
}

impl Dense {
    /// Applies the layer to one vector; `y` holds as many values as `bias`.
    pub fn apply(&self, isa: Isa, x: &[f32], y: &mut [f32], nonzero: &mut NonZero) {
        assert!(x.len() >= self.inputs && y.len() == self.bias.len());
        dispatch!(isa, one(self, x, y, nonzero));
    }

    /// Applies the layer to `rows` vectors that lie `x_step` and `y_step` apart. `panel`
    /// gets one block's weights in single precision.
    pub fn apply_batch(
        &self,
        isa: Isa,
        (x, x_step): (&[f32], usize),
        (y, y_step): (&mut [f32], usize),
        rows: usize,
        panel: &mut Vec<f32>,
    ) {
        #[cfg(target_arch = "x86_64")]
        use batch_avx2 as avx2;
        assert!(self.inputs <= x_step && self.bias.len() <= y_step);
        assert!(x.len() >= rows * x_step && y.len() >= rows * y_step);
        panel.resize(self.inputs * BLOCK, 0.0);
        dispatch!(isa, batch(self, (x, x_step), (y, y_step), rows, panel));
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(layer: &Dense, x: &[f32], y: &mut [f32], nonzero: &mut NonZero) {
    one::<super::simd::Avx2>(layer, x, y, nonzero);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn batch_avx2(
    layer: &Dense,
    x: (&[f32], usize),
    y: (&mut [f32], usize),
    rows: usize,
    panel: &mut [f32],
) {
    batch::<super::simd::Avx2>(layer, x, y, rows, panel);
}

/// A stored weight that eight of can be loaded at once.
trait Weight: Copy {
    fn load<S: Simd>(weights: &[Self; LANES]) -> S;
}

impl Weight for f32 {
    #[inline(always)]
    fn load<S: Simd>(weights: &[Self; LANES]) -> S {
        S::load(weights)
    }
}

impl Weight for u16 {
    #[inline(always)]
    fn load<S: Simd>(weights: &[Self; LANES]) -> S {
        S::load_f16(weights)
    }
}

impl Weight for i8 {
    #[inline(always)]
    fn load<S: Simd>(weights: &[Self; LANES]) -> S {
        S::load_i8(weights)
    }
}

#[inline(always)]
fn one<S: Simd>(layer: &Dense, x: &[f32], y: &mut [f32], nonzero: &mut NonZero) {
    let (before, after) = layer.weights.factors();
    nonzero.list(&x[..layer.inputs], layer.inputs, layer.inputs, before);
    match &layer.weights {
        Packed::F32(weights) => sums::<S, _>(layer.inputs, weights, nonzero.of(0), y),
        Packed::F16(weights) => sums::<S, _>(layer.inputs, weights, nonzero.of(0), y),
        Packed::Int8(weights) => sums::<S, _>(layer.inputs, weights, nonzero.of(0), y),
    }
    scale_and_shift(layer, after, y);
}

/// Scales and biases.
#[inline(always)]
fn scale_and_shift(layer: &Dense, factor: f32, y: &mut [f32]) {
    match &layer.scales {
        Some(scales) => {
            for ((y, scale), bias) in y.iter_mut().zip(scales).zip(&layer.bias) {
                *y = *y * (scale * factor) + bias;
            }
        }
        None => {
            for (y, bias) in y.iter_mut().zip(&layer.bias) {
                *y = *y * factor + bias;
            }
        }
    }
}

#[inline(always)]
fn sums<S: Simd, W: Weight>(inputs: usize, weights: &[W], x: &[(u32, f32)], y: &mut [f32]) {
    let blocks = weights.chunks_exact(inputs * BLOCK);
    for (block, y) in blocks.zip(y.chunks_mut(BLOCK)) {
        let (rows, _) = block.as_chunks::<BLOCK>();
        let mut sums = [S::splat(0.0); VECTORS];
        for &(input, value) in x {
            // SAFETY: a block has `inputs` rows, and `NonZero` lists inputs below that.
            let row = unsafe { rows.get_unchecked(input as usize) };
            let (row, _) = row.as_chunks::<LANES>();
            let value = S::splat(value);
            for (sum, weights) in sums.iter_mut().zip(row) {
                *sum = sum.add_product(W::load::<S>(weights), value);
            }
        }
        let mut all = [0.0; BLOCK];
        let (chunks, _) = all.as_chunks_mut::<LANES>();
        for (sum, chunk) in sums.iter().zip(chunks) {
            sum.store(chunk);
        }
        y.copy_from_slice(&all[..y.len()]);
    }
}

#[inline(always)]
fn batch<S: Simd>(
    layer: &Dense,
    (x, x_step): (&[f32], usize),
    (y, y_step): (&mut [f32], usize),
    rows: usize,
    panel: &mut [f32],
) {
    let outputs = layer.bias.len();
    let (before, after) = layer.weights.factors();
    for begin in (0..outputs).step_by(BLOCK) {
        let width = BLOCK.min(outputs - begin);
        let size = layer.inputs * BLOCK;
        let block = begin / BLOCK * size..(begin / BLOCK + 1) * size;
        let (to, _) = panel.as_chunks_mut::<LANES>();
        match &layer.weights {
            Packed::F32(weights) => expand::<S, _>(&weights[block], before, to),
            Packed::F16(weights) => expand::<S, _>(&weights[block], before, to),
            Packed::Int8(weights) => expand::<S, _>(&weights[block], before, to),
        }
        let (panel, _) = panel.as_chunks::<BLOCK>();
        for first in (0..rows).step_by(ROWS) {
            // The last rows are computed again where fewer than ROWS are left.
            let row: [usize; ROWS] = std::array::from_fn(|i| (first + i).min(rows - 1));
            let xs: [&[f32]; ROWS] = std::array::from_fn(|i| &x[row[i] * x_step..][..layer.inputs]);
            let mut sums = [[0.0; BLOCK]; ROWS];
            for half in 0..2 {
                halves::<S>(&xs, panel, half, &mut sums);
            }
            for (row, sums) in row.iter().zip(&sums) {
                y[row * y_step + begin..][..width].copy_from_slice(&sums[..width]);
            }
        }
    }
    for row in 0..rows {
        scale_and_shift(layer, after, &mut y[row * y_step..][..outputs]);
    }
}

/// One half of a block's sums for [`ROWS`] vectors: so many stay in registers.
#[inline(always)]
fn halves<S: Simd>(
    xs: &[&[f32]; ROWS],
    panel: &[[f32; BLOCK]],
    half: usize,
    out: &mut [[f32; BLOCK]; ROWS],
) {
    const HALF: usize = VECTORS / 2;
    let mut sums = [[S::splat(0.0); HALF]; ROWS];
    for (input, weights) in panel.iter().enumerate() {
        let (weights, _) = weights.as_chunks::<LANES>();
        for (sums, x) in sums.iter_mut().zip(xs) {
            let value = S::splat(x[input]);
            for (sum, weights) in sums.iter_mut().zip(&weights[half * HALF..]) {
                *sum = sum.add_product(S::load(weights), value);
            }
        }
    }
    for (sums, out) in sums.iter().zip(out) {
        let (chunks, _) = out.as_chunks_mut::<LANES>();
        for (sum, chunk) in sums.iter().zip(&mut chunks[half * HALF..]) {
            sum.store(chunk);
        }
    }
}

#[inline(always)]
fn expand<S: Simd, W: Weight>(from: &[W], factor: f32, to: &mut [[f32; LANES]]) {
    let (from, _) = from.as_chunks::<LANES>();
    let factor = S::splat(factor);
    for (from, to) in from.iter().zip(to) {
        W::load::<S>(from).mul(factor).store(to);
    }
}
