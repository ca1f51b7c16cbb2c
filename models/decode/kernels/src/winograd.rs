//! Transposed convolution whose kernel is two or three times its stride, by Winograd's
//! minimal filtering.
//!
//! Outputs a stride apart make a *phase*; each phase is an ordinary convolution of the
//! input with every stride-th tap of the kernel: 2×2 of them, or 3×3. Tiles of 4×4 (3×3)
//! outputs of a phase take 25 products per pair of channels, where 64 (81) are in the sum.
//! All is dense: zeros are not looked for.

use std::ops::Range;

use super::isa::{Isa, dispatch};
use super::patches::Patches;
use super::product::{ROWS, product};
use super::simd::{LANES, Simd};

#[cfg(test)]
mod tests;
mod transforms;

use transforms::{LARGEST_TILE, POINTS};

/// Products of a tile.
const ELEMENTS: usize = POINTS * POINTS;
/// Tiles computed together: their transformed inputs should stay in the nearest cache.
const GROUP: usize = 2 * ROWS;

/// A transposed convolution with kernel = 2·stride or 3·stride.
#[derive(Debug, Clone)]
pub struct Winograd {
    /// Geometry; `maps` is not used.
    patches: Patches,
    /// Outputs of a tile along an axis.
    tile: usize,
    phases: Vec<Phase>,
    /// The rows of the input that tiles read, some of which may not be there.
    rows: Range<isize>,
    /// The columns likewise.
    columns: Range<isize>,
    /// Channels it takes.
    inputs: usize,
    /// Values from one input pixel to the next, a multiple of [`LANES`].
    input_step: usize,
    /// Transformed weights `[phase][panel of outputs][element][input][LANES]`.
    weights: Vec<f32>,
    /// One per output, a multiple of [`LANES`].
    bias: Vec<f32>,
    /// Outputs below zero are multiplied by this.
    slope: f32,
}

/// Rows and columns of the outputs of a phase.
type Phase = (Axis, Axis);

/// The outputs of one phase along an axis.
#[derive(Debug, Clone, Copy)]
struct Axis {
    /// The first output.
    first: usize,
    /// How many there are, a stride apart.
    count: usize,
    /// The first of the inputs that the first output is made of; the next output begins
    /// one further.
    input: isize,
}

impl Axis {
    /// Taps …, `phase + stride` and `phase` of the kernel meet neighbouring inputs …,
    /// q − 1 and q at output q·stride + phase − padding.
    fn new(phase: usize, patches: &Patches, padding: i32, large: usize) -> Option<Self> {
        let whole = |n: usize| isize::try_from(n).ok();
        let (phase, stride) = (whole(phase)?, whole(patches.stride)?);
        let others = whole(patches.kernel / patches.stride)? - 1;
        let offset = phase - isize::try_from(padding).ok()?;
        let first = offset.rem_euclid(stride).cast_unsigned();
        Some(Self {
            first,
            count: large.saturating_sub(first).div_ceil(stride.cast_unsigned()),
            input: -offset.div_euclid(stride) - others,
        })
    }

    fn tiles(self, tile: usize) -> usize {
        self.count.div_ceil(tile)
    }

    /// Everything that the tiles of these read.
    fn read(axes: impl Iterator<Item = Self> + Clone, tile: usize) -> Option<Range<isize>> {
        let len = |axis: Self| axis.tiles(tile) * tile + POINTS - tile;
        let end = |axis: Self| axis.input + len(axis).cast_signed();
        Some(axes.clone().map(|axis| axis.input).min()?..axes.map(end).max()?)
    }
}

