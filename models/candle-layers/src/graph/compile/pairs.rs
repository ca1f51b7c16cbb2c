//! Functions of two values, and norms with what follows them.

use decode::architecture::graph::{GraphNode, Operation, PairFunction};

use super::super::computation::Computation;
use super::super::norm::{Norm, NormAxes};
use super::super::order::{Order, Steps, merged};
use super::{Compiler, Value};

impl Compiler<'_> {
    pub(super) fn pair(
        &mut self,
        node: &GraphNode,
        function: PairFunction,
        of: [Value; 2],
        shape: Vec<usize>,
    ) -> Value {
        let rank = shape.len();
        let count: usize = shape.iter().product();
        let [mut a, b] = of.map(|value| Value {
            order: value.order.padded(rank),
            ..value
        });
        let whole = |value: &Value| value.order.len() == count;
        if !whole(&a) && !whole(&b) {
            a = self.stretched(node, a, &shape);
        }
        let moved_less = b.order.channels_last().is_some() || self.fixed[a.slot].is_some();
        let turned = whole(&b) && (!whole(&a) || moved_less && a.order.channels_last().is_none());
        let (mut lead, mut other) = if turned { (b, a) } else { (a, b) };
        if self.changes_nothing(function, turned, &other) {
            self.shares(node, &lead);
            return lead;
        }
        let steps = if other.order.len() == 1 {
            vec![(count, 0)]
        } else if other.order == lead.order {
            vec![(count, 1)]
        } else {
            lead = self.direct(lead);
            other = self.like(other, &lead.order);
            let (strides, sizes) = (other.order.strides(), other.order.shape());
            let step = |&axis: &usize| match sizes[axis] {
                1 => (shape[axis], 0),
                n => (n, strides[axis]),
            };
            merged(lead.order.axes().iter().map(step))
        };
        if self.joined_to_norm(function, &lead, &other, &steps) {
            self.shares(node, &lead);
            return lead;
        }
        let computation = Computation::Pair {
            function,
            turned,
            steps,
        };
        let order = lead.order.clone();
        self.step(node, &[&lead, &other], computation, order)
    }

    /// Stretched to a shape with as many axes.
    fn stretched(&mut self, node: &GraphNode, x: Value, shape: &[usize]) -> Value {
        let x = self.natural(x);
        let shape = shape.to_vec();
        let operation = Operation::Expand {
            shape: shape.clone(),
        };
        let computation = Computation::Candle(operation, vec![x.order.shape().to_vec()]);
        self.step(node, &[&x], computation, Order::natural(shape))
    }

    /// Whether a value is added nothing, or multiplied by one, everywhere.
    // exactly
    fn changes_nothing(&self, function: PairFunction, turned: bool, other: &Value) -> bool {
        let nothing = match function {
            PairFunction::Add => 0.0,
            PairFunction::Multiply => 1.0,
            PairFunction::Subtract if !turned => 0.0,
            PairFunction::Divide if !turned => 1.0,
            _ => return false,
        };
        let fixed = self.fixed[other.slot].as_ref();
        fixed.is_some_and(|values| values.iter().all(|&v| v == nothing))
    }

    /// Takes factors, then terms, into the norm before them, if it has a place for them.
    fn joined_to_norm(
        &mut self,
        function: PairFunction,
        lead: &Value,
        other: &Value,
        steps: &Steps,
    ) -> bool {
        let Some(values) = self.fixed[other.slot].clone() else {
            return false;
        };
        let alone = self.alone[lead.slot];
        let step = self.steps.iter_mut().rfind(|step| step.to == lead.slot);
        let Some(Computation::Norm(norm)) =
            step.filter(|_| alone).map(|step| &mut step.computation)
        else {
            return false;
        };
        let places = norm.places();
        let values = match steps[..] {
            [(_, 0)] => vec![values[0]; places],
            [(_, 0), (n, 1)] | [(n, 1)] if n == places => values.to_vec(),
            _ => return false,
        };
        match (function, &mut norm.affine) {
            (PairFunction::Multiply, [by @ None, None]) => *by = Some(values),
            (PairFunction::Add, [_, plus @ None]) => *plus = Some(values),
            _ => return false,
        }
        true
    }

    pub(super) fn normalise(&mut self, node: &GraphNode, x: Value, last: usize, eps: f64) -> Value {
        let shape = x.order.shape();
        let count: usize = shape[shape.len() - last..].iter().product();
        let rows = x.order.len() / count;
        let channels = x.order.channels_last();
        let (x, over) = match (channels, x.order.direct()) {
            (Some(channels), _) if channels % rows == 0 => {
                let groups = rows;
                (x, NormAxes::Groups { channels, groups })
            }
            (_, Some(order)) if order.ends_with(last) => {
                (Value { order, ..x }, NormAxes::Rows(count))
            }
            _ => (self.natural(x), NormAxes::Rows(count)),
        };
        let affine = [None, None];
        let order = x.order.clone();
        self.step(
            node,
            &[&x],
            Computation::Norm(Norm { over, eps, affine }),
            order,
        )
    }
}
