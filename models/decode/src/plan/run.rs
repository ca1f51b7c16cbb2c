//! Running a plan.

use super::{Computation, DecodingPlan, HOLE};
use kernels::Isa;
use kernels::nonzero::NonZero;

/// The memory a plan works in, made once by [`DecodingPlan::scratch`].
#[derive(Debug, Clone)]
pub struct Scratch {
    /// What a step takes and what it gives, in turns.
    buffers: [Vec<f32>; 2],
    nonzero: NonZero,
    /// What a kernel works in, different for each.
    room: Vec<f32>,
}

impl DecodingPlan {
    /// Memory for [`run`](Self::run).
    #[must_use]
    pub fn scratch(&self) -> Scratch {
        let longest = self
            .steps
            .iter()
            .map(|step| step.len)
            .max()
            .unwrap_or(0)
            .max(self.width);
        let mut scratch = Scratch {
            buffers: [vec![0.0; longest], vec![0.0; longest]],
            nonzero: NonZero::default(),
            room: Vec::new(),
        };
        for step in &self.steps {
            step.computation.reserve(&mut scratch.nonzero);
        }
        let room = self.steps.iter().map(|step| step.computation.scratch_len());
        let room = room.max().unwrap_or(0);
        scratch.room.resize(room, 0.0);
        scratch
    }

    /// Decodes one decoder input `x` of [`width`](Self::width) values into `y`, an
    /// instance of [`instance_len`](Self::instance_len) values, flattened row by row,
    /// channels last. Allocates nothing.
    ///
    /// # Panics
    /// When `x` or `y` is of another length, or `scratch` is another plan's.
    pub fn run(&self, scratch: &mut Scratch, x: &[f32], y: &mut [f32]) {
        assert_eq!(x.len(), self.width, "values the decoder takes");
        assert_eq!(y.len(), self.instance_len, "values of an instance");
        scratch.buffers[0][..x.len()].copy_from_slice(x);
        self.steps_from(0, x.len(), scratch, y);
    }

    /// Decodes `rows` decoder inputs, one after the other in `xs`, into `ys`. Leading
    /// dense layers work on all rows at once, which is several times faster than one by
    /// one; the rest is done row by row, which keeps a row's maps in the caches.
    /// Allocates two rows' worth of the widest of these layers per row.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn run_batch(&self, scratch: &mut Scratch, xs: &[f32], ys: &mut [f32], rows: usize) {
        assert_eq!(xs.len(), rows * self.width, "values the decoder takes");
        assert_eq!(ys.len(), rows * self.instance_len, "values of instances");
        if rows == 0 {
            return;
        }
        let (mut flat, mut len) = (xs.to_vec(), self.width);
        let (mut next, mut panel) = (Vec::new(), Vec::new());
        let mut done = 0;
        for step in &self.steps {
            match &step.computation {
                Computation::Dense(dense) => {
                    next.clear();
                    next.resize(rows * step.len, 0.0);
                    let from = (flat.as_slice(), len);
                    let to = (next.as_mut_slice(), step.len);
                    dense.apply_batch(self.isa, from, to, rows, &mut panel);
                    std::mem::swap(&mut flat, &mut next);
                    len = step.len;
                }
                Computation::EpilogueOnly => {}
                _ => break,
            }
            for row in flat.chunks_exact_mut(len) {
                step.epilogue.apply(self.isa, row);
            }
            done += 1;
        }
        for (row, y) in flat
            .chunks_exact(len)
            .zip(ys.chunks_exact_mut(self.instance_len))
        {
            scratch.buffers[0][..len].copy_from_slice(row);
            self.steps_from(done, len, scratch, y);
        }
    }

    /// Takes the steps from `first` on with the `len` values in the first buffer.
    fn steps_from(&self, first: usize, mut len: usize, scratch: &mut Scratch, y: &mut [f32]) {
        let Scratch {
            buffers: [a, b],
            nonzero,
            room,
        } = scratch;
        let (mut from, mut to) = (a, b);
        for step in &self.steps[first..] {
            let x = &from[..len];
            let out = &mut to[..step.len];
            step.computation.apply(self.isa, x, out, nonzero, room);
            step.epilogue.apply(self.isa, out);
            len = step.len;
            std::mem::swap(&mut from, &mut to);
        }
        y.copy_from_slice(&from[..len]);
    }
}

impl Computation {
    /// Values it needs to work in.
    pub(super) fn scratch_len(&self) -> usize {
        match self {
            Self::Winograd(winograd) => winograd.scratch_len(),
            Self::Columns(columns) => columns.scratch_len(),
            Self::Grouped(grouped) => grouped.scratch_len(),
            Self::Groups(groups) => groups.scratch_len(),
            Self::Dense(_) | Self::Taps(_) => 0,
            Self::Gather(_) | Self::Upsample { .. } | Self::EpilogueOnly => 0,
        }
    }

    /// Makes room for the lists of what is not zero.
    fn reserve(&self, nonzero: &mut NonZero) {
        match self {
            Self::Dense(dense) => nonzero.reserve(dense.inputs, 1),
            Self::Taps(taps) => {
                let pixels = taps.input_pixels();
                nonzero.reserve(pixels * taps.inputs, pixels);
            }
            Self::Groups(groups) => groups.parts.iter().for_each(|part| part.reserve(nonzero)),
            _ => {}
        }
    }

    /// Makes `out` of `x`; `room` is as long as [`scratch_len`](Self::scratch_len) says, or
    /// longer.
    pub(super) fn apply(
        &self,
        isa: Isa,
        x: &[f32],
        out: &mut [f32],
        nonzero: &mut NonZero,
        room: &mut [f32],
    ) {
        match self {
            Self::Dense(dense) => dense.apply(isa, x, out, nonzero),
            Self::Taps(taps) => taps.apply(isa, x, out, nonzero),
            Self::Winograd(winograd) => winograd.apply(isa, x, out, room),
            Self::Columns(columns) => columns.apply(isa, x, out, room),
            Self::Grouped(grouped) => grouped.apply(isa, x, out, room),
            Self::Groups(groups) => groups.apply(isa, x, out, nonzero, room),
            Self::Gather(places) => {
                for (out, &place) in out.iter_mut().zip(places) {
                    *out = if place == HOLE {
                        0.0
                    } else {
                        x[place as usize]
                    };
                }
            }
            Self::Upsample {
                height,
                width,
                step,
                scale,
            } => upsample(x, out, [*height, *width, *step, *scale]),
            Self::EpilogueOnly => out.copy_from_slice(x),
        }
    }
}

/// Repeats every pixel of a row `scale` times, and every row.
fn upsample(x: &[f32], out: &mut [f32], [height, width, step, scale]: [usize; 4]) {
    let row_len = width * step;
    let out_len = row_len * scale;
    for row in 0..height {
        let block = &mut out[row * out_len * scale..][..out_len * scale];
        let (first, others) = block.split_at_mut(out_len);
        for (pixel, copies) in x[row * row_len..][..row_len]
            .chunks_exact(step)
            .zip(first.chunks_exact_mut(step * scale))
        {
            for copy in copies.chunks_exact_mut(step) {
                copy.copy_from_slice(pixel);
            }
        }
        for copy in others.chunks_exact_mut(out_len) {
            copy.copy_from_slice(first);
        }
    }
}
