//! In which order the values of an array lie in memory.
//!
//! Transpositions and reshapes move nothing: they only change what an order says. Values are
//! moved when a step needs another order than the one they lie in.

/// An array of `shape`, which lies in memory as one of `source` (the same values row by row,
/// in another shape) would with its axes in the order `axes`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Order {
    shape: Vec<usize>,
    source: Vec<usize>,
    axes: Vec<usize>,
}

/// A walk through memory: how often each step is taken, and how far it is.
pub(super) type Steps = Vec<(usize, usize)>;

impl Order {
    /// Row by row.
    pub(super) fn natural(shape: Vec<usize>) -> Self {
        Self {
            axes: (0..shape.len()).collect(),
            source: shape.clone(),
            shape,
        }
    }

    /// An array of `shape` whose values are those of maps `[1, channels, height, width]`, with
    /// channels last.
    pub(super) fn pixels([channels, height, width]: [usize; 3], shape: Vec<usize>) -> Self {
        Self {
            shape,
            source: vec![1, channels, height, width],
            axes: vec![0, 2, 3, 1],
        }
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The axes in the order in which they lie, where this is [`direct`](Self::direct).
    pub(super) fn axes(&self) -> &[usize] {
        &self.axes
    }

    pub(super) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Axes with more than one place, in the order in which they lie.
    fn long_axes(&self) -> impl Iterator<Item = usize> {
        let axes = self.axes.iter().copied();
        axes.filter(|&axis| self.source[axis] > 1)
    }

    pub(super) fn is_natural(&self) -> bool {
        self.long_axes().is_sorted()
    }

    /// The places of the first long axis, if it lies last and the others as they are: the
    /// channels of maps, channels last.
    pub(super) fn channels_last(&self) -> Option<usize> {
        let mut turned: Vec<usize> = self.long_axes().collect();
        let channels = turned.pop()?;
        turned.insert(0, channels);
        (turned.len() > 1 && turned.is_sorted()).then(|| self.source[channels])
    }

    /// Whether the last `last` axes are neighbours in memory, in their order; of one that is
    /// [`direct`](Self::direct).
    pub(super) fn ends_with(&self, last: usize) -> bool {
        let first = self.shape.len() - last;
        let lying: Vec<usize> = self.long_axes().collect();
        let count = lying.iter().filter(|&&axis| axis >= first).count();
        let end = &lying[lying.len() - count..];
        end.is_sorted() && end.iter().all(|&axis| axis >= first)
    }

    /// The shape of what lies in memory, row by row: that of an array that is
    /// [`direct`](Self::direct).
    pub(super) fn memory_shape(&self) -> Vec<usize> {
        self.axes.iter().map(|&axis| self.source[axis]).collect()
    }

    /// Where each axis of an array that is [`direct`](Self::direct) lies.
    pub(super) fn place_of(&self, axis: usize) -> usize {
        self.axes.iter().position(|&a| a == axis).unwrap_or(axis)
    }

    /// The order of an array of another shape whose axes lie as those of this one.
    pub(super) fn like(&self, shape: Vec<usize>) -> Self {
        Self {
            source: shape.clone(),
            shape,
            axes: self.axes.clone(),
        }
    }

    /// The same values in another shape.
    pub(super) fn reshaped(&self, shape: Vec<usize>) -> Self {
        if self.is_natural() {
            return Self::natural(shape);
        }
        Self {
            shape,
            ..self.clone()
        }
    }

    /// The same with as many axes, further ones in front.
    pub(super) fn padded(&self, rank: usize) -> Self {
        let mut shape = vec![1; rank.saturating_sub(self.shape.len())];
        shape.extend(&self.shape);
        self.reshaped(shape)
    }

    /// The same order with `source` equal to `shape`, if the axes of the shape lie in one
    /// order or another.
    pub(super) fn direct(&self) -> Option<Self> {
        if self.source == self.shape {
            return Some(self.clone());
        }
        let long = |shape: &[usize]| -> Vec<(usize, usize)> {
            let axes = shape.iter().copied().enumerate();
            axes.filter(|&(_, n)| n > 1).collect()
        };
        let (old, new) = (long(&self.source), long(&self.shape));
        // Runs of old axes and the runs of new ones that hold the same values.
        let mut runs: Vec<[&[(usize, usize)]; 2]> = Vec::new();
        let (mut i, mut j) = (0, 0);
        while i < old.len() {
            let (first, begin) = (i, j);
            let (mut a, mut b) = (old[i].1, new.get(j)?.1);
            while a != b {
                if a < b {
                    i += 1;
                    a *= old.get(i)?.1;
                } else {
                    j += 1;
                    b *= new.get(j)?.1;
                }
            }
            (i, j) = (i + 1, j + 1);
            runs.push([&old[first..i], &new[begin..j]]);
        }
        let lying: Vec<usize> = self.long_axes().collect();
        let mut axes: Vec<usize> = (0..self.shape.len())
            .filter(|&axis| self.shape[axis] == 1)
            .collect();
        let mut at = 0;
        while at < lying.len() {
            let starts = |[from, _]: &&[&[(usize, usize)]; 2]| from[0].0 == lying[at];
            let [from, to] = runs.iter().find(starts)?;
            let run = lying.get(at..at + from.len())?;
            if !run.iter().copied().eq(from.iter().map(|&(axis, _)| axis)) {
                return None;
            }
            axes.extend(to.iter().map(|&(axis, _)| axis));
            at += from.len();
        }
        Some(Self {
            shape: self.shape.clone(),
            source: self.shape.clone(),
            axes,
        })
    }

    /// With the axes of the shape in another order, where this is [`direct`](Self::direct).
    pub(super) fn transposed(&self, order: &[usize]) -> Self {
        let shape: Vec<usize> = order.iter().map(|&axis| self.shape[axis]).collect();
        let now = |&axis: &usize| order.iter().position(|&a| a == axis).unwrap_or(axis);
        Self {
            axes: self.axes.iter().map(now).collect(),
            source: shape.clone(),
            shape,
        }
    }

    /// How far neighbours along each axis are from each other in memory, where this is
    /// [`direct`](Self::direct).
    pub(super) fn strides(&self) -> Vec<usize> {
        let mut strides = vec![0; self.source.len()];
        let mut step = 1;
        for &axis in self.axes.iter().rev() {
            strides[axis] = step;
            step *= self.source[axis];
        }
        strides
    }

    /// The walk through this one's memory that goes through `to`'s from front to back. Both
    /// are orders of one shape, and direct; or `to` is natural.
    pub(super) fn steps_to(&self, to: &Self) -> Steps {
        if self.source == to.source {
            let strides = self.strides();
            return merged(to.axes.iter().map(|&axis| (to.source[axis], strides[axis])));
        }
        let natural = Self::natural(self.source.clone());
        let strides = self.strides();
        merged(
            natural
                .axes
                .iter()
                .map(|&axis| (self.source[axis], strides[axis])),
        )
    }
}

/// The same walk in as few steps as there can be.
pub(super) fn merged(steps: impl Iterator<Item = (usize, usize)>) -> Steps {
    let mut all: Steps = Vec::new();
    for (count, stride) in steps.filter(|&(count, _)| count > 1) {
        match all.last_mut() {
            Some((before, far)) if *far == stride * count => {
                (*before, *far) = (*before * count, stride)
            }
            _ => all.push((count, stride)),
        }
    }
    if all.is_empty() {
        all.push((1, 1));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of an array of `order` that lies in memory as 0, 1, 2, …, row by row.
    fn read(order: &Order) -> Vec<usize> {
        let mut all = vec![0];
        for (count, stride) in order.steps_to(&Order::natural(order.shape().to_vec())) {
            let step = |at: usize| (0..count).map(move |i| at + i * stride);
            all = all.into_iter().flat_map(step).collect();
        }
        all
    }

    /// python3 -c "
    /// import numpy as np
    /// x = np.arange(12).reshape(2, 3, 2).transpose(2, 0, 1)  # pixels as maps
    /// print(x.ravel(), x.reshape(2, 6).T.ravel())"
    #[test]
    fn reshapes_and_transpositions_move_nothing() {
        let maps = Order::pixels([2, 2, 3], vec![1, 2, 2, 3]);
        let expected = [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11];
        assert_eq!(read(&maps), expected);
        let tokens = maps.reshaped(vec![1, 2, 6]).direct().unwrap();
        assert_eq!(read(&tokens), expected);
        let turned = tokens.transposed(&[0, 2, 1]);
        assert!(turned.is_natural());
        assert_eq!(read(&turned), (0..12).collect::<Vec<_>>());
        // And back: rows and columns of what were tokens.
        let back = turned.transposed(&[0, 2, 1]).reshaped(vec![1, 2, 2, 3]);
        assert_eq!(back.direct().unwrap(), maps);
        assert_eq!(back.channels_last(), Some(2));
        // Channels and columns do not lie beside each other.
        let mixed = maps.reshaped(vec![4, 3]);
        assert_eq!(mixed.direct().map(|order| order.axes), None);
        assert_eq!(read(&mixed), expected);
    }

    #[test]
    fn axes_of_one_place_are_in_nobodys_way() {
        let maps = Order::pixels([1, 2, 3], vec![1, 1, 2, 3]);
        assert!(maps.is_natural());
        let maps = Order::pixels([4, 1, 3], vec![1, 4, 1, 3]);
        let flat = maps.reshaped(vec![4, 1, 1, 3]).direct().unwrap();
        assert_eq!(read(&flat), read(&maps));
        assert_eq!(flat.strides()[0], 1);
    }
}
