//! Operators along axes: reductions, softmax, running sums, and the largest values with their places.

use decode::architecture::graph::{Function, Operation, PairFunction, Reduction};

use super::super::super::graph::Wire;
use super::nodes::{NodeLowering, WireResult, WiresResult};

impl NodeLowering<'_> {
    pub(super) fn reduce(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let (axes, shape) = self.axes(&x)?;
        let over = |at: &mut Self, function: Reduction, x: &Wire| {
            let axes = axes.clone();
            at.add(Operation::Reduce { function, axes }, &[x])
        };
        let made = match self.node.operator() {
            "ReduceMean" => over(self, Reduction::Mean, &x),
            "ReduceSum" => over(self, Reduction::Sum, &x),
            "ReduceMax" => over(self, Reduction::Max, &x),
            "ReduceMin" => over(self, Reduction::Min, &x),
            "ReduceProd" => over(self, Reduction::Product, &x),
            "ReduceL1" => {
                let size = self.map(Function::Absolute, &x)?;
                over(self, Reduction::Sum, &size)
            }
            "ReduceSumSquare" | "ReduceL2" => {
                let square = self.pair(PairFunction::Multiply, &x, &x)?;
                let sum = over(self, Reduction::Sum, &square)?;
                if self.node.operator() == "ReduceL2" {
                    self.map(Function::Sqrt, &sum)
                } else {
                    Ok(sum)
                }
            }
            "ReduceLogSum" => {
                let sum = over(self, Reduction::Sum, &x)?;
                self.map(Function::Log, &sum)
            }
            "ReduceLogSumExp" => {
                let top = over(self, Reduction::Max, &x)?;
                let below = self.pair(PairFunction::Subtract, &x, &top)?;
                let powers = self.map(Function::Exp, &below)?;
                let sum = over(self, Reduction::Sum, &powers)?;
                let log = self.map(Function::Log, &sum)?;
                self.pair(PairFunction::Add, &log, &top)
            }
            _ => Err(super::super::unsupported::flowing(self.node)),
        }?;
        self.reshape_to(&made, shape)
    }

    /// The axes that a reduction is over, and the shape of what it gives.
    fn axes(&self, x: &Wire) -> Result<(Vec<usize>, Vec<usize>), super::ImportError> {
        let rank = x.shape.len();
        let given = self.ints(1, "axes")?.unwrap_or_default();
        let axes: Vec<usize> = if given.is_empty() {
            if self.node.int("noop_with_empty_axes") == 1 {
                Vec::new()
            } else {
                (0..rank).collect()
            }
        } else {
            given
                .iter()
                .map(|&axis| self.node.axis(axis, rank))
                .collect::<Result<_, _>>()?
        };
        let keeps = self.node.int("keepdims") == 1;
        let shape = (0..rank)
            .filter(|axis| keeps || !axes.contains(axis))
            .map(|axis| {
                if axes.contains(&axis) {
                    1
                } else {
                    x.shape[axis]
                }
            })
            .collect();
        Ok((axes, shape))
    }

    pub(super) fn softmax(&mut self, logarithm: bool) -> WireResult {
        let x = self.wire(0)?;
        let rank = x.shape.len();
        let axis = self.node.axis(self.node.int("axis"), rank)?;
        let flat = if self.node.int("flattens") == 1 {
            let shape = [&x.shape[..axis], &[x.shape[axis..].iter().product()]].concat();
            self.reshape_to(&x, shape)?
        } else {
            x.clone()
        };
        let made = if logarithm {
            let one = |function| Operation::Reduce {
                function,
                axes: vec![axis],
            };
            let top = self.add(one(Reduction::Max), &[&flat])?;
            let below = self.pair(PairFunction::Subtract, &flat, &top)?;
            let powers = self.map(Function::Exp, &below)?;
            let sum = self.add(one(Reduction::Sum), &[&powers])?;
            let log = self.map(Function::Log, &sum)?;
            self.pair(PairFunction::Subtract, &below, &log)?
        } else {
            self.add(Operation::Softmax { axis }, &[&flat])?
        };
        self.reshape_to(&made, x.shape)
    }

    pub(super) fn arg_max(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let axis = self.node.axis(self.node.int("axis"), x.shape.len())?;
        let x = if self.node.operator() == "ArgMin" {
            self.map(Function::Negate, &x)?
        } else {
            x
        };
        let place = self.add(Operation::ArgMax { axis }, &[&x])?;
        let mut shape = place.shape.clone();
        if self.node.int("keepdims") == 0 {
            shape.remove(axis);
        }
        self.reshape_to(&place, shape)
    }

    pub(super) fn cumulate(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let axis = self.ints(1, "axis")?.and_then(|axis| axis.first().copied());
        let axis = axis.ok_or_else(|| self.node.error("its axis must be constant"))?;
        let axis = self.node.axis(axis, x.shape.len())?;
        let [exclusive, reverse] = ["exclusive", "reverse"].map(|name| self.node.int(name) == 1);
        let cumulate = Operation::Cumulate {
            axis,
            exclusive,
            reverse,
        };
        self.add(cumulate, &[&x])
    }

    /// The largest values along an axis, and their places.
    pub(super) fn top(&mut self) -> WiresResult {
        let x = self.wire(0)?;
        let axis = self.node.axis(self.node.int("axis"), x.shape.len())?;
        let count = match self.node.given("k") {
            Some(count) => count.i,
            None => self.ints(1, "k")?.and_then(|count| count.first().copied()),
        };
        let count = count.and_then(|count| usize::try_from(count).ok());
        let count = count.ok_or_else(|| self.node.error("it does not say how many"))?;
        let smallest = self.node.int("largest") == 0;
        let both = [false, true].map(|places| {
            let top = Operation::Top {
                axis,
                count,
                smallest,
                places,
            };
            self.add(top, &[&x])
        });
        both.into_iter().collect()
    }
}
