//! From the nodes of a graph to steps.
//!
//! Each value knows in which order it lies, and each step takes values as they lie where it can:
//! maps that a plan gives, channels last, stay so through norms, activations and sums until the
//! next plan takes them. Steps that change single values change them in place.
//!
//! Longer than most files: one builder, a method for each kind of node that has a kernel.

use std::collections::BTreeMap;

use candle_core::{Device, Result, Tensor};
use decode::architecture::graph::{Function, INPUT, Node, Operation, PairFunction};
use decode::architecture::{Flow, Graph, Layer, flows};
use decode::kernels::matrix::Panels;
use decode::kernels::pointwise::Pointwise;
use decode::plan::DecodingPlan;
use decode::weights::{Stored, Tensors};

use super::moving::moved;
use super::norm::{Norm, Over};
use super::order::{Order, Steps, merged};
use super::simplify::{simplified, uses};
use super::work::{Product, Right, Values, Work};
use super::{GraphNetwork, Step};
use crate::Network;

/// Matrices are packed, and their places listed, one by one: no more than so many.
const MOST_PRODUCTS: usize = 1 << 12;

/// A value that nodes can use.
#[derive(Debug, Clone)]
struct Value {
    slot: usize,
    order: Order,
}

struct Compiler<'a> {
    stored: &'a Stored,
    tensors: &'a Tensors,
    with_kernels: bool,
    uses: BTreeMap<String, usize>,
    values: BTreeMap<String, Value>,
    /// For each slot the values that are the same for every latent vector.
    fixed: Vec<Option<Values>>,
    /// For each slot whether one node alone uses it.
    alone: Vec<bool>,
    /// Slots that hold the values of others in other orders.
    moves: BTreeMap<(usize, Steps), usize>,
    steps: Vec<Step>,
}

pub(super) fn compile(
    graph: &Graph,
    width: usize,
    stored: &Stored,
    tensors: &Tensors,
    with_kernels: bool,
) -> Result<GraphNetwork> {
    let shapes = graph.shapes(width).map_err(candle_core::Error::wrap)?;
    let nodes = if with_kernels {
        simplified(graph)
    } else {
        graph.nodes.clone()
    };
    let mut compiler = Compiler {
        stored,
        tensors,
        with_kernels,
        uses: uses(&nodes, &graph.output),
        values: BTreeMap::new(),
        fixed: Vec::new(),
        alone: Vec::new(),
        moves: BTreeMap::new(),
        steps: Vec::new(),
    };
    let input = compiler.slot(INPUT, None);
    let order = Order::natural(vec![width]);
    let value = Value { slot: input, order };
    compiler.values.insert(INPUT.to_owned(), value);
    for node in &nodes {
        let shape = shapes[node.name.as_str()].clone();
        let value = compiler.node(node, shape)?;
        compiler.values.insert(node.name.clone(), value);
    }
    let output = compiler.value(&graph.output)?;
    let output = compiler.natural(output).slot;
    let mut network = GraphNetwork {
        width,
        fixed: compiler.fixed,
        steps: compiler.steps,
        output,
    };
    network.forget_early();
    Ok(network)
}

