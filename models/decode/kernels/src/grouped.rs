//! Convolution in groups, in either direction: each map that comes out is made of the few maps
//! of its group; in a depthwise convolution, of one.
//!
//! Eight maps that come out are the lanes of a vector, whatever groups they belong to. For them
//! the input is laid out anew, among zeros, some rows at a time: at each pixel, for each map of
//! a group, the eight values that the lanes take. Then every tap of the kernel is one product of
//! vectors for each of these, at a fixed distance from where an output begins, and taps whose
//! weights are all zero (holes of a dilated kernel) are left out.
//!
//! Outputs a stride apart in a transposed convolution make a *phase*: an ordinary convolution
//! of the input with every stride-th tap.

use super::isa::{Isa, dispatch};
use super::patches::Patches;
use super::simd::{LANES, Simd};

/// A convolution in groups.
#[derive(Debug, Clone)]
pub struct Grouped {
    /// Rows and columns of the input.
    input: (usize, usize),
    /// Values from one input pixel to the next.
    input_step: usize,
    /// Rows and columns of the output.
    output: (usize, usize),
    /// Rows and columns of the input as it is laid out, for the first outputs, and how many of
    /// them come before the input's own; fewer than none where its first are not read.
    plane: [Span; 2],
    /// Rows of each phase that are computed together.
    strip: usize,
    /// Maps of a group that are taken.
    of_group: usize,
    /// Where the values lie in an input pixel that the lanes take: `[vector][map of a group]`.
    sources: Vec<[u32; LANES]>,
    phases: Vec<Phase>,
    /// `[vector][phase][term]`.
    weights: Vec<f32>,
    /// One per output, a multiple of [`LANES`].
    bias: Vec<f32>,
}

/// Sides of a convolution in groups, and how many maps it takes and gives.
#[derive(Debug, Clone, Copy)]
pub struct GroupedShape {
    /// Whether it is transposed.
    pub transposed: bool,
    /// Geometry; `maps` is not used.
    pub patches: Patches,
    /// Maps of all groups together that are taken.
    pub inputs: usize,
    /// Values from one input pixel to the next.
    pub input_step: usize,
    /// Maps of all groups together that are given.
    pub outputs: usize,
    /// Number of groups.
    pub groups: usize,
}

/// Rows, or columns, of the input as it is laid out.
#[derive(Debug, Clone, Copy)]
struct Span {
    len: usize,
    before: isize,
}

/// Outputs at equal distances, and what each is the sum of.
#[derive(Debug, Clone)]
struct Phase {
    axes: [Axis; 2],
    /// For each product how far its values lie behind those that the output begins with.
    terms: Vec<u32>,
    /// The largest of these.
    reach: usize,
}

/// The outputs of a phase along an axis.
#[derive(Debug, Clone)]
struct Axis {
    /// The first, and the distance from one to the next.
    first: usize,
    step: usize,
    count: usize,
    /// The input that the first begins with, and how far apart those of neighbours are.
    input: isize,
    input_step: usize,
    /// The tap of the kernel that meets this input, and those that meet the next ones.
    taps: Vec<usize>,
}

impl Axis {
    /// The phases along one axis. `None` where they are too many to count.
    fn all(shape: &GroupedShape, padding: i32, large: usize, grid: usize) -> Option<Vec<Self>> {
        let Patches { kernel, stride, .. } = shape.patches;
        let padding = isize::try_from(padding).ok()?;
        if !shape.transposed {
            return Some(vec![Self {
                first: 0,
                step: 1,
                count: grid,
                input: -padding,
                input_step: stride,
                taps: (0..kernel).collect(),
            }]);
        }
        let step = isize::try_from(stride).ok()?;
        // Output o gets input q times tap o + padding − q·stride.
        let phases = (0..stride).map(|phase| {
            let offset = phase.cast_signed() - padding;
            let first = offset.rem_euclid(step).cast_unsigned();
            let taps: Vec<usize> = (phase..kernel).step_by(stride).rev().collect();
            Self {
                first,
                step: stride,
                count: large.saturating_sub(first).div_ceil(stride),
                input: 1 - offset.div_euclid(step) - taps.len().cast_signed(),
                input_step: 1,
                taps,
            }
        });
        Some(phases.filter(|axis| axis.count > 0).collect())
    }

