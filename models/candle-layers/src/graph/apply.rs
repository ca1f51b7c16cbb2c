//! Operations on whole arrays.

use candle_core::{DType, Device, Result, Tensor, bail};
use decode::architecture::graph::{Function, Operation, PairFunction, Reduction, ResizeTaps};

use super::extremes::{larger, smaller};
use super::{numbers, recurrent, windows};
use crate::network::activate;

/// Does what an operation says with values; layers and constants are none.
///
/// # Errors
/// When the values do not fit the operation.
pub fn apply(operation: &Operation, of: &[&Tensor]) -> Result<Tensor> {
    match (operation, of) {
        (Operation::Activation { function }, [x]) => activate(*function, x),
        (Operation::Map { function }, [x]) => map(*function, x),
        (Operation::Pair { function }, [a, b]) => pair(*function, a, b),
        (Operation::Where, [condition, a, b]) => choose(condition, a, b),
        (Operation::Reshape { shape }, [x]) => x.reshape(shape.as_slice()),
        (Operation::Transpose { order }, [x]) => x.permute(order.as_slice())?.contiguous(),
        (Operation::Expand { shape }, [x]) => x.broadcast_as(shape.as_slice())?.contiguous(),
        (Operation::Concat { axis }, of) => Tensor::cat(of, *axis)?.contiguous(),
        (
            Operation::Slice {
                axis,
                start,
                length,
            },
            [x],
        ) => x.narrow(*axis, *start, *length)?.contiguous(),
        (Operation::Gather { axis, places }, [x]) => gather(x, *axis, places),
        (
            Operation::Pad {
                before,
                after,
                value,
            },
            [x],
        ) => pad(x, before, after, *value),
        (
            Operation::Resize {
                axis,
                size,
                interpolation,
                coordinates,
                scale,
            },
            [x],
        ) => {
            let taps = interpolation.taps(*coordinates, x.dim(*axis)?, *size, *scale);
            mix(x, *axis, &taps)
        }
        (Operation::MatMul, [a, b]) => mat_mul(a, b),
        (Operation::Reduce { function, axes }, [x]) => {
            let mut x = (*x).clone();
            for &axis in axes {
                x = along(&x, axis, |values| reduced(*function, values))?;
            }
            Ok(x)
        }
        (Operation::Softmax { axis }, [x]) => candle_nn::ops::softmax(x, *axis)?.contiguous(),
        (Operation::Normalise { last, eps }, [x]) => normalise(x, *last, *eps),
        (Operation::ArgMax { axis }, [x]) => along(x, *axis, largest_place),
        (
            Operation::Cumulate {
                axis,
                exclusive,
                reverse,
            },
            [x],
        ) => lines(x, *axis, x.dim(*axis)?, |line, out| {
            cumulate(line, *exclusive, *reverse, out);
        }),
        (
            Operation::Top {
                axis,
                count,
                smallest,
                places,
            },
            [x],
        ) => lines(x, *axis, *count, |line, out| {
            top(line, *smallest, *places, out);
        }),
        (Operation::Conv { window, groups }, [x, weight, bias @ ..]) => {
            windows::conv(window, *groups, x, weight, bias.first().copied())
        }
        (Operation::ConvTranspose { window, groups }, [x, weight, bias @ ..]) => {
            windows::conv_transpose(window, *groups, x, weight, bias.first().copied())
        }
        (
            Operation::Pool {
                function,
                kernel,
                window,
            },
            [x],
        ) => windows::pool(*function, *kernel, window, x),
        (
            Operation::Recurrent {
                cell,
                hidden,
                reverse,
                cells,
            },
            [x, weights @ ..],
        ) => recurrent::run(*cell, *hidden, *reverse, *cells, x, weights),
        (operation, of) => bail!("{} of {} values", operation.kind(), of.len()),
    }
}

fn array(values: Vec<f32>, shape: &[usize]) -> Result<Tensor> {
    Tensor::from_vec(values, shape, &Device::Cpu)
}

