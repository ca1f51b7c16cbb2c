//! Recurrent layers, step by step.

use candle_core::{Device, Result, Tensor, bail};
use decode::architecture::graph::RecurrentCell;

use super::numbers;

/// Runs a series `[steps, inputs]` through a cell; gives its states, or what it keeps in its cells.
pub(super) fn run(
    cell: RecurrentCell,
    hidden: usize,
    reverse: bool,
    cells: bool,
    x: &Tensor,
    weights: &[&Tensor],
) -> Result<Tensor> {
    let (steps, inputs) = x.dims2()?;
    let [weight, recurrent, bias, recurrent_bias, state, rest @ ..] = weights else {
        bail!("a recurrent layer with {} weights", weights.len());
    };
    let weight = Rows::new(weight, inputs)?;
    let recurrent = Rows::new(recurrent, hidden)?;
    let (bias, recurrent_bias) = (numbers(bias)?, numbers(recurrent_bias)?);
    let mut state = numbers(state)?;
    let mut memory = rest
        .first()
        .map(|c| numbers(c))
        .transpose()?
        .unwrap_or_default();
    let x = numbers(x)?;
    let mut out = vec![0.0; steps * hidden];
    for step in 0..steps {
        let step = if reverse { steps - 1 - step } else { step };
        let of_input = weight.times(&x[step * inputs..(step + 1) * inputs], &bias);
        let of_state = recurrent.times(&state, &recurrent_bias);
        let gate =
            |gate: usize, i: usize| of_input[gate * hidden + i] + of_state[gate * hidden + i];
        state = match cell {
            RecurrentCell::Lstm => {
                for (i, c) in memory.iter_mut().enumerate() {
                    *c = sigmoid(gate(2, i)) * *c + sigmoid(gate(0, i)) * gate(3, i).tanh();
                }
                let output = |(i, c): (usize, &f32)| sigmoid(gate(1, i)) * c.tanh();
                memory.iter().enumerate().map(output).collect()
            }
            RecurrentCell::Gru | RecurrentCell::GruResetAfter => {
                let reset: Vec<f32> = (0..hidden).map(|i| sigmoid(gate(1, i))).collect();
                let of_reset = if cell == RecurrentCell::Gru {
                    let kept: Vec<f32> = state.iter().zip(&reset).map(|(h, r)| h * r).collect();
                    recurrent.times(&kept, &recurrent_bias)
                } else {
                    Vec::new()
                };
                let new = |i: usize| {
                    let place = 2 * hidden + i;
                    let remembered = match cell {
                        RecurrentCell::Gru => of_reset[place],
                        _ => reset[i] * of_state[place],
                    };
                    let update = sigmoid(gate(0, i));
                    (1.0 - update) * (of_input[place] + remembered).tanh() + update * state[i]
                };
                (0..hidden).map(new).collect()
            }
        };
        let given = if cells { &memory } else { &state };
        out[step * hidden..(step + 1) * hidden].copy_from_slice(given);
    }
    Tensor::from_vec(out, (steps, hidden), &Device::Cpu)
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// A matrix that vectors are multiplied by.
struct Rows {
    values: Vec<f32>,
    columns: usize,
}

impl Rows {
    fn new(matrix: &Tensor, columns: usize) -> Result<Self> {
        Ok(Self {
            values: numbers(matrix)?,
            columns,
        })
    }

    fn times(&self, x: &[f32], bias: &[f32]) -> Vec<f32> {
        let rows = self.values.chunks_exact(self.columns).zip(bias);
        rows.map(|(row, b)| row.iter().zip(x).map(|(w, x)| w * x).sum::<f32>() + b)
            .collect()
    }
}