impl Winograd {
    /// Transforms and packs weights; `at(output, input, ky, kx)` is the weight, and 0
    /// for outputs that only fill a vector. `bias` has one per output, a multiple of
    /// [`LANES`]. `None` when the kernel is not two or three times the stride, or pixels are
    /// not a whole number of vectors apart.
    pub fn new(
        patches: Patches,
        (inputs, input_step): (usize, usize),
        bias: Vec<f32>,
        at: impl Fn(usize, usize, usize, usize) -> f32,
    ) -> Option<Self> {
        let stride = patches.stride;
        let taps = taps(&patches)?;
        if !input_step.is_multiple_of(LANES) {
            return None;
        }
        let (tile, phases) = (transforms::tile(taps), phases(&patches)?);
        let rows = Axis::read(phases.iter().map(|phase| phase.0), tile)?;
        let columns = Axis::read(phases.iter().map(|phase| phase.1), tile)?;
        let panels = bias.len() / LANES;
        let size = ELEMENTS * inputs * LANES;
        let mut weights = vec![0.0; phases.len() * panels * size];
        for (block, weights) in weights.chunks_exact_mut(size).enumerate() {
            let (phase, panel) = (block / panels, block % panels);
            let (ky, kx) = (phase / stride, phase % stride);
            for (input, lane) in (0..inputs).flat_map(|i| (0..LANES).map(move |l| (i, l))) {
                // The tap that meets the first input of an output is the kernel's last.
                let back = |k: usize, i: usize| k + (taps - 1 - i) * stride;
                let elements = transforms::kernel(taps, |row, column| {
                    let (ky, kx) = (back(ky, row), back(kx, column));
                    f64::from(at(panel * LANES + lane, input, ky, kx))
                });
                for (element, value) in elements.as_flattened().iter().enumerate() {
                    let value = *value as f32;
                    weights[(element * inputs + input) * LANES + lane] = value;
                }
            }
        }
        Some(Self {
            patches,
            tile,
            phases,
            rows,
            columns,
            inputs,
            input_step,
            weights,
            bias,
            slope: 1.0,
        })
    }

    /// The layer with a ReLU after it, of this slope below zero.
    pub fn with_slope(self, slope: f32) -> Self {
        Self { slope, ..self }
    }

    /// Values it writes.
    pub fn output_len(&self) -> usize {
        self.patches.pixels() * self.bias.len()
    }

    /// Values it needs to work in.
    pub fn scratch_len(&self) -> usize {
        self.padded_len() + ELEMENTS * GROUP * (self.input_step + 2 * LANES)
    }

    fn padded_len(&self) -> usize {
        self.rows.len() * self.columns.len() * self.input_step
    }

    /// Copies the input to where tiles read it, among zeros.
    fn pad(&self, x: &[f32], padded: &mut [f32]) {
        let ((height, width), step) = (self.patches.grid, self.input_step);
        let inside = |range: &Range<isize>, n: usize| {
            range.start.max(0).cast_unsigned()..range.end.max(0).cast_unsigned().min(n)
        };
        let (rows, columns) = (inside(&self.rows, height), inside(&self.columns, width));
        let place = |first: isize, at: usize| (at.cast_signed() - first).cast_unsigned();
        padded.fill(0.0);
        if columns.is_empty() {
            return;
        }
        for row in rows {
            let to = place(self.rows.start, row) * self.columns.len()
                + place(self.columns.start, columns.start);
            let from = (row * width + columns.start) * step;
            let len = columns.len() * step;
            padded[to * step..][..len].copy_from_slice(&x[from..][..len]);
        }
    }

    /// Multiplications that it takes, for comparison with k²·inputs·outputs for every
    /// position: those of whole tiles, and the transforms as if they were such.
    pub fn cost(patches: &Patches, inputs: usize, outputs: usize) -> Option<usize> {
        let tile = transforms::tile(taps(patches)?);
        let tiles: usize = phases(patches)?
            .iter()
            .map(|(ys, xs)| ys.tiles(tile) * xs.tiles(tile))
            .sum();
        tiles.checked_mul(ELEMENTS * inputs * outputs + 100 * (inputs + outputs))
    }

    /// Applies the layer to one picture. `scratch` is as long as
    /// [`scratch_len`](Self::scratch_len) says, or longer.
    pub fn apply(&self, isa: Isa, x: &[f32], y: &mut [f32], scratch: &mut [f32]) {
        assert_eq!(x.len(), self.patches.positions() * self.input_step);
        assert_eq!(y.len(), self.output_len());
        dispatch!(isa, run(self, x, y, &mut scratch[..self.scratch_len()]));
    }
}

/// Taps of a phase along an axis, if there are transforms for as many.
fn taps(patches: &Patches) -> Option<usize> {
    let taps = patches.kernel / patches.stride.max(1);
    (patches.kernel == taps * patches.stride && matches!(taps, 2 | 3)).then_some(taps)
}

