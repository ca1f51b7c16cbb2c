//! A step while layers are still being added to it.

use super::conv::Conv;
use super::{Computation, HOLE, Step, step_of};
use crate::architecture::{Activation, Units};
use crate::weights::Values;
use kernels::dense::{Dense, Packed};
use kernels::epilogue::Epilogue;

/// A layer with weights, as the batch norms after it have changed it.
pub(super) enum Draft {
    /// A dense layer. Positions are where values lie in memory; rows and columns those
    /// of the weight.
    Dense {
        /// `[rows, columns]`.
        weight: Values,
        /// Columns of the weight.
        columns: usize,
        /// The column that each input position is multiplied with, or [`HOLE`].
        from: Vec<u32>,
        /// The row that gives each output position, or [`HOLE`].
        rows: Vec<u32>,
        /// Scale per row.
        scales: Vec<f32>,
        /// Bias per row.
        bias: Vec<f32>,
        epilogue: Epilogue,
    },
    /// A convolution in either direction.
    Conv { conv: Conv, epilogue: Epilogue },
    /// Anything without weights.
    Done(Step),
}

impl Draft {
    pub(super) fn epilogue(&mut self) -> &mut Epilogue {
        match self {
            Self::Dense { epilogue, .. } | Self::Conv { epilogue, .. } => epilogue,
            Self::Done(step) => &mut step.epilogue,
        }
    }

    /// Takes an activation, if none and no affine map has been applied.
    pub(super) fn activate(&mut self, function: Activation) -> bool {
        let epilogue = self.epilogue();
        let free = epilogue.function.is_none() && epilogue.affine.is_none();
        if free {
            epilogue.function = Some(function);
        }
        free
    }

    /// Takes a batch norm into weights and bias: `scale` and `shift` for each position
    /// of a vector or channel of a map.
    pub(super) fn fold(&mut self, scale: &[f32], shift: &[f32]) -> bool {
        let epilogue = self.epilogue();
        if epilogue.function.is_some() || epilogue.affine.is_some() {
            return false;
        }
        match self {
            Self::Dense {
                rows, scales, bias, ..
            } => {
                for (position, &row) in rows.iter().enumerate().filter(|&(_, &row)| row != HOLE) {
                    let of = position % scale.len();
                    scales[row as usize] *= scale[of];
                    bias[row as usize] = bias[row as usize] * scale[of] + shift[of];
                }
                true
            }
            Self::Conv {
                conv: Conv { weight, bias, .. },
                ..
            } => {
                // A norm of every value of flattened maps is none of the channels.
                if scale.len() != step_of(bias.len()) {
                    return false;
                }
                let size = weight.len() / bias.len();
                let channels = weight
                    .chunks_exact_mut(size)
                    .zip(bias)
                    .zip(scale)
                    .zip(shift);
                for (((weight, bias), scale), shift) in channels {
                    weight.iter_mut().for_each(|w| *w *= scale);
                    *bias = *bias * scale + shift;
                }
                true
            }
            Self::Done(_) => false,
        }
    }

    /// Reorders the values of a dense layer: `to[i]` is the position that comes to i.
    pub(super) fn reorder(&mut self, to: &[u32]) -> bool {
        let Self::Dense { rows, epilogue, .. } = self else {
            return false;
        };
        let pick = |old: &[f32], hole: f32| -> Vec<f32> {
            let at = |&from: &u32| old.get(from as usize).copied().unwrap_or(hole);
            to.iter().map(at).collect()
        };
        if let Some((scales, shifts)) = &mut epilogue.affine {
            if scales.len() != rows.len() {
                return false;
            }
            (*scales, *shifts) = (pick(scales, 1.0), pick(shifts, 0.0));
        }
        let row = |&from: &u32| rows.get(from as usize).copied().unwrap_or(HOLE);
        *rows = to.iter().map(row).collect();
        true
    }

    /// Packs the weights.
    pub(super) fn seal(self) -> Step {
        match self {
            Self::Done(step) => step,
            Self::Dense {
                weight,
                columns,
                from,
                rows,
                scales,
                bias,
                epilogue,
            } => Step {
                len: rows.len(),
                computation: Computation::Dense(seal_dense(
                    &weight, columns, &from, &rows, &scales, &bias,
                )),
                epilogue,
            },
            Self::Conv { conv, epilogue } => conv.seal(epilogue),
        }
    }
}

/// From this many weights on, reading them takes longer than computing with them: they
/// stay in the precision they are stored in.
const LARGE: usize = 1 << 17;

fn seal_dense(
    weight: &Values,
    columns: usize,
    from: &[u32],
    rows: &[u32],
    scales: &[f32],
    bias: &[f32],
) -> Dense {
    let (inputs, outputs) = (from.len(), rows.len());
    let at = |output: usize, input: usize| {
        let (row, column) = (rows[output], from[input]);
        (row != HOLE && column != HOLE).then(|| row as usize * columns + column as usize)
    };
    let of_row = |values: &[f32]| -> Vec<f32> {
        let at = |&row: &u32| values.get(row as usize).copied().unwrap_or(0.0);
        rows.iter().map(at).collect()
    };
    let large = weight.len() >= LARGE;
    let (weights, scales) = match weight {
        Values::F16(bits) if large => (
            Packed::F16(Packed::pack(bits, outputs, inputs, at)),
            scales.to_vec(),
        ),
        Values::Int8 {
            values,
            scales: units,
            ..
        } if large => {
            let scales = scales.iter().zip(units).map(|(a, b)| a * b).collect();
            (
                Packed::Int8(Packed::pack(values, outputs, inputs, at)),
                scales,
            )
        }
        _ => {
            let mut expanded = weight.expand(&[scales.len(), columns], Units::along(0));
            for (row, scale) in expanded.chunks_exact_mut(columns.max(1)).zip(scales) {
                row.iter_mut().for_each(|w| *w *= scale);
            }
            let packed = Packed::F32(Packed::pack(&expanded, outputs, inputs, at));
            (packed, vec![1.0; scales.len()])
        }
    };
    // exactly 1, as it was set
    let all_one = scales.iter().all(|&scale| scale == 1.0);
    Dense {
        inputs,
        weights,
        scales: (!all_one).then(|| of_row(&scales)),
        bias: of_row(bias),
    }
}
