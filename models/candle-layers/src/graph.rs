//! Graphs: plans for their runs of layers, kernels and candle between.

use std::sync::Arc;

use candle_core::Result;
use decode::architecture::Graph;
use decode::weights::{StoredTensors, Tensors, Values as StoredValues};

mod apply;
mod compile;
mod computation;
mod extremes;
mod norm;
mod order;
mod recurrent;
mod simplify;
mod strided;
mod windows;

pub use apply::apply;

use computation::{Computation, Values, numbers};

/// A graph with its weights, ready to decode.
#[derive(Debug)]
pub struct GraphNetwork {
    width: usize,
    /// The arrays of steps; those are there that are the same for every latent vector. The
    /// input comes first.
    fixed: Vec<Option<Values>>,
    steps: Vec<Step>,
    output: usize,
}

/// An array to be computed, of others.
#[derive(Debug)]
struct Step {
    /// The value of the graph that it is, or is on the way to.
    name: String,
    /// The operation of the graph that asks for it.
    kind: &'static str,
    to: usize,
    of: Vec<usize>,
    /// Arrays that nobody looks at afterwards.
    last_use_of: Vec<usize>,
    computation: Computation,
}

/// What runs a part of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// A plan, with its kernels.
    Plan,
    /// A kernel for what lies between plans.
    Kernel,
    /// candle.
    Candle,
}

/// A step that was run, for people to read.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedStep {
    /// Name of the value.
    pub name: String,
    /// What was done.
    pub operation: &'static str,
    /// What did it.
    pub backend: Backend,
    /// How long it took, in milliseconds.
    pub ms: f64,
}

impl GraphNetwork {
    /// Takes a graph, the number of values that its decoder takes, and its tensors as they
    /// are stored and in single precision. `with_kernels`: whether runs of layers are compiled
    /// to plans, and operations between them run by kernels; else candle does all of it, one
    /// operation after the other.
    ///
    /// # Errors
    /// When the graph cannot be computed, or a tensor is missing.
    pub fn new(
        graph: &Graph,
        width: usize,
        stored: &StoredTensors,
        tensors: &Tensors,
        with_kernels: bool,
    ) -> Result<Self> {
        compile::compile(graph, width, stored, tensors, with_kernels)
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
    pub fn timed(&self, input: &[f32]) -> Result<Vec<TimedStep>> {
        let mut timed = Vec::with_capacity(self.steps.len());
        let mut last = std::time::Instant::now();
        self.run(input, |step, _| {
            let now = std::time::Instant::now();
            timed.push(TimedStep {
                name: step.name.clone(),
                operation: step.kind,
                backend: step.computation.backend(),
                ms: (now - last).as_secs_f64() * 1000.0,
            });
            last = now;
        })?;
        Ok(timed)
    }

    /// The first value of a decode in which `is` finds something: its name, and what makes it.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn first(
        &self,
        input: &[f32],
        is: impl Fn(f32) -> bool,
    ) -> Result<Option<(String, &'static str)>> {
        let mut found = None;
        self.run(input, |step, values| {
            if found.is_none() && values.iter().any(|&v| is(v)) {
                found = Some((step.name.clone(), step.kind));
            }
        })?;
        Ok(found)
    }

    fn run(&self, input: &[f32], mut after: impl FnMut(&Step, &[f32])) -> Result<Vec<f32>> {
        if input.len() != self.width {
            candle_core::bail!("{} values for a decoder of {}", input.len(), self.width);
        }
        let mut values = self.fixed.clone();
        values[0] = Some(input.to_vec().into());
        for step in &self.steps {
            let of = step.of.iter().map(|&at| values[at].clone());
            let Some(mut of) = of.collect::<Option<Vec<_>>>() else {
                candle_core::bail!("{} {:?} is made of nothing", step.kind, step.name);
            };
            for &at in &step.last_use_of {
                values[at] = None;
            }
            let made = step.computation.run(&mut of)?;
            after(step, &made);
            values[step.to] = Some(made);
        }
        match values[self.output].take() {
            Some(value) => Ok(Arc::unwrap_or_clone(value)),
            None => candle_core::bail!("nothing computes the output"),
        }
    }
}

/// Tensors in single precision as they would be stored.
#[must_use]
pub fn as_stored(tensors: &Tensors) -> StoredTensors {
    let stored = tensors.iter().map(|(name, (shape, values))| {
        (
            name.clone(),
            (shape.clone(), StoredValues::F32(values.clone())),
        )
    });
    stored.collect()
}