/// The outputs of every phase, row by row.
fn phases(patches: &Patches) -> Option<Vec<Phase>> {
    let (padding, large) = (patches.padding, patches.large);
    let axes = |padding, large| -> Option<Vec<Axis>> {
        let axis = |phase| Axis::new(phase, patches, padding, large);
        (0..patches.stride).map(axis).collect()
    };
    let (rows, columns) = (axes(padding.top, large.0)?, axes(padding.left, large.1)?);
    let row = |&ys: &Axis| columns.iter().map(move |&xs| (ys, xs)).collect::<Vec<_>>();
    Some(rows.iter().flat_map(row).collect())
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(layer: &Winograd, x: &[f32], y: &mut [f32], scratch: &mut [f32]) {
    run::<super::simd::Avx2>(layer, x, y, scratch);
}

#[inline(always)]
fn run<S: Simd>(layer: &Winograd, x: &[f32], y: &mut [f32], scratch: &mut [f32]) {
    let outputs = layer.bias.len();
    let (padded, scratch) = scratch.split_at_mut(layer.padded_len());
    layer.pad(x, padded);
    let row_len = layer.columns.len() * layer.input_step;
    let (tiles_in, products) = scratch.split_at_mut(ELEMENTS * GROUP * layer.input_step);
    let (weights, _) = layer.weights.as_chunks::<LANES>();
    let weights = weights.chunks_exact(ELEMENTS * layer.inputs * (outputs / LANES));
    for (&(ys, xs), weights) in layer.phases.iter().zip(weights) {
        let across = xs.tiles(layer.tile);
        let tiles = ys.tiles(layer.tile) * across;
        for first in (0..tiles).step_by(GROUP) {
            let count = GROUP.min(tiles - first);
            for tile in 0..count {
                let (row, column) = ((first + tile) / across, (first + tile) % across);
                let place = |axis: Axis, first: isize, tile: usize| {
                    (axis.input - first).cast_unsigned() + tile * layer.tile
                };
                let row = place(ys, layer.rows.start, row);
                let column = place(xs, layer.columns.start, column);
                let corner = row * row_len + column * layer.input_step;
                let to = &mut tiles_in[tile * layer.input_step..];
                transform_inputs::<S>(layer, &padded[corner..], row_len, to);
            }
            let mut panel = 0;
            while panel < outputs / LANES {
                let weights = &weights[panel * ELEMENTS * layer.inputs..];
                let panels = if S::WIDE && panel + 1 < outputs / LANES {
                    multiply::<S, 2>(layer, tiles_in, weights, products, count);
                    2
                } else {
                    multiply::<S, 1>(layer, tiles_in, weights, products, count);
                    1
                };
                for tile in 0..count {
                    let (row, column) = ((first + tile) / across, (first + tile) % across);
                    for i in 0..panels {
                        let products = &products[(i * GROUP + tile) * LANES..];
                        let axes = [(ys, row * layer.tile), (xs, column * layer.tile)];
                        if layer.tile == LARGEST_TILE {
                            transform_outputs::<S, LARGEST_TILE>(
                                layer,
                                products,
                                panels,
                                axes,
                                panel + i,
                                y,
                            );
                        } else {
                            transform_outputs::<S, 3>(layer, products, panels, axes, panel + i, y);
                        }
                    }
                }
                panel += panels;
            }
        }
    }
}

/// Bᵀ d B of the tile whose first pixel `padded` begins with, and whose rows are
/// `row_len` values apart; elements of the result lie [`GROUP`] pixels apart.
#[inline(always)]
fn transform_inputs<S: Simd>(layer: &Winograd, padded: &[f32], row_len: usize, to: &mut [f32]) {
    let step = layer.input_step;
    let (padded, _) = padded.as_chunks::<LANES>();
    let (to, _) = to.as_chunks_mut::<LANES>();
    let (row_len, step) = (row_len / LANES, step / LANES);
    let mut half = [[[0.0; LANES]; POINTS]; POINTS];
    for channel in 0..step {
        for (row, half) in half.iter_mut().enumerate() {
            let from = &padded[row * row_len + channel..][..(POINTS - 1) * step + 1];
            let pixel = |column: usize| S::load(&from[column * step]);
            let all = [pixel(0), pixel(1), pixel(2), pixel(3), pixel(4)];
            for (value, half) in transforms::inputs(all).into_iter().zip(half) {
                value.store(half);
            }
        }
        for column in 0..POINTS {
            let pixel = |row: usize| S::load(&half[row][column]);
            let all = [pixel(0), pixel(1), pixel(2), pixel(3), pixel(4)];
            let to = &mut to[column * GROUP * step + channel..];
            for (row, value) in transforms::inputs(all).into_iter().enumerate() {
                value.store(&mut to[row * POINTS * GROUP * step]);
            }
        }
    }
}

/// The products of `count` tiles with `PANELS` panels, into
/// `[element][panel][tile][LANES]`.
#[inline(always)]
fn multiply<S: Simd, const PANELS: usize>(
    layer: &Winograd,
    tiles: &[f32],
    weights: &[[f32; LANES]],
    products: &mut [f32],
    count: usize,
) {
    let (inner, step) = (layer.inputs, layer.input_step);
    let (products, _) = products.as_chunks_mut::<LANES>();
    for element in 0..ELEMENTS {
        let weights = (&weights[element * inner..], ELEMENTS * inner);
        let tiles = &tiles[element * GROUP * step..][..GROUP * step];
        let products = &mut products[element * PANELS * GROUP..][..PANELS * GROUP];
        let mut tile = 0;
        while tile < count {
            let rows = (&tiles[tile * step..], step);
            let to = &mut products[tile..];
            tile += match count - tile {
                1 => store(product::<S, 1, PANELS>(rows, weights, inner), to),
                2 => store(product::<S, 2, PANELS>(rows, weights, inner), to),
                3 => store(product::<S, 3, PANELS>(rows, weights, inner), to),
                _ => store(product::<S, ROWS, PANELS>(rows, weights, inner), to),
            };
        }
    }
}

/// Stores sums, and says of how many tiles they are.
#[inline(always)]
fn store<S: Simd, const TILES: usize, const PANELS: usize>(
    sums: [[S; PANELS]; TILES],
    to: &mut [[f32; LANES]],
) -> usize {
    for (tile, sums) in sums.into_iter().enumerate() {
        for (panel, sum) in sums.into_iter().enumerate() {
            sum.store(&mut to[panel * GROUP + tile]);
        }
    }
    TILES
}

/// Aᵀ m A of one tile and panel, with bias and slope, to where it lies in the output.
#[inline(always)]
fn transform_outputs<S: Simd, const TILE: usize>(
    layer: &Winograd,
    products: &[f32],
    panels: usize,
    [(ys, row), (xs, column)]: [(Axis, usize); 2],
    panel: usize,
    y: &mut [f32],
) {
    let (products, _) = products.as_chunks::<LANES>();
    let mut half = [[[0.0; LANES]; POINTS]; LARGEST_TILE];
    for column in 0..POINTS {
        let element = |row: usize| S::load(&products[(row * POINTS + column) * panels * GROUP]);
        let all = [element(0), element(1), element(2), element(3), element(4)];
        for (value, half) in transforms::outputs::<S, TILE>(all)
            .into_iter()
            .zip(&mut half)
        {
            value.store(&mut half[column]);
        }
    }
    let (biases, _) = layer.bias.as_chunks::<LANES>();
    let bias = S::load(&biases[panel]);
    let (zero, slope) = (S::splat(0.0), S::splat(layer.slope));
    let (stride, width) = (layer.patches.stride, layer.patches.large.1);
    let (y, _) = y.as_chunks_mut::<LANES>();
    for (i, half) in half.iter().enumerate().take(TILE.min(ys.count - row)) {
        let all = transforms::outputs::<S, TILE>(half.each_ref().map(S::load));
        let line = (ys.first + (row + i) * stride) * width + xs.first + column * stride;
        for (j, value) in all
            .into_iter()
            .enumerate()
            .take(TILE.min(xs.count - column))
        {
            let value = value.add(bias);
            let value = value.max(zero).add_product(value.min(zero), slope);
            value.store(&mut y[(line + j * stride) * biases.len() + panel]);
        }
    }
}