impl Compiler<'_> {
    fn value(&self, name: &str) -> Result<Value> {
        match self.values.get(name) {
            Some(value) => Ok(value.clone()),
            None => candle_core::bail!("no value is named {name:?}"),
        }
    }

    fn slot(&mut self, name: &str, fixed: Option<Values>) -> usize {
        self.fixed.push(fixed);
        self.alone.push(self.uses.get(name) == Some(&1));
        self.fixed.len() - 1
    }

    /// Values of a node that are the same for every latent vector, row by row.
    fn constant(&mut self, node: &Node, shape: Vec<usize>, values: Values) -> Value {
        let order = Order::natural(shape);
        let slot = self.slot(&node.name, Some(values));
        Value { slot, order }
    }

    /// Adds a step, which gives the values of a node.
    fn step(&mut self, node: &Node, of: &[&Value], work: Work, order: Order) -> Value {
        let slot = self.slot(&node.name, None);
        self.steps.push(Step {
            name: node.name.clone(),
            kind: node.operation.kind(),
            to: slot,
            of: of.iter().map(|value| value.slot).collect(),
            last_use_of: Vec::new(),
            work,
        });
        Value { slot, order }
    }

    fn node(&mut self, node: &Node, shape: Vec<usize>) -> Result<Value> {
        if let Operation::Constant { .. } = node.operation {
            let values = of_tensor(self.tensors, &node.name)?;
            return Ok(self.constant(node, shape, values.into()));
        }
        let of: Vec<Value> = node
            .of
            .iter()
            .map(|name| self.value(name))
            .collect::<Result<_>>()?;
        let fixed = of.iter().map(|value| self.fixed[value.slot].clone());
        if let Some(mut fixed) = fixed.collect::<Option<Vec<_>>>() {
            // The same for every latent vector, so it is computed once.
            let work = match &node.operation {
                Operation::Layers { layers, .. } => self.layers_on_candle(layers, &shape)?,
                operation => {
                    let shapes = of.iter().map(|value| value.order.shape().to_vec());
                    Work::Candle(operation.clone(), shapes.collect())
                }
            };
            let values = work.run(&mut fixed)?;
            return Ok(self.constant(node, shape, values));
        }
        if !self.with_kernels {
            return match &node.operation {
                Operation::Layers { layers, .. } => {
                    let work = self.layers_on_candle(layers, &shape)?;
                    Ok(self.step(node, &[&of[0]], work, Order::natural(shape)))
                }
                _ => Ok(self.on_candle(node, of, shape)),
            };
        }
        match (&node.operation, &of[..]) {
            (Operation::Layers { layers, .. }, [x]) => self.layers(node, layers, x.clone(), shape),
            (Operation::Reshape { .. }, [x]) => {
                self.shares(node, x);
                Ok(Value {
                    slot: x.slot,
                    order: x.order.reshaped(shape),
                })
            }
            (Operation::Transpose { order }, [x]) => {
                let x = self.direct(x.clone());
                self.shares(node, &x);
                Ok(Value {
                    order: x.order.transposed(order),
                    ..x
                })
            }
            (Operation::Activation { function }, [x]) => {
                let order = x.order.clone();
                Ok(self.step(node, &[x], Work::Activation(*function), order))
            }
            (Operation::Map { function }, [x]) => Ok(match kernel_of(*function) {
                Some(function) => {
                    let order = x.order.clone();
                    self.step(node, &[x], Work::Pointwise(function), order)
                }
                None => self.on_candle(node, of, shape),
            }),
            (Operation::Pair { function }, [a, b]) => {
                Ok(self.pair(node, *function, [a.clone(), b.clone()], shape))
            }
            (Operation::Normalise { last, eps }, [x]) => {
                Ok(self.normalise(node, x.clone(), *last, *eps))
            }
            (Operation::Softmax { axis }, [x]) => {
                let x = self.direct(x.clone());
                if x.order.strides()[*axis] != 1 {
                    return Ok(self.on_candle(node, vec![x], shape));
                }
                let order = x.order.clone();
                Ok(self.step(node, &[&x], Work::Softmax(shape[*axis]), order))
            }
            (Operation::MatMul, [a, b]) if batch(&shape) <= MOST_PRODUCTS => {
                Ok(self.product(node, [a.clone(), b.clone()], shape))
            }
            _ => Ok(self.on_candle(node, of, shape)),
        }
    }

    /// Notes that a node's values are another's, which must not be changed in place where
    /// further nodes use them by either name.
    fn shares(&mut self, node: &Node, value: &Value) {
        self.alone[value.slot] &= self.uses.get(&node.name) == Some(&1);
    }

    /// A value in another order of its shape.
    fn brought(&mut self, value: &Value, order: Order) -> Value {
        let steps = value.order.steps_to(&order);
        if steps == [(value.order.len(), 1)] {
            return Value {
                slot: value.slot,
                order,
            };
        }
        let key = (value.slot, steps);
        if let Some(&slot) = self.moves.get(&key) {
            return Value { slot, order };
        }
        let (from, steps) = key.clone();
        let fixed = self.fixed[from].as_ref();
        let fixed = fixed.map(|values| moved(values, &steps).into());
        if fixed.is_none() {
            let makes = |step: &&Step| step.to == from;
            let name = self.steps.iter().rfind(makes).map(|step| step.name.clone());
            self.steps.push(Step {
                name: name.unwrap_or_else(|| INPUT.to_owned()),
                kind: "transpose",
                to: self.fixed.len(),
                of: vec![from],
                last_use_of: Vec::new(),
                work: Work::Move(steps),
            });
        }
        self.fixed.push(fixed);
        self.alone.push(false);
        let slot = self.fixed.len() - 1;
        self.moves.insert(key, slot);
        Value { slot, order }
    }

    /// A value row by row.
    fn natural(&mut self, value: Value) -> Value {
        let order = Order::natural(value.order.shape().to_vec());
        self.brought(&value, order)
    }

    /// A value whose axes lie in one order or another: as it is, if they do.
    fn direct(&mut self, value: Value) -> Value {
        match value.order.direct() {
            Some(order) => Value { order, ..value },
            None => self.natural(value),
        }
    }

    /// A value whose axes lie as those of `order` do, which has as many.
    fn like(&mut self, value: Value, order: &Order) -> Value {
        let value = self.direct(value);
        let order = order.like(value.order.shape().to_vec());
        self.brought(&value, order)
    }

    fn layers_on_candle(&self, layers: &[Layer], shape: &[usize]) -> Result<Work> {
        let network = Network::new(layers, |name, shape| {
            Tensor::from_vec(of_tensor(self.tensors, name)?, shape, &Device::Cpu)
        })?;
        Ok(Work::Layers(network, shape.to_vec()))
    }

    /// Layers as a plan that takes maps, and gives them, channels last.
    fn layers(
        &mut self,
        node: &Node,
        layers: &[Layer],
        x: Value,
        shape: Vec<usize>,
    ) -> Result<Value> {
        let width = x.order.len();
        let flows = flows(layers, width).map_err(candle_core::Error::wrap)?;
        let mut turned = layers.to_vec();
        let lying = x.order.channels_last();
        let takes_pixels = match turned.first_mut() {
            Some(Layer::Reshape {
                channels,
                channels_last: last @ false,
                ..
            }) if lying == Some(*channels) => {
                *last = true;
                true
            }
            _ => false,
        };
        let flow = match turned.last_mut() {
            Some(Layer::Flatten {
                channels_last: last @ false,
            }) => {
                *last = true;
                flows.len().checked_sub(2).map(|before| flows[before])
            }
            _ => flows.last().copied(),
        };
        let Some(plan) = DecodingPlan::compile(&turned, width, self.stored) else {
            let x = self.natural(x);
            let work = self.layers_on_candle(layers, &shape)?;
            return Ok(self.step(node, &[&x], work, Order::natural(shape)));
        };
        let x = if takes_pixels { x } else { self.natural(x) };
        let order = match flow {
            Some(Flow::Maps {
                channels,
                height,
                width,
            }) => Order::pixels([channels, height, width], shape),
            _ => Order::natural(shape),
        };
        Ok(self.step(node, &[&x], Work::Plan(plan.into()), order))
    }

    fn pair(
        &mut self,
        node: &Node,
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
        let work = Work::Pair {
            function,
            turned,
            steps,
        };
        let order = lead.order.clone();
        self.step(node, &[&lead, &other], work, order)
    }

    /// Stretched to a shape with as many axes.
    fn stretched(&mut self, node: &Node, x: Value, shape: &[usize]) -> Value {
        let x = self.natural(x);
        let shape = shape.to_vec();
        let operation = Operation::Expand {
            shape: shape.clone(),
        };
        let work = Work::Candle(operation, vec![x.order.shape().to_vec()]);
        self.step(node, &[&x], work, Order::natural(shape))
    }

    /// Whether a value is added nothing, or multiplied by one, everywhere.
    #[allow(clippy::float_cmp)] // exactly
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
        let Some(Work::Norm(norm)) = step.filter(|_| alone).map(|step| &mut step.work) else {
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

    fn normalise(&mut self, node: &Node, x: Value, last: usize, eps: f64) -> Value {
        let shape = x.order.shape();
        let count: usize = shape[shape.len() - last..].iter().product();
        let rows = x.order.len() / count;
        let channels = x.order.channels_last();
        let (x, over) = match (channels, x.order.direct()) {
            (Some(channels), _) if channels % rows == 0 => {
                let groups = rows;
                (x, Over::Groups { channels, groups })
            }
            (_, Some(order)) if order.ends_with(last) => (Value { order, ..x }, Over::Rows(count)),
            _ => (self.natural(x), Over::Rows(count)),
        };
        let affine = [None, None];
        let order = x.order.clone();
        self.step(node, &[&x], Work::Norm(Norm { over, eps, affine }), order)
    }

    fn product(&mut self, node: &Node, of: [Value; 2], shape: Vec<usize>) -> Value {
        let rank = shape.len();
        let [a, b] = of.map(|value| {
            let order = value.order.padded(rank);
            self.direct(Value { order, ..value })
        });
        let (inner, columns) = (a.order.shape()[rank - 1], shape[rank - 1]);
        let a = if a.order.strides()[rank - 1] == 1 || inner == 1 {
            a
        } else {
            self.natural(a)
        };
        let steps = |order: &Order| -> Steps {
            let strides = order.strides().into_iter();
            order.shape().iter().copied().zip(strides).collect()
        };
        let (of_a, of_b) = (steps(&a.order), steps(&b.order));
        let right = [of_b[rank - 2].1, of_b[rank - 1].1];
        let one_matrix = of_b[..rank - 2].iter().all(|&(n, _)| n == 1);
        let all_rows = merged(of_a[..rank - 1].iter().copied());
        let (rows, row_step, matrices) = match all_rows[..] {
            // All rows at once.
            [(rows, step)] if one_matrix => (rows, step, vec![[0, 0]]),
            _ => {
                let (rows, step) = of_a[rank - 2];
                (rows, step, starts(&shape[..rank - 2], &of_a, &of_b))
            }
        };
        let mut product = Product {
            matrices,
            rows,
            row_step,
            sizes: [inner, columns],
            right: Right::Lies(right),
        };
        let order = Order::natural(shape);
        let Some(fixed) = self.fixed[b.slot].clone() else {
            return self.step(node, &[&a, &b], Work::Product(product), order);
        };
        let mut packed: BTreeMap<usize, usize> = BTreeMap::new();
        let mut panels = Vec::new();
        for [_, at] in &mut product.matrices {
            let number = *packed.entry(*at).or_insert_with(|| {
                panels.push(Panels::pack(&fixed[*at..], [inner, columns], right));
                panels.len() - 1
            });
            *at = number;
        }
        product.right = Right::Packed(panels);
        self.step(node, &[&a], Work::Product(product), order)
    }

    /// What has no kernel. Where only axes matter, values stay in the order in which they lie.
    fn on_candle(&mut self, node: &Node, of: Vec<Value>, shape: Vec<usize>) -> Value {
        if let Operation::Map { .. } = node.operation {
            let x = &of[0];
            let work = Work::Candle(node.operation.clone(), vec![vec![x.order.len()]]);
            return self.step(node, &[x], work, x.order.clone());
        }
        let lying = of.iter().find(|value| !value.order.is_natural());
        let order = lying.and_then(|value| value.order.direct());
        if let Some(order) = order.filter(|_| self.with_kernels)
            && let Some(operation) = lying_in(&node.operation, &order)
        {
            let of: Vec<Value> = of
                .into_iter()
                .map(|value| self.like(value, &order))
                .collect();
            let shapes = of.iter().map(|value| value.order.memory_shape()).collect();
            let of: Vec<&Value> = of.iter().collect();
            return self.step(
                node,
                &of,
                Work::Candle(operation, shapes),
                order.like(shape),
            );
        }
        let of: Vec<Value> = of.into_iter().map(|value| self.natural(value)).collect();
        let shapes = of
            .iter()
            .map(|value| value.order.shape().to_vec())
            .collect();
        let of: Vec<&Value> = of.iter().collect();
        let work = Work::Candle(node.operation.clone(), shapes);
        self.step(node, &of, work, Order::natural(shape))
    }
}