fn map(function: Function, x: &Tensor) -> Result<Tensor> {
    let each = |f: &dyn Fn(f32) -> f32| -> Result<Tensor> {
        let mut values = numbers(x)?;
        values.iter_mut().for_each(|v| *v = f(*v));
        array(values, x.dims())
    };
    match function {
        Function::Absolute => x.abs(),
        Function::Acos => each(&f32::acos),
        Function::Acosh => each(&f32::acosh),
        Function::Asin => each(&f32::asin),
        Function::Asinh => each(&f32::asinh),
        Function::Atan => each(&f32::atan),
        Function::Atanh => each(&f32::atanh),
        Function::Ceil => x.ceil(),
        Function::Clip { min, max } => {
            let (min, max) = (min.map(|v| v as f32), max.map(|v| v as f32));
            // Neither end takes the place of what is no number.
            each(&|v| match (min, max) {
                (Some(min), _) if v < min => min,
                (_, Some(max)) if v > max => max,
                _ => v,
            })
        }
        Function::Cos => x.cos(),
        Function::Cosh => each(&f32::cosh),
        Function::Erf => x.erf(),
        Function::Exp => x.exp(),
        Function::Floor => x.floor(),
        Function::Gelu => x.gelu_erf(),
        Function::GeluTanh => each(&|v| {
            let inner = (2.0 / std::f32::consts::PI).sqrt() * (v + 0.044_715 * v * v * v);
            0.5 * v * (1.0 + inner.tanh())
        }),
        Function::HardSigmoid { alpha, beta } => {
            let (alpha, beta) = (alpha as f32, beta as f32);
            each(&|v| (alpha * v + beta).clamp(0.0, 1.0))
        }
        Function::HardSwish => each(&|v| v * (v / 6.0 + 0.5).clamp(0.0, 1.0)),
        Function::Log => x.log(),
        Function::Negate => x.neg(),
        Function::Not => each(&|v| truth(v == 0.0)),
        Function::Reciprocal => x.recip(),
        Function::Round => each(&f32::round_ties_even),
        Function::Sign => each(&|v| if v == 0.0 { 0.0 } else { v.signum() }),
        Function::Silu => each(&|v| v / (1.0 + (-v).exp())),
        Function::Sin => x.sin(),
        Function::Sinh => each(&f32::sinh),
        Function::Sqrt => x.sqrt(),
        Function::Tan => each(&f32::tan),
        Function::Truncate => each(&f32::trunc),
    }
}

fn truth(is: bool) -> f32 {
    f32::from(u8::from(is))
}

fn pair(function: PairFunction, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    match function {
        PairFunction::Add => a.broadcast_add(b),
        PairFunction::Subtract => a.broadcast_sub(b),
        PairFunction::Multiply => a.broadcast_mul(b),
        PairFunction::Divide => a.broadcast_div(b),
        PairFunction::Equal => a.broadcast_eq(b)?.to_dtype(DType::F32),
        PairFunction::Greater => a.broadcast_gt(b)?.to_dtype(DType::F32),
        PairFunction::GreaterOrEqual => a.broadcast_ge(b)?.to_dtype(DType::F32),
        // candle takes powers by the logarithm, which negative numbers have not, and of a number and
        // none the number.
        PairFunction::Max => pairs(larger, a, b),
        PairFunction::Min => pairs(smaller, a, b),
        PairFunction::Power => pairs(power, a, b),
    }
}

fn pairs(function: fn(f32, f32) -> f32, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let shape = a.shape().broadcast_shape_binary_op(b.shape(), "pair")?;
    let a = numbers(&a.broadcast_as(&shape)?)?;
    let b = numbers(&b.broadcast_as(&shape)?)?;
    let found = a.iter().zip(b).map(|(&a, b)| function(a, b));
    array(found.collect(), shape.dims())
}

pub(super) fn power(a: f32, b: f32) -> f32 {
    match b {
        2.0 => a * a,
        3.0 => a * a * a,
        _ => a.powf(b),
    }
}

