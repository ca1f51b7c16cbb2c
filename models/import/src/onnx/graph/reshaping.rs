//! Operators that give values another shape, order or number.

use decode::architecture::graph::Operation;

use super::super::constant::Constant;
use super::super::rearranging::{MAX_VALUES, rearranged};
use super::nodes::{NodeLowering, WireResult};

impl NodeLowering<'_> {
    /// What only changes the shape.
    pub(super) fn reshaped(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let further: Vec<Option<&Constant>> = (1..self.inputs.len())
            .map(|nth| self.constant(nth))
            .collect();
        match rearranged(self.node, &x.shape, &further, self.batch) {
            Some(rearranged) => {
                let shape = rearranged?.shape;
                self.reshape_to(&x, shape)
            }
            None => Err(self.node.error("this operator cannot be computed here")),
        }
    }

    pub(super) fn transpose(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let rank = x.shape.len();
        let order = match self.node.ints("perm") {
            Some(order) => order
                .iter()
                .map(|&axis| self.node.axis(axis, rank))
                .collect::<Result<_, _>>()?,
            None => (0..rank).rev().collect(),
        };
        self.transpose_to(&x, order)
    }

    pub(super) fn tile(&mut self) -> WireResult {
        let mut x = self.wire(0)?;
        let repeats = self.ints(1, "repeats")?.unwrap_or_default();
        if repeats.len() != x.shape.len() {
            return Err(self
                .node
                .error("it needs as many repeats as there are axes"));
        }
        let times: Option<Vec<usize>> = repeats.iter().map(|&n| usize::try_from(n).ok()).collect();
        let total = times.as_ref().and_then(|times| {
            let mut sides = x.shape.iter().chain(times);
            sides.try_fold(1, |total: usize, &side| total.checked_mul(side))
        });
        let (Some(times), Some(1..=MAX_VALUES)) = (times, total) else {
            return Err(self.node.error(format!(
                "{:?} repeated {repeats:?} times is nothing, or more than {MAX_VALUES} values",
                x.shape
            )));
        };
        let ones = x
            .shape
            .iter()
            .zip(&times)
            .map(|(&n, &t)| if n == 1 { t } else { n });
        let shape: Vec<usize> = ones.collect();
        let long: Vec<usize> = (0..times.len()).filter(|&axis| x.shape[axis] > 1).collect();
        for axis in long {
            let copies = vec![&x; times[axis]];
            x = match times[axis] {
                1 => x,
                _ => self.add(Operation::Concat { axis }, &copies)?,
            };
        }
        let shape = shape
            .iter()
            .zip(&x.shape)
            .map(|(&a, &b)| a.max(b))
            .collect();
        self.add(Operation::Expand { shape }, &[&x])
    }

    pub(super) fn expand(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let wanted = self.ints(1, "shape")?.unwrap_or_default();
        let wanted: Option<Vec<usize>> = wanted.iter().map(|&n| usize::try_from(n).ok()).collect();
        let shape =
            wanted.and_then(|wanted| super::super::arithmetic::broadcast(&x.shape, &wanted));
        match shape {
            Some(shape) => self.add(Operation::Expand { shape }, &[&x]),
            None => Err(self
                .node
                .error(format!("{:?} does not stretch so far", x.shape))),
        }
    }

    /// Maps, rows, columns, and the side of the blocks.
    fn blocks(&mut self) -> Result<(super::Wire, [usize; 4]), super::ImportError> {
        let x = self.wire(0)?;
        let block = usize::try_from(self.node.int("blocksize")).unwrap_or(0);
        match x.shape[..] {
            [1, maps, rows, columns] if (1..=1 << 12).contains(&block) => {
                Ok((x, [maps, rows, columns, block]))
            }
            _ => Err(self.node.error(format!(
                "blocks of {block} of a value of shape {:?} are not read",
                x.shape
            ))),
        }
    }

    pub(super) fn depth_to_space(&mut self) -> WireResult {
        let (x, [maps, rows, columns, block]) = self.blocks()?;
        let less = maps / (block * block);
        let (shape, order) = if self.node.text("mode") == "CRD" {
            (vec![less, block, block, rows, columns], vec![0, 3, 1, 4, 2])
        } else {
            (vec![block, block, less, rows, columns], vec![2, 3, 0, 4, 1])
        };
        let apart = self.reshape_to(&x, shape)?;
        let rearranged = self.transpose_to(&apart, order)?;
        self.reshape_to(&rearranged, vec![1, less, rows * block, columns * block])
    }

    pub(super) fn space_to_depth(&mut self) -> WireResult {
        let (x, [maps, rows, columns, block]) = self.blocks()?;
        let (less_rows, less_columns) = (rows / block, columns / block);
        let apart = self.reshape_to(&x, vec![maps, less_rows, block, less_columns, block])?;
        let rearranged = self.transpose_to(&apart, vec![2, 4, 0, 1, 3])?;
        self.reshape_to(
            &rearranged,
            vec![1, maps * block * block, less_rows, less_columns],
        )
    }
}
