//! Values put into others at fixed places, which is to choose from both; and triangles.

use decode::architecture::graph::{Operation, PairFunction};

use super::super::super::error::ImportError;
use super::super::super::graph::Wire;
use super::nodes::{NodeLowering, WireResult};

impl NodeLowering<'_> {
    /// `updates` at `places` (row by row) of a value, in the order of these.
    fn placed(&mut self, x: &Wire, updates: &Wire, places: &[usize]) -> WireResult {
        let count: usize = x.shape.iter().product();
        let mut from: Vec<usize> = (0..count).collect();
        for (update, &place) in places.iter().enumerate() {
            from[place] = count + update;
        }
        let old = self.reshape_to(x, vec![count])?;
        let new = self.reshape_to(updates, vec![places.len()])?;
        let both = self.add(Operation::Concat { axis: 0 }, &[&old, &new])?;
        let chosen = self.add(
            Operation::Gather {
                axis: 0,
                places: from,
            },
            &[&both],
        )?;
        self.reshape_to(&chosen, x.shape.clone())
    }

    fn indices(&self) -> Result<(Vec<usize>, Vec<i64>), ImportError> {
        let found = self.constant(1);
        found
            .and_then(|c| Some((c.shape.clone(), c.to_ints()?.to_vec())))
            .ok_or_else(|| {
                self.node
                    .error("its indices must be constant whole numbers")
            })
    }

    /// Blocks at fixed places.
    pub(super) fn gather_nd(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let (shape, indices) = self.indices()?;
        let batches = usize::try_from(self.node.int("batch_dims")).unwrap_or(usize::MAX);
        let Some((&depth, before)) = shape.split_last() else {
            return Err(self.node.error("its indices do not fit"));
        };
        let in_batches = x.shape.get(..batches).zip(before.get(..batches));
        let fits = in_batches.is_some_and(|(a, b)| a == b);
        if depth == 0 || !fits || batches.saturating_add(depth) > x.shape.len() {
            return Err(self.node.error("its indices do not fit"));
        }
        let axes = &x.shape[batches..batches + depth];
        let rest = x.shape[batches + depth..].to_vec();
        let each: usize = axes.iter().product();
        let in_batch: usize = before[batches..].iter().product();
        let mut places = Vec::with_capacity(indices.len() / depth);
        for (nth, index) in indices.chunks_exact(depth).enumerate() {
            let mut at = nth / in_batch.max(1);
            for (&i, &side) in index.iter().zip(axes) {
                at = at * side + self.node.axis(i, side)?;
            }
            places.push(at);
        }
        let batch: usize = x.shape[..batches].iter().product();
        let block: usize = rest.iter().product();
        let blocks = self.reshape_to(&x, vec![batch * each, block])?;
        let picked = self.picked(&blocks, 0, places)?;
        self.reshape_to(&picked, [before, &rest[..]].concat())
    }

    pub(super) fn scatter_nd(&mut self) -> WireResult {
        let (x, updates) = (self.wire(0)?, self.wire(2)?);
        let (shape, indices) = self.indices()?;
        let depth = shape.last().copied().unwrap_or(0);
        if depth == 0 || depth > x.shape.len() {
            return Err(self.node.error("its indices do not fit"));
        }
        let block: usize = x.shape[depth..].iter().product();
        let mut places = Vec::new();
        for index in indices.chunks_exact(depth) {
            let mut at = 0;
            for (axis, &i) in index.iter().enumerate() {
                at = at * x.shape[axis] + self.node.axis(i, x.shape[axis])?;
            }
            places.extend(at * block..(at + 1) * block);
        }
        self.placed(&x, &updates, &places)
    }

    pub(super) fn scatter_elements(&mut self) -> WireResult {
        let (x, updates) = (self.wire(0)?, self.wire(2)?);
        let (_, places) = self.elements(&x)?;
        self.placed(&x, &updates, &places)
    }

    /// Single values at fixed places.
    pub(super) fn gather_elements(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let (shape, places) = self.elements(&x)?;
        let all = self.reshape_to(&x, vec![x.shape.iter().product()])?;
        let picked = self.picked(&all, 0, places)?;
        self.reshape_to(&picked, shape)
    }

    /// The shape of the indices, each of which names a place along `axis` of a value at the
    /// place that it has itself along the other axes; and these places, row by row.
    fn elements(&self, x: &Wire) -> Result<(Vec<usize>, Vec<usize>), ImportError> {
        let (shape, indices) = self.indices()?;
        let axis = self.node.axis(self.node.int("axis"), x.shape.len())?;
        let mut sides = shape.iter().zip(&x.shape).enumerate();
        let fits = shape.len() == x.shape.len() && sides.all(|(i, (a, b))| i == axis || a <= b);
        if !fits {
            return Err(self.node.error("its indices do not fit"));
        }
        let mut places = Vec::with_capacity(indices.len());
        for (nth, &index) in indices.iter().enumerate() {
            let (mut rest, mut at) = (nth, vec![0; shape.len()]);
            for i in (0..shape.len()).rev() {
                at[i] = rest % shape[i];
                rest /= shape[i];
            }
            at[axis] = self.node.axis(index, x.shape[axis])?;
            places.push(at.iter().zip(&x.shape).fold(0, |n, (i, side)| n * side + i));
        }
        Ok((shape, places))
    }

    /// A triangle of each matrix; the other one becomes zeros.
    pub(super) fn triangle(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let shift = match self.ints(1, "k")? {
            Some(k) => k.first().copied().unwrap_or(0),
            None => 0,
        };
        let &[.., rows, columns] = &x.shape[..] else {
            return Err(self.node.error("it takes matrices"));
        };
        let upper = self.node.int("upper") == 1;
        let inside = |row: usize, column: usize| {
            let (row, column) = (i64::try_from(row), i64::try_from(column));
            let off = column.unwrap_or(0) - row.unwrap_or(0);
            if upper { off >= shift } else { off <= shift }
        };
        let mask: Vec<f32> = (0..rows * columns)
            .map(|i| f32::from(u8::from(inside(i / columns, i % columns))))
            .collect();
        let mask = self.builder.constant("triangle", &[rows, columns], &mask);
        let mask = mask.map_err(|problem| self.node.error(problem))?;
        if self.constant(0).is_some() {
            // Infinities of a mask are no numbers once multiplied by 0.
            let none = self.with_number(PairFunction::Multiply, &mask, 0.0)?;
            return self.add(Operation::Where, &[&mask, &x, &none]);
        }
        self.pair(PairFunction::Multiply, &x, &mask)
    }
}