fn choose(condition: &Tensor, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let shape = a.shape().broadcast_shape_binary_op(b.shape(), "where")?;
    let shape = condition
        .shape()
        .broadcast_shape_binary_op(&shape, "where")?;
    let of = |x: &Tensor| numbers(&x.broadcast_as(&shape)?);
    let (condition, a, b) = (of(condition)?, of(a)?, of(b)?);
    let both = a.into_iter().zip(b);
    let chosen = condition
        .into_iter()
        .zip(both)
        .map(|(is, (a, b))| if is == 0.0 { b } else { a });
    array(chosen.collect(), shape.dims())
}

/// Sides before, along and after an axis.
fn sides(x: &Tensor, axis: usize) -> (usize, usize, usize) {
    let dims = x.dims();
    (
        dims[..axis].iter().product(),
        dims[axis],
        dims[axis + 1..].iter().product(),
    )
}

fn with_side(x: &Tensor, axis: usize, side: usize) -> Vec<usize> {
    let mut shape = x.dims().to_vec();
    shape[axis] = side;
    shape
}

fn gather(x: &Tensor, axis: usize, places: &[usize]) -> Result<Tensor> {
    let (outer, size, inner) = sides(x, axis);
    let values = numbers(x)?;
    let mut gathered = Vec::with_capacity(outer * places.len() * inner);
    for block in values.chunks_exact(size * inner) {
        for &place in places {
            gathered.extend_from_slice(&block[place * inner..(place + 1) * inner]);
        }
    }
    array(gathered, &with_side(x, axis, places.len()))
}

fn pad(x: &Tensor, before: &[usize], after: &[usize], value: f64) -> Result<Tensor> {
    let mut x = x.contiguous()?;
    for (axis, (&before, &after)) in before.iter().zip(after).enumerate() {
        let frame = |side: usize| {
            let shape = with_side(&x, axis, side);
            array(vec![value as f32; shape.iter().product()], &shape)
        };
        let mut parts = vec![x.clone()];
        if before > 0 {
            parts.insert(0, frame(before)?);
        }
        if after > 0 {
            parts.push(frame(after)?);
        }
        if parts.len() > 1 {
            x = Tensor::cat(&parts, axis)?.contiguous()?;
        }
    }
    Ok(x)
}

fn mix(x: &Tensor, axis: usize, taps: &ResizeTaps) -> Result<Tensor> {
    let (outer, size, inner) = sides(x, axis);
    let values = numbers(x)?;
    let mut mixed = vec![0.0; outer * taps.len() * inner];
    for (block, out) in values
        .chunks_exact(size * inner)
        .zip(mixed.chunks_exact_mut((taps.len() * inner).max(1)))
    {
        for (taps, out) in taps.iter().zip(out.chunks_exact_mut(inner)) {
            for &(place, part) in taps {
                let from = &block[place * inner..(place + 1) * inner];
                for (out, &v) in out.iter_mut().zip(from) {
                    *out += part * v;
                }
            }
        }
    }
    array(mixed, &with_side(x, axis, taps.len()))
}

fn mat_mul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (a, b) = (a.contiguous()?, b.contiguous()?);
    let (rank_a, rank_b) = (a.rank(), b.rank());
    let one_matrix = b.dims()[..rank_b - 2].iter().all(|&n| n == 1);
    if one_matrix && rank_a >= rank_b {
        // All rows at once: the matrix is not copied for each of them.
        let (inner, columns) = (b.dim(rank_b - 2)?, b.dim(rank_b - 1)?);
        let rows = a.elem_count() / inner;
        let product = a
            .reshape((rows, inner))?
            .matmul(&b.reshape((inner, columns))?)?;
        return product.reshape(with_side(&a, rank_a - 1, columns));
    }
    a.broadcast_matmul(&b)
}

