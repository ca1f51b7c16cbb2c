//! What the steps of a graph do with values.

use std::sync::Arc;

use candle_core::{Device, Result, Tensor};
use decode::architecture::Activation;
use decode::architecture::graph::{Operation, PairFunction};
use decode::kernels::Isa;
use decode::kernels::epilogue::Epilogue;
use decode::kernels::matrix::Panels;
use decode::kernels::pointwise::{self, Pointwise};
use decode::plan::PlanRunner;

#[cfg(not(target_arch = "wasm32"))]
use super::Backend;
use super::apply;
use super::norm::Norm;
use super::order::Steps;
use super::strided::{combine, moved};
use crate::Network;

/// The values of an array, in whatever order they lie.
pub(super) type Values = Arc<Vec<f32>>;

#[derive(Debug)]
pub(super) enum Computation {
    Plan(PlanRunner),
    /// Layers that do not compile to a plan; the shape of what they give.
    Layers(Network, Vec<usize>),
    /// An operation of candle; shapes of what it takes, as it lies in memory.
    Candle(Operation, Vec<Vec<usize>>),
    /// Brings values into another order.
    Move(Steps),
    Activation(Activation),
    Pointwise(Pointwise),
    /// A function of two values. The first is changed, the second walked through; `turned`
    /// where the function takes the second first.
    Pair {
        function: PairFunction,
        turned: bool,
        steps: Steps,
    },
    Norm(Norm),
    /// Of rows of so many values.
    Softmax(usize),
    Product(Product),
}

/// Matrix products.
#[derive(Debug)]
pub(super) struct Product {
    /// Where the left and the right matrix of each begins; on the right the number of the
    /// matrix where they are packed.
    pub matrices: Vec<[usize; 2]>,
    /// Rows on the left.
    pub rows: usize,
    /// Values from one of them to the next.
    pub row_step: usize,
    /// Rows and columns on the right.
    pub sizes: [usize; 2],
    pub right: Right,
}

/// The right-hand side of products.
#[derive(Debug)]
pub(super) enum Right {
    /// The same for every latent vector.
    Packed(Vec<Panels>),
    /// Lies in memory with such steps from row to row, and from column to column.
    Lies([usize; 2]),
}

impl Product {
    fn run(&self, a: &[f32], b: Option<&Values>) -> Vec<f32> {
        let size = self.rows * self.sizes[1];
        let mut out = vec![0.0; self.matrices.len() * size];
        let isa = Isa::detect();
        for (&[left, right], out) in self.matrices.iter().zip(out.chunks_exact_mut(size)) {
            let left = (&a[left..], self.row_step);
            match (&self.right, b) {
                (Right::Packed(all), _) => all[right].multiply(isa, left, self.rows, out),
                (Right::Lies(steps), Some(b)) => {
                    Panels::pack(&b[right..], self.sizes, *steps)
                        .multiply(isa, left, self.rows, out);
                }
                (Right::Lies(_), None) => {}
            }
        }
        out
    }
}

impl Computation {
    /// What does it.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn backend(&self) -> Backend {
        match self {
            Self::Plan(_) => Backend::Plan,
            Self::Layers(..) | Self::Candle(..) => Backend::Candle,
            _ => Backend::Kernel,
        }
    }

    /// Does it. Where nobody else looks at a value, it is changed in place.
    pub(super) fn run(&self, of: &mut [Values]) -> Result<Values> {
        let (first, others) = match of {
            [first, others @ ..] => (first, others),
            [] => candle_core::bail!("a step of no values"),
        };
        Ok(match self {
            Self::Plan(compiled) => compiled.with_memory(|plan, memory| {
                let mut y = vec![0.0; plan.instance_len()];
                plan.run(&mut memory.scratch, first, &mut y);
                y.into()
            }),
            Self::Layers(network, shape) => {
                let x = tensor(first, &[1, first.len()])?;
                let y = network.forward(&x)?.contiguous()?;
                numbers(&y.reshape(shape.as_slice())?)?.into()
            }
            Self::Candle(operation, shapes) => {
                let all = std::iter::once(&*first).chain(others.iter());
                let all: Vec<Tensor> = all
                    .zip(shapes)
                    .map(|(values, shape)| tensor(values, shape))
                    .collect::<Result<_>>()?;
                numbers(&apply(operation, &all.iter().collect::<Vec<_>>())?)?.into()
            }
            Self::Move(steps) => moved(first, steps).into(),
            Self::Activation(function) => {
                let epilogue = Epilogue {
                    function: Some(*function),
                    affine: None,
                };
                changed(first, |values| epilogue.apply(Isa::detect(), values))
            }
            Self::Pointwise(function) => {
                changed(first, |values| function.apply(Isa::detect(), values))
            }
            Self::Pair {
                function,
                turned,
                steps,
            } => {
                let Some(other) = others.first() else {
                    candle_core::bail!("a pair of one value");
                };
                changed(first, |values| {
                    combine(*function, *turned, values, other, steps)
                })
            }
            Self::Norm(norm) => changed(first, |values| norm.apply(values)),
            Self::Softmax(len) => changed(first, |values| {
                pointwise::softmax(Isa::detect(), values, *len)
            }),
            Self::Product(product) => product.run(first, others.first()).into(),
        })
    }
}

/// Values after a change: in place, where nobody else looks at them.
fn changed(values: &mut Values, change: impl FnOnce(&mut [f32])) -> Values {
    let mut values = std::mem::take(values);
    change(Arc::<Vec<f32>>::make_mut(&mut values));
    values
}

fn tensor(values: &Values, shape: &[usize]) -> Result<Tensor> {
    Tensor::from_vec(values.to_vec(), shape, &Device::Cpu)
}

/// The values of a tensor, row by row.
pub(super) fn numbers(x: &Tensor) -> Result<Vec<f32>> {
    x.flatten_all()?.to_vec1()
}