    /// Most outputs of a phase.
    fn most(axes: &[Self]) -> usize {
        axes.iter().map(|axis| axis.count).max().unwrap_or(0)
    }

    /// All of the input that the first `count` outputs of some phases read.
    fn read(axes: &[Self], count: usize) -> Option<Span> {
        let end = |axis: &Self| {
            let last = (count - 1).checked_mul(axis.input_step)?;
            let len = isize::try_from(last.checked_add(axis.taps.len())?).ok()?;
            axis.input.checked_add(len)
        };
        let first = axes.iter().map(|axis| axis.input).min()?;
        let ends: Option<Vec<isize>> = axes.iter().map(end).collect();
        Some(Span {
            len: usize::try_from(ends?.into_iter().max()? - first).ok()?,
            before: -first,
        })
    }
}

/// Values of the input that should be laid out at a time, so that they stay in a near cache.
const CACHED: usize = 1 << 15;
/// Most values that may be: what needs more is not done this way.
const LARGEST: usize = 1 << 24;

impl Grouped {
    /// Packs weights; `at(output, map of its group, ky, kx)` is the weight. `bias` has one per
    /// output. `None` when the numbers of maps do not come in so many groups, when the input
    /// would not fit memory as it is laid out, or when the kernel is smaller than the stride of
    /// a transposed convolution.
    #[must_use]
    pub fn new(
        shape: &GroupedShape,
        mut bias: Vec<f32>,
        at: impl Fn(usize, usize, usize, usize) -> f32,
    ) -> Option<Self> {
        let GroupedShape {
            patches,
            inputs,
            outputs,
            groups,
            ..
        } = *shape;
        let (small, large) = (patches.grid, patches.large);
        let (input, output) = if shape.transposed {
            (small, large)
        } else {
            (large, small)
        };
        let (of_group, given) = (inputs.checked_div(groups)?, outputs.checked_div(groups)?);
        let divides = of_group * groups == inputs && given * groups == outputs && given > 0;
        if !divides || (shape.transposed && patches.kernel < patches.stride) {
            return None;
        }
        let axes = [
            Axis::all(shape, patches.padding.top, large.0, small.0)?,
            Axis::all(shape, patches.padding.left, large.1, small.1)?,
        ];
        let columns = Axis::read(&axes[1], Axis::most(&axes[1]))?;
        let row = [columns.len, of_group, LANES];
        let rows = CACHED / row.into_iter().fold(1, usize::saturating_mul);
        let more = rows.saturating_sub(Axis::read(&axes[0], 1)?.len);
        let strip = (1 + more / axes[0].first()?.input_step).min(Axis::most(&axes[0]));
        let plane = [Axis::read(&axes[0], strip)?, columns];
        let factors = [plane[0].len, plane[1].len, of_group, LANES];
        if factors.into_iter().fold(1, usize::saturating_mul) > LARGEST {
            return None;
        }
        let padded = outputs.next_multiple_of(LANES);
        bias.resize(padded, 0.0);
        let vectors = (0..padded).step_by(LANES);
        let source = |first: usize, map: usize| -> [u32; LANES] {
            std::array::from_fn(|lane| {
                let place = (first + lane) / given * of_group + map;
                // What only fills a vector takes anything that is there.
                // A pixel has at most 2²⁴ maps.
                (if place < shape.input_step { place } else { 0 }) as u32
            })
        };
        let sources = vectors.clone();
        let sources = sources.flat_map(|first| (0..of_group).map(move |map| (first, map)));
        let mut made = Self {
            input,
            input_step: shape.input_step,
            output,
            plane,
            strip,
            of_group,
            sources: sources.map(|(first, map)| source(first, map)).collect(),
            phases: Vec::new(),
            weights: Vec::new(),
            bias,
        };
        let weight = |output: usize, map: usize, ky: usize, kx: usize| {
            if output < outputs {
                at(output, map, ky, kx)
            } else {
                0.0
            }
        };
        // The taps of each phase that are not zero everywhere: place, map, row, column.
        let mut taps = Vec::new();
        for rows in &axes[0] {
            for columns in &axes[1] {
                let mut terms = Vec::new();
                let mut of_phase = Vec::new();
                for (down, &ky) in rows.taps.iter().enumerate() {
                    for (right, &kx) in columns.taps.iter().enumerate() {
                        for map in 0..of_group {
                            let of = |output| at(output, map, ky, kx);
                            if (0..outputs).all(|output| of(output) == 0.0) {
                                continue;
                            }
                            let place = (down * plane[1].len + right) * of_group + map;
                            terms.push(u32::try_from(place).ok()?);
                            of_phase.push((map, ky, kx));
                        }
                    }
                }
                made.phases.push(Phase {
                    axes: [rows.clone(), columns.clone()],
                    reach: terms.iter().max().map_or(0, |&term| term as usize),
                    terms,
                });
                taps.push(of_phase);
            }
        }
        for first in vectors {
            for &(map, ky, kx) in taps.iter().flatten() {
                let lanes = (first..first + LANES).map(|output| weight(output, map, ky, kx));
                made.weights.extend(lanes);
            }
        }
        Some(made)
    }