/// One number of all along an axis, which stays with size 1.
fn along(
    x: &Tensor,
    axis: usize,
    number: impl Fn(&mut dyn Iterator<Item = f32>) -> f32,
) -> Result<Tensor> {
    let (outer, size, inner) = sides(x, axis);
    let values = numbers(x)?;
    let mut all = Vec::with_capacity(outer * inner);
    for block in values.chunks_exact(size * inner) {
        for place in 0..inner {
            all.push(number(
                &mut block.iter().skip(place).step_by(inner).copied(),
            ));
        }
    }
    array(all, &with_side(x, axis, 1))
}

fn reduced(function: Reduction, values: &mut dyn Iterator<Item = f32>) -> f32 {
    match function {
        Reduction::Sum => values.map(f64::from).sum::<f64>() as f32,
        Reduction::Product => values.map(f64::from).product::<f64>() as f32,
        Reduction::Max => values.fold(f32::NEG_INFINITY, larger),
        Reduction::Min => values.fold(f32::INFINITY, smaller),
        Reduction::Mean => {
            let (sum, count) =
                values.fold((0.0, 0_usize), |(sum, n), v| (sum + f64::from(v), n + 1));
            (sum / count as f64) as f32
        }
    }
}

/// What `f` makes of all values along an axis, which then has `size` places.
fn lines(x: &Tensor, axis: usize, size: usize, f: impl Fn(&[f32], &mut [f32])) -> Result<Tensor> {
    let (outer, side, inner) = sides(x, axis);
    let values = numbers(x)?;
    let mut all = vec![0.0; outer * size * inner];
    let (mut line, mut out) = (vec![0.0; side], vec![0.0; size]);
    for block in 0..outer {
        for place in 0..inner {
            for (i, v) in line.iter_mut().enumerate() {
                *v = values[(block * side + i) * inner + place];
            }
            f(&line, &mut out);
            for (i, v) in out.iter().enumerate() {
                all[(block * size + i) * inner + place] = *v;
            }
        }
    }
    array(all, &with_side(x, axis, size))
}

fn cumulate(line: &[f32], exclusive: bool, reverse: bool, out: &mut [f32]) {
    let mut sum = 0.0;
    for nth in 0..line.len() {
        let at = if reverse { line.len() - 1 - nth } else { nth };
        let before = sum;
        sum += f64::from(line[at]);
        out[at] = (if exclusive { before } else { sum }) as f32;
    }
}

/// The largest values first, or their places; what is no number counts as the largest of all.
fn top(line: &[f32], smallest: bool, places: bool, out: &mut [f32]) {
    let mut order: Vec<usize> = (0..line.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (line[a], line[b]);
        let rising = a.partial_cmp(&b).unwrap_or(a.is_nan().cmp(&b.is_nan()));
        if smallest { rising } else { rising.reverse() }
    });
    for (out, at) in out.iter_mut().zip(order) {
        *out = if places { at as f32 } else { line[at] };
    }
}

fn largest_place(values: &mut dyn Iterator<Item = f32>) -> f32 {
    let first = (0, f32::NEG_INFINITY);
    let (place, _) = values.enumerate().fold(first, |best, (place, v)| {
        // The first of what is no number, as in numpy.
        if v > best.1 || (v.is_nan() && !best.1.is_nan()) {
            (place, v)
        } else {
            best
        }
    });
    place as f32
}

fn normalise(x: &Tensor, last: usize, eps: f64) -> Result<Tensor> {
    let count: usize = x.dims()[x.rank() - last..].iter().product();
    let mut values = numbers(x)?;
    for row in values.chunks_exact_mut(count) {
        let mean = row.iter().map(|&v| f64::from(v)).sum::<f64>() / count as f64;
        let off = row.iter().map(|&v| (f64::from(v) - mean).powi(2));
        let variance = off.sum::<f64>() / count as f64;
        let scale = 1.0 / (variance + eps).sqrt();
        for v in row {
            *v = ((f64::from(*v) - mean) * scale) as f32;
        }
    }
    array(values, x.dims())
}
