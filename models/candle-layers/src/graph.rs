//! Graphs: plans for their runs of layers, candle between.

use candle_core::{Device, Result, Tensor};
use decode::architecture::graph::{INPUT, Node, Operation};
use decode::architecture::{Flow, Graph, Layer, flows};
use decode::plan::{Compiled, DecodingPlan};
use decode::weights::{Stored, Tensors, Values};

use crate::Network;

mod apply;
mod recurrent;
mod windows;

pub use apply::apply;

/// A graph with its weights, ready to decode.
#[derive(Debug, Clone)]
pub struct GraphNetwork {
    width: usize,
    /// The values that are the same for every latent vector; the input comes first.
    fixed: Vec<Option<Tensor>>,
    steps: Vec<Step>,
    output: usize,
}

/// A value to be computed. Values are named by their place: the input, then the nodes.
#[derive(Debug, Clone)]
struct Step {
    name: String,
    to: usize,
    of: Vec<usize>,
    /// Values that nobody looks at afterwards.
    last_use_of: Vec<usize>,
    work: Work,
}

#[derive(Debug, Clone)]
enum Work {
    Plan(Compiled, Vec<usize>),
    /// Layers that do not compile to a plan.
    Layers(Network, Vec<usize>),
    Candle(Operation),
}

/// What runs a part of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// A plan, with its kernels.
    Plan,
    /// candle.
    Candle,
}

/// A step that was run, for people to read.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    /// Name of the value.
    pub name: String,
    /// What was done.
    pub operation: &'static str,
    /// What did it.
    pub engine: Engine,
    /// How long it took, in milliseconds.
    pub ms: f64,
}

impl GraphNetwork {
    /// Takes a graph, the number of values that its decoder takes, and its tensors as they
    /// are stored and in single precision. `with_plans`: whether runs of layers are compiled.
    ///
    /// # Errors
    /// When the graph cannot be computed, or a tensor is missing.
    pub fn new(
        graph: &Graph,
        width: usize,
        stored: &Stored,
        tensors: &Tensors,
        with_plans: bool,
    ) -> Result<Self> {
        graph.shapes(width).map_err(candle_core::Error::wrap)?;
        let place = |name: &str| -> Result<usize> {
            if name == INPUT {
                return Ok(0);
            }
            match graph.nodes.iter().position(|node| node.name == name) {
                Some(at) => Ok(at + 1),
                None => candle_core::bail!("no value is named {name:?}"),
            }
        };
        let output = place(&graph.output)?;
        let mut fixed: Vec<Option<Tensor>> = vec![None; graph.nodes.len() + 1];
        let mut lengths = vec![width];
        let mut steps: Vec<Step> = Vec::new();
        let shapes = graph.shapes(width).map_err(candle_core::Error::wrap)?;
        for (index, node) in graph.nodes.iter().enumerate() {
            let of: Vec<usize> = node
                .of
                .iter()
                .map(|name| place(name))
                .collect::<Result<_>>()?;
            lengths.push(shapes[node.name.as_str()].iter().product());
            let to = index + 1;
            if let Operation::Constant { shape } = &node.operation {
                let values = of_tensor(tensors, &node.name)?;
                fixed[to] = Some(Tensor::from_vec(values, shape.as_slice(), &Device::Cpu)?);
                continue;
            }
            let work = work(
                node,
                of.first().map_or(0, |&at| lengths[at]),
                stored,
                tensors,
                with_plans,
            )?;
            let known: Option<Vec<&Tensor>> = of.iter().map(|&at| fixed[at].as_ref()).collect();
            if let Some(known) = known {
                // The same for every latent vector, so it is computed once.
                fixed[to] = Some(work.run(&known)?);
                continue;
            }
            steps.push(Step {
                name: node.name.clone(),
                to,
                of,
                last_use_of: Vec::new(),
                work,
            });
        }
        let mut network = Self {
            width,
            fixed,
            steps,
            output,
        };
        network.forget_early();
        Ok(network)
    }

    /// Marks which values each step uses last, and drops constants that no step reads.
    fn forget_early(&mut self) {
        let mut seen = vec![false; self.fixed.len()];
        seen[self.output] = true;
        for step in self.steps.iter_mut().rev() {
            for &at in &step.of {
                if !seen[at] {
                    seen[at] = true;
                    step.last_use_of.push(at);
                }
            }
        }
        for (fixed, seen) in self.fixed.iter_mut().zip(seen) {
            if !seen {
                *fixed = None;
            }
        }
    }