    /// Values it writes: pixels of a whole number of vectors.
    #[must_use]
    pub fn output_len(&self) -> usize {
        self.output.0 * self.output.1 * self.bias.len()
    }

    /// Values it needs to work in.
    #[must_use]
    pub fn scratch_len(&self) -> usize {
        self.plane[0].len * self.plane[1].len * self.of_group * LANES
    }

    /// Applies the layer to one picture. `scratch` is as long as
    /// [`scratch_len`](Self::scratch_len) says, or longer.
    pub fn apply(&self, isa: Isa, x: &[f32], y: &mut [f32], scratch: &mut [f32]) {
        assert_eq!(x.len(), self.input.0 * self.input.1 * self.input_step);
        assert_eq!(y.len(), self.output_len());
        dispatch!(isa, run(self, x, y, &mut scratch[..self.scratch_len()]));
    }

    /// Lays out what the lanes of a vector take, by a row of `sources`, from the `down`th row of
    /// the plane on. The columns around the input stay as they are.
    #[inline(always)]
    fn lay_out(
        &self,
        x: &[f32],
        sources: &[[u32; LANES]],
        down: usize,
        plane: &mut [[f32; LANES]],
    ) {
        let [rows, columns] = self.plane;
        let (height, width) = self.input;
        let place = |before: isize, at: usize| (at.cast_signed() + before).cast_unsigned();
        // The columns that are read.
        let first = usize::try_from(-columns.before).unwrap_or(0);
        let end = (columns.len.cast_signed() - columns.before).max(0);
        let end = end.cast_unsigned().min(width);
        let lines = plane.chunks_exact_mut(columns.len * self.of_group);
        for (line, at) in lines.zip(down..) {
            let row = at.cast_signed() - rows.before;
            let Some(row) = usize::try_from(row).ok().filter(|&row| row < height) else {
                line.fill([0.0; LANES]);
                continue;
            };
            for (map, source) in sources.iter().enumerate() {
                let from = source[0] as usize;
                // Whether the lanes take neighbours, as in a depthwise convolution, or the same.
                let neighbours = (source[0]..).zip(source).all(|(a, &b)| a == b);
                let same = source.iter().all(|&at| at == source[0]);
                for column in first..end {
                    let pixel = &x[(row * width + column) * self.input_step..][..self.input_step];
                    let to = &mut line[place(columns.before, column) * self.of_group + map];
                    if neighbours {
                        to.copy_from_slice(&pixel[from..][..LANES]);
                    } else if same {
                        *to = [pixel[from]; LANES];
                    } else {
                        *to = source.map(|at| pixel[at as usize]);
                    }
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(layer: &Grouped, x: &[f32], y: &mut [f32], scratch: &mut [f32]) {
    run::<super::simd::Avx2>(layer, x, y, scratch);
}

#[inline(always)]
fn run<S: Simd>(layer: &Grouped, x: &[f32], y: &mut [f32], scratch: &mut [f32]) {
    scratch.fill(0.0);
    let (plane, _) = scratch.as_chunks_mut::<LANES>();
    let (y, _) = y.as_chunks_mut::<LANES>();
    let (weights, _) = layer.weights.as_chunks::<LANES>();
    let (biases, _) = layer.bias.as_chunks::<LANES>();
    let per_vector = weights.len() / biases.len();
    for (vector, bias) in biases.iter().enumerate() {
        let sources = &layer.sources[vector * layer.of_group..][..layer.of_group];
        let weights = &weights[vector * per_vector..][..per_vector];
        let most = layer.phases.iter().map(|phase| phase.axes[0].count).max();
        for first in (0..most.unwrap_or(0)).step_by(layer.strip) {
            let input_step = layer.phases[0].axes[0].input_step;
            layer.lay_out(x, sources, first * input_step, plane);
            let mut weights = weights;
            for phase in &layer.phases {
                let (own, others) = weights.split_at(phase.terms.len());
                weights = others;
                let rows = first..phase.axes[0].count.min(first + layer.strip);
                for row in rows {
                    let line = Line::new(layer, phase, row - first, (plane, own, bias));
                    line.compute::<S>(row, vector, y);
                }
            }
        }
    }
}

/// What a row of outputs is made of, from the values on that the first begins with.
struct Line<'a> {
    layer: &'a Grouped,
    phase: &'a Phase,
    plane: &'a [[f32; LANES]],
    /// From one output's values to the next one's.
    step: usize,
    weights: &'a [[f32; LANES]],
    bias: &'a [f32; LANES],
}

impl<'a> Line<'a> {
    /// The line of a phase that reads so many rows below the first one.
    #[inline(always)]
    fn new(
        layer: &'a Grouped,
        phase: &'a Phase,
        down: usize,
        (plane, weights, bias): (&'a [[f32; LANES]], &'a [[f32; LANES]], &'a [f32; LANES]),
    ) -> Self {
        let [rows, columns] = &phase.axes;
        let begin = |axis: &Axis, span: Span| (axis.input + span.before).cast_unsigned();
        let row = begin(rows, layer.plane[0]) + down * rows.input_step;
        let from = row * layer.plane[1].len + begin(columns, layer.plane[1]);
        Self {
            layer,
            phase,
            plane: &plane[from * layer.of_group..],
            step: columns.input_step * layer.of_group,
            weights,
            bias,
        }
    }

    /// Computes the `row`th row of the phase.
    #[inline(always)]
    fn compute<S: Simd>(&self, row: usize, vector: usize, y: &mut [[f32; LANES]]) {
        let [rows, columns] = &self.phase.axes;
        let vectors = self.layer.bias.len() / LANES;
        let to = (rows.first + row * rows.step) * self.layer.output.1 + columns.first;
        let (to, to_step) = (&mut y[to * vectors + vector..], columns.step * vectors);
        let mut column = 0;
        while column < columns.count {
            column += match columns.count - column {
                8.. if S::WIDE => self.sums::<S, 8>(column, to, to_step),
                4.. => self.sums::<S, 4>(column, to, to_step),
                2.. => self.sums::<S, 2>(column, to, to_step),
                _ => self.sums::<S, 1>(column, to, to_step),
            };
        }
    }

    /// Computes `COLUMNS` outputs from one on; how many those are.
    #[inline(always)]
    fn sums<S: Simd, const COLUMNS: usize>(
        &self,
        first: usize,
        y: &mut [[f32; LANES]],
        y_step: usize,
    ) -> usize {
        let plane = &self.plane[first * self.step..];
        assert!(plane.len() > self.phase.reach + (COLUMNS - 1) * self.step);
        let mut sums = [S::load(self.bias); COLUMNS];
        for (&term, weight) in self.phase.terms.iter().zip(self.weights) {
            let weight = S::load(weight);
            for (column, sum) in sums.iter_mut().enumerate() {
                // SAFETY: a term is at most `reach`, and `column` at most COLUMNS − 1, for
                // which there are enough, as asserted.
                let values = unsafe { plane.get_unchecked(term as usize + column * self.step) };
                *sum = sum.add_product(S::load(values), weight);
            }
        }
        for (column, sum) in sums.into_iter().enumerate() {
            sum.store(&mut y[(first + column) * y_step]);
        }
        COLUMNS
    }
}