/// Number of products of matrices that give an array of this shape.
fn batch(shape: &[usize]) -> usize {
    shape.iter().rev().skip(2).product()
}

/// Where each of a batch of products begins on the left and on the right; `shape` is that of
/// the batch.
fn starts(shape: &[usize], of_a: &Steps, of_b: &Steps) -> Vec<[usize; 2]> {
    let mut starts = vec![[0, 0]];
    for (axis, &count) in shape.iter().enumerate() {
        let [a, b] = [of_a[axis], of_b[axis]].map(|(n, stride)| if n == 1 { 0 } else { stride });
        let next = |&[i, j]: &[usize; 2]| (0..count).map(move |n| [i + n * a, j + n * b]);
        starts = starts.iter().flat_map(next).collect();
    }
    starts
}

/// The kernel of a function, if there is one.
fn kernel_of(function: Function) -> Option<Pointwise> {
    Some(match function {
        Function::Exp => Pointwise::Exp,
        Function::Gelu => Pointwise::Gelu,
        Function::GeluTanh => Pointwise::GeluTanh,
        Function::Silu => Pointwise::Silu,
        _ => return None,
    })
}

/// The same operation on arrays whose axes lie in another order, if it looks at single axes.
fn lying_in(operation: &Operation, order: &Order) -> Option<Operation> {
    let mut operation = operation.clone();
    match &mut operation {
        Operation::Concat { axis }
        | Operation::Slice { axis, .. }
        | Operation::Gather { axis, .. }
        | Operation::Resize { axis, .. }
        | Operation::Softmax { axis }
        | Operation::ArgMax { axis } => *axis = order.place_of(*axis),
        Operation::Reduce { axes, .. } => {
            axes.iter_mut()
                .for_each(|axis| *axis = order.place_of(*axis));
        }
        Operation::Pad { before, after, .. } => {
            for sides in [before, after] {
                *sides = order.axes().iter().map(|&axis| sides[axis]).collect();
            }
        }
        _ => return None,
    }
    Some(operation)
}

fn of_tensor(tensors: &Tensors, name: &str) -> Result<Vec<f32>> {
    match tensors.get(name) {
        Some((_, values)) => Ok(values.clone()),
        None => candle_core::bail!("tensor {name:?} is missing"),
    }
}