    /// The instance for one decoder input.
    ///
    /// # Errors
    /// When the input is of another length, or candle cannot compute it.
    pub fn decode(&self, input: &[f32]) -> Result<Vec<f32>> {
        self.run(input, |_, _| ())
    }

    /// The same, and how long each step took.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn timed(&self, input: &[f32]) -> Result<Vec<Timed>> {
        let mut timed = Vec::with_capacity(self.steps.len());
        let mut last = std::time::Instant::now();
        self.run(input, |name, work| {
            let now = std::time::Instant::now();
            let (operation, engine) = match work {
                Work::Plan(..) => ("layers", Engine::Plan),
                Work::Layers(..) => ("layers", Engine::Candle),
                Work::Candle(operation) => (operation.kind(), Engine::Candle),
            };
            timed.push(Timed {
                name: name.to_owned(),
                operation,
                engine,
                ms: (now - last).as_secs_f64() * 1000.0,
            });
            last = now;
        })?;
        Ok(timed)
    }

    fn run(&self, input: &[f32], mut after: impl FnMut(&str, &Work)) -> Result<Vec<f32>> {
        if input.len() != self.width {
            candle_core::bail!("{} values for a decoder of {}", input.len(), self.width);
        }
        let mut values = self.fixed.clone();
        values[0] = Some(Tensor::new(input, &Device::Cpu)?);
        for step in &self.steps {
            let of: Vec<&Tensor> = step
                .of
                .iter()
                .map(|&at| match &values[at] {
                    Some(value) => Ok(value),
                    None => candle_core::bail!("{:?} is made of nothing", step.name),
                })
                .collect::<Result<_>>()?;
            let value = step.work.run(&of)?;
            values[step.to] = Some(value);
            for &at in &step.last_use_of {
                values[at] = None;
            }
            after(&step.name, &step.work);
        }
        match &values[self.output] {
            Some(value) => numbers(value),
            None => candle_core::bail!("nothing computes the output"),
        }
    }
}

impl Work {
    fn run(&self, of: &[&Tensor]) -> Result<Tensor> {
        match (self, of) {
            (Self::Plan(compiled, shape), [x]) => {
                let x = numbers(x)?;
                let y = compiled.with_memory(|plan, memory| {
                    let mut y = vec![0.0; plan.instance_len()];
                    plan.run(&mut memory.scratch, &x, &mut y);
                    y
                });
                Tensor::from_vec(y, shape.as_slice(), &Device::Cpu)
            }
            (Self::Layers(network, shape), [x]) => {
                let x = x.reshape((1, x.elem_count()))?;
                network.forward(&x)?.contiguous()?.reshape(shape.as_slice())
            }
            (Self::Candle(operation), of) => apply(operation, of),
            _ => candle_core::bail!("layers of {} values", of.len()),
        }
    }
}

fn work(
    node: &Node,
    width: usize,
    stored: &Stored,
    tensors: &Tensors,
    with_plans: bool,
) -> Result<Work> {
    let Operation::Layers { layers, shape } = &node.operation else {
        return Ok(Work::Candle(node.operation.clone()));
    };
    let mut layers = layers.clone();
    let flows = flows(&layers, width).map_err(candle_core::Error::wrap)?;
    if let Some(Flow::Maps { .. }) = flows.last() {
        layers.push(Layer::Flatten {
            channels_last: false,
        });
    }
    let plan = with_plans.then(|| DecodingPlan::compile(&layers, width, stored));
    if let Some(Some(plan)) = plan {
        return Ok(Work::Plan(plan.into(), shape.clone()));
    }
    let network = Network::new(&layers, |name, shape| {
        Tensor::from_vec(of_tensor(tensors, name)?, shape, &Device::Cpu)
    })?;
    Ok(Work::Layers(network, shape.clone()))
}

fn of_tensor(tensors: &Tensors, name: &str) -> Result<Vec<f32>> {
    match tensors.get(name) {
        Some((_, values)) => Ok(values.clone()),
        None => candle_core::bail!("tensor {name:?} is missing"),
    }
}

/// The values of a tensor, row by row.
fn numbers(x: &Tensor) -> Result<Vec<f32>> {
    x.flatten_all()?.to_vec1()
}

/// Tensors in single precision as they would be stored.
#[must_use]
pub fn as_stored(tensors: &Tensors) -> Stored {
    let stored = tensors.iter().map(|(name, (shape, values))| {
        (name.clone(), (shape.clone(), Values::F32(values.clone())))
    });
    stored.collect()
}
