//! Which values of a tensor belong to which output unit of the layer that reads it.

/// How the values of a tensor are shared out among output units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Units {
    axis: usize,
    groups: usize,
}

impl Units {
    /// `axis` counts the units.
    #[must_use]
    pub const fn along(axis: usize) -> Self {
        Self::in_groups(axis, 1)
    }

    /// The first axis comes in so many equal groups, each of which has units of its own, that
    /// `axis` counts.
    #[must_use]
    pub const fn in_groups(axis: usize, groups: usize) -> Self {
        Self { axis, groups }
    }

    /// Number of units of a tensor of this shape; 1 where it has no such axis, as a bias.
    #[must_use]
    pub fn count(self, shape: &[usize]) -> usize {
        let units = shape.get(self.axis);
        units.map_or(1, |units| units.saturating_mul(self.groups))
    }

    /// The unit of the `index`th value of a tensor of this shape.
    ///
    /// ```
    /// use decode::architecture::Units;
    /// // Transposed: inputs, outputs of a group, kernel.
    /// let shape = [4, 3, 1, 1];
    /// let units = |groups| -> Vec<usize> {
    ///     let units = Units::in_groups(1, groups);
    ///     (0..12).map(|index| units.of(index, &shape)).collect()
    /// };
    /// assert_eq!(units(1), [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
    /// assert_eq!(units(2), [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]);
    /// ```
    #[must_use]
    pub fn of(self, index: usize, shape: &[usize]) -> usize {
        let Some(&units) = shape.get(self.axis) else {
            return 0;
        };
        let size = |axes: &[usize]| axes.iter().product::<usize>().max(1);
        let unit = index / size(&shape[self.axis + 1..]) % units.max(1);
        if self.groups <= 1 {
            return unit;
        }
        let rows = (shape[0] / self.groups).max(1);
        index / size(&shape[1..]) / rows * units + unit
    }
}
