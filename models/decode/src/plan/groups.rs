//! A convolution one group after the other.

use super::Computation;
use kernels::Isa;
use kernels::nonzero::NonZero;

/// A convolution in groups that are large enough for the kernels of whole ones.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    /// A convolution of the maps of each group.
    pub parts: Vec<Computation>,
    /// Where groups lie in the maps that are taken.
    pub input: Side,
    /// Where they lie in the maps that are given.
    pub output: Side,
}

/// The maps of all groups, and those of one.
#[derive(Debug, Clone)]
pub(super) struct Side {
    /// Pixels of a map.
    pub pixels: usize,
    /// Values from one pixel of all groups to the next.
    pub step: usize,
    /// Maps of a group.
    pub maps: usize,
    /// Values from one pixel of one group to the next.
    pub part_step: usize,
}

impl Side {
    fn part_len(&self) -> usize {
        self.pixels * self.part_step
    }

    /// Pairs of a pixel's values: where they lie among all groups, and in the `group`th alone.
    fn pixels(&self, group: usize) -> impl Iterator<Item = (usize, usize)> {
        let (step, part_step) = (self.step, self.part_step);
        (0..self.pixels).map(move |pixel| (pixel * step + group * self.maps, pixel * part_step))
    }
}

impl Groups {
    /// Values it writes: pixels of a whole number of vectors.
    pub(super) fn output_len(&self) -> usize {
        self.output.pixels * self.output.step
    }

    /// Values it needs to work in.
    pub(super) fn scratch_len(&self) -> usize {
        let parts = self.parts.iter().map(Computation::scratch_len);
        self.input.part_len() + self.output.part_len() + parts.max().unwrap_or(0)
    }

    /// Applies the layer to one picture.
    pub(super) fn apply(
        &self,
        isa: Isa,
        x: &[f32],
        y: &mut [f32],
        nonzero: &mut NonZero,
        room: &mut [f32],
    ) {
        let (from, room) = room.split_at_mut(self.input.part_len());
        let (to, room) = room.split_at_mut(self.output.part_len());
        for (group, part) in self.parts.iter().enumerate() {
            let maps = self.input.maps;
            for (all, one) in self.input.pixels(group) {
                from[one..][..maps].copy_from_slice(&x[all..][..maps]);
            }
            part.apply(isa, from, to, nonzero, room);
            let maps = self.output.maps;
            for (all, one) in self.output.pixels(group) {
                y[all..][..maps].copy_from_slice(&to[one..][..maps]);
            }
        }
    }
}
