//! From the nodes of a graph to steps.
//!
//! Each value knows in which order it lies, and each step takes values as they lie where it can:
//! maps that a plan gives, channels last, stay so through norms, activations and sums until the
//! next plan takes them. Steps that change single values change them in place.

use std::collections::BTreeMap;

use candle_core::{Device, Result, Tensor};
use decode::architecture::graph::{Function, GraphNode, INPUT, Operation};
use decode::architecture::{Flow, Graph, Layer, flows};
use decode::kernels::pointwise::Pointwise;
use decode::plan::DecodingPlan;
use decode::weights::{StoredTensors, Tensors};

use super::computation::{Computation, Values};
use super::order::{Order, Steps};
use super::simplify::{simplified, uses};
use super::strided::moved;
use super::{GraphNetwork, Step};
use crate::Network;

mod pairs;
mod products;

use products::{MOST_PRODUCTS, batch};

/// A value that nodes can use.
#[derive(Debug, Clone)]
struct Value {
    slot: usize,
    order: Order,
}

struct Compiler<'a> {
    stored: &'a StoredTensors,
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
    stored: &StoredTensors,
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
    fn constant(&mut self, node: &GraphNode, shape: Vec<usize>, values: Values) -> Value {
        let order = Order::natural(shape);
        let slot = self.slot(&node.name, Some(values));
        Value { slot, order }
    }

    /// Adds a step, which gives the values of a node.
    fn step(
        &mut self,
        node: &GraphNode,
        of: &[&Value],
        computation: Computation,
        order: Order,
    ) -> Value {
        let slot = self.slot(&node.name, None);
        self.steps.push(Step {
            name: node.name.clone(),
            kind: node.operation.kind(),
            to: slot,
            of: of.iter().map(|value| value.slot).collect(),
            last_use_of: Vec::new(),
            computation,
        });
        Value { slot, order }
    }

    fn node(&mut self, node: &GraphNode, shape: Vec<usize>) -> Result<Value> {
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
            let computation = match &node.operation {
                Operation::Layers { layers, .. } => self.layers_on_candle(layers, &shape)?,
                operation => {
                    let shapes = of.iter().map(|value| value.order.shape().to_vec());
                    Computation::Candle(operation.clone(), shapes.collect())
                }
            };
            let values = computation.run(&mut fixed)?;
            return Ok(self.constant(node, shape, values));
        }
        if !self.with_kernels {
            return match &node.operation {
                Operation::Layers { layers, .. } => {
                    let computation = self.layers_on_candle(layers, &shape)?;
                    Ok(self.step(node, &[&of[0]], computation, Order::natural(shape)))
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
                Ok(self.step(node, &[x], Computation::Activation(*function), order))
            }
            (Operation::Map { function }, [x]) => Ok(match kernel_of(*function) {
                Some(function) => {
                    let order = x.order.clone();
                    self.step(node, &[x], Computation::Pointwise(function), order)
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
                Ok(self.step(node, &[&x], Computation::Softmax(shape[*axis]), order))
            }
            (Operation::MatMul, [a, b]) if batch(&shape) <= MOST_PRODUCTS => {
                Ok(self.product(node, [a.clone(), b.clone()], shape))
            }
            _ => Ok(self.on_candle(node, of, shape)),
        }
    }

    /// Notes that a node's values are another's, which must not be changed in place where
    /// further nodes use them by either name.
    fn shares(&mut self, node: &GraphNode, value: &Value) {
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
                computation: Computation::Move(steps),
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

    fn layers_on_candle(&self, layers: &[Layer], shape: &[usize]) -> Result<Computation> {
        let network = Network::new(layers, |name, shape| {
            Tensor::from_vec(of_tensor(self.tensors, name)?, shape, &Device::Cpu)
        })?;
        Ok(Computation::Layers(network, shape.to_vec()))
    }

    /// Layers as a plan that takes maps, and gives them, channels last.
    fn layers(
        &mut self,
        node: &GraphNode,
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
            let computation = self.layers_on_candle(layers, &shape)?;
            return Ok(self.step(node, &[&x], computation, Order::natural(shape)));
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
        Ok(self.step(node, &[&x], Computation::Plan(plan.into()), order))
    }

    /// What has no kernel. Where only axes matter, values stay in the order in which they lie.
    fn on_candle(&mut self, node: &GraphNode, of: Vec<Value>, shape: Vec<usize>) -> Value {
        if let Operation::Map { .. } = node.operation {
            let x = &of[0];
            let computation =
                Computation::Candle(node.operation.clone(), vec![vec![x.order.len()]]);
            return self.step(node, &[x], computation, x.order.clone());
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
                Computation::Candle(operation, shapes),
                order.like(shape),
            );
        }
        let of: Vec<Value> = of.into_iter().map(|value| self.natural(value)).collect();
        let shapes = of
            .iter()
            .map(|value| value.order.shape().to_vec())
            .collect();
        let of: Vec<&Value> = of.iter().collect();
        let computation = Computation::Candle(node.operation.clone(), shapes);
        self.step(node, &of, computation, Order::natural(shape))
    }
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
        | Operation::ArgMax { axis }
        | Operation::Cumulate { axis, .. }
        | Operation::Top { axis, .. } => *axis = order.place_of(*axis),
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
