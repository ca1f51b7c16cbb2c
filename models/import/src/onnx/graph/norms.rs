//! Norms: of layers, groups, instances, batches, and of vectors.

use decode::architecture::graph::{Function, Operation, PairFunction, Reduction};

use super::super::super::graph::Wire;
use super::super::node::decimal;
use super::nodes::{NodeLowering, WireResult};

impl NodeLowering<'_> {
    fn eps(&self) -> f64 {
        decimal(self.node.float("epsilon"))
    }

    /// x · scale + shift, where the node is fed these at the places 1 and 2, brought to
    /// `shape`.
    fn scaled(&mut self, x: &Wire, shape: Option<&[usize]>) -> WireResult {
        let mut x = x.clone();
        for (nth, function) in [(1, PairFunction::Multiply), (2, PairFunction::Add)] {
            if !self.has(nth) {
                continue;
            }
            let mut by = self.wire(nth)?;
            if let Some(shape) = shape {
                by = self.reshape_to(&by, shape.to_vec())?;
            }
            x = self.pair(function, &x, &by)?;
        }
        Ok(x)
    }

    /// The shape of one number for each map.
    fn per_map(x: &Wire) -> Vec<usize> {
        let ones = x.shape.iter().skip(2).map(|_| 1);
        x.shape.get(1).copied().into_iter().chain(ones).collect()
    }

    pub(super) fn layer_norm(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let axis = self.node.axis(self.node.int("axis"), x.shape.len())?;
        let (last, eps) = (x.shape.len() - axis, self.eps());
        let normal = self.add(Operation::Normalise { last, eps }, &[&x])?;
        self.scaled(&normal, None)
    }

    /// x / √(mean of x² + eps) · scale.
    pub(super) fn rms_norm(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let axis = self.node.axis(self.node.int("axis"), x.shape.len())?;
        let axes = (axis..x.shape.len()).collect();
        let square = self.pair(PairFunction::Multiply, &x, &x)?;
        let function = Reduction::Mean;
        let mean = self.add(Operation::Reduce { function, axes }, &[&square])?;
        let eps = self.node.float("epsilon");
        let mean = self.with_number(PairFunction::Add, &mean, eps)?;
        let size = self.map(Function::Sqrt, &mean)?;
        let normal = self.pair(PairFunction::Divide, &x, &size)?;
        self.scaled(&normal, None)
    }

    pub(super) fn instance_norm(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let maps = x.shape.get(1).copied().unwrap_or(0);
        let normal = self.in_groups(&x, maps)?;
        self.scaled(&normal, Some(&Self::per_map(&x)))
    }

    pub(super) fn group_norm(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let groups = usize::try_from(self.node.int("num_groups")).unwrap_or(0);
        let normal = self.in_groups(&x, groups)?;
        let maps = x.shape[1];
        if self.node.text("scales_of") == "groups" {
            let rest: usize = x.shape[2..].iter().product();
            let apart = self.reshape_to(&normal, vec![1, groups, maps / groups * rest])?;
            let scaled = self.scaled(&apart, Some(&[groups, 1]))?;
            return self.reshape_to(&scaled, x.shape);
        }
        self.scaled(&normal, Some(&Self::per_map(&x)))
    }

    /// Mean 0 and variance 1 in every group of maps.
    fn in_groups(&mut self, x: &Wire, groups: usize) -> WireResult {
        let &[1, maps, ..] = &x.shape[..] else {
            return Err(self
                .node
                .error(format!("a value of shape {:?} has no maps", x.shape)));
        };
        if groups == 0 || !maps.is_multiple_of(groups) {
            return Err(self.node.error(format!("{maps} maps in {groups} groups")));
        }
        let count = x.shape.iter().product::<usize>() / groups;
        let apart = self.reshape_to(x, vec![groups, count])?;
        let eps = self.eps();
        let normal = self.add(Operation::Normalise { last: 1, eps }, &[&apart])?;
        self.reshape_to(&normal, x.shape.clone())
    }

    /// By means and variances that were learnt.
    pub(super) fn batch_norm(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let shape = Self::per_map(&x);
        let (mean, variance) = (self.wire(3)?, self.wire(4)?);
        let eps = self.node.float("epsilon");
        let variance = self.with_number(PairFunction::Add, &variance, eps)?;
        let size = self.map(Function::Sqrt, &variance)?;
        let mean = self.reshape_to(&mean, shape.clone())?;
        let size = self.reshape_to(&size, shape.clone())?;
        let centred = self.pair(PairFunction::Subtract, &x, &mean)?;
        let normal = self.pair(PairFunction::Divide, &centred, &size)?;
        self.scaled(&normal, Some(&shape))
    }

    /// x over its length along an axis.
    pub(super) fn lp_norm(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let axis = self.node.axis(self.node.int("axis"), x.shape.len())?;
        let sizes = match self.node.int("p") {
            1 => self.map(Function::Absolute, &x)?,
            2 => self.pair(PairFunction::Multiply, &x, &x)?,
            p => return Err(self.node.error(format!("p of {p} is not read"))),
        };
        let (function, axes) = (Reduction::Sum, vec![axis]);
        let mut length = self.add(Operation::Reduce { function, axes }, &[&sizes])?;
        if self.node.int("p") == 2 {
            length = self.map(Function::Sqrt, &length)?;
        }
        self.pair(PairFunction::Divide, &x, &length)
    }
}
