//! Operators that only move values: from which place each value of the result comes.
//!
//! They work on shapes alone, so constants and what flows through the decoder are
//! moved by the same code.

use super::super::error::ImportError;
use super::constant::Constant;
use super::node::Node;

mod shapes;

use shapes::{flatten, reshape, squeeze, unsqueeze};

/// Largest number of values that a move may give.
pub const MAX_VALUES: usize = 1 << 24;

/// The result of a move.
pub struct Rearranged {
    /// Its shape.
    pub shape: Vec<usize>,
    /// For each place where the value comes from; absent: from the same place.
    pub from: Option<Vec<usize>>,
}

/// Number of values of a shape, if it is not absurd. Empty axes count as one for that:
/// a shape is walked axis by axis.
pub fn volume(shape: &[usize]) -> Option<usize> {
    shape
        .iter()
        .try_fold(1_usize, |n, &k| n.checked_mul(k.max(1)))
        .filter(|&n| n <= MAX_VALUES)?;
    Some(shape.iter().product())
}

/// What a moving operator makes of a value of `shape`; `None` for another operator.
/// `inputs` are the node's further inputs, where they are constants; `batch` is the size
/// of the batch that the graph was made with, where shapes may hold it.
pub fn rearranged(
    node: Node,
    shape: &[usize],
    inputs: &[Option<&Constant>],
    batch: usize,
) -> Option<Result<Rearranged, ImportError>> {
    Some(match node.operator() {
        "Identity" => Ok(Rearranged {
            shape: shape.to_vec(),
            from: None,
        }),
        // The second of its further inputs says whether it is in training.
        "Dropout" => match node.0.input.get(2).map(String::as_str) {
            None | Some("") => Ok(()),
            Some(_) => match inputs.get(1).copied().flatten().map(Constant::floats) {
                Some(training) if training == [0.0] => Ok(()),
                _ => Err(node.error("it is in training mode; call model.eval() before the export")),
            },
        }
        .map(|()| Rearranged {
            shape: shape.to_vec(),
            from: None,
        }),
        "Reshape" => reshape(node, shape, inputs, batch),
        "Flatten" => flatten(node, shape),
        "Squeeze" => squeeze(node, shape, inputs),
        "Unsqueeze" => unsqueeze(node, shape, inputs),
        "Transpose" => transpose(node, shape),
        "Slice" => slice(node, shape, inputs),
        "Tile" => tile(node, shape, inputs),
        "Pad" => pad(node, shape, inputs),
        "Gather" => gather(node, shape, inputs),
        _ => return None,
    })
}

/// The n-th further input as whole numbers, else the attribute of that name (older files).
fn numbers<'a>(
    node: Node<'a>,
    inputs: &'a [Option<&Constant>],
    nth: usize,
    attribute: &str,
) -> Result<Option<Vec<i64>>, ImportError> {
    let given = node
        .0
        .input
        .get(nth + 1)
        .is_some_and(|name| !name.is_empty());
    match inputs.get(nth).copied().flatten() {
        Some(constant) => match constant.to_ints() {
            Some(values) => Ok(Some(values.to_vec())),
            None => Err(node.error(format!("its {attribute} are no whole numbers"))),
        },
        None if given => Err(node.error(format!(
            "its {attribute} depend on the latent vector; a decoder's shapes must be fixed"
        ))),
        None => Ok(node.ints(attribute).map(<[i64]>::to_vec)),
    }
}

fn count(node: Node, shape: &[usize]) -> Result<usize, ImportError> {
    volume(shape).ok_or_else(|| node.error(format!("the shape {shape:?} is too large")))
}

fn transpose(node: Node, shape: &[usize]) -> Result<Rearranged, ImportError> {
    let rank = shape.len();
    let order: Vec<usize> = match node.ints("perm") {
        Some(order) => order
            .iter()
            .map(|&axis| node.axis(axis, rank))
            .collect::<Result<_, _>>()?,
        None => (0..rank).rev().collect(),
    };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted != (0..rank).collect::<Vec<_>>() {
        return Err(node.error(format!("{order:?} is no order of {rank} axes")));
    }
    let sizes: Vec<Vec<usize>> = shape.iter().map(|&n| (0..n).collect()).collect();
    picked(node, shape, &sizes, &order)
}

/// Along each axis the positions in `picks`, with the axes in `order`.
fn picked(
    node: Node,
    shape: &[usize],
    picks: &[Vec<usize>],
    order: &[usize],
) -> Result<Rearranged, ImportError> {
    let taken: Vec<usize> = order.iter().map(|&axis| picks[axis].len()).collect();
    count(node, &taken)?;
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    let mut from = vec![0];
    // Axis by axis from the outermost, each place splits into those along the next axis.
    for &axis in order {
        from = from
            .iter()
            .flat_map(|&base| picks[axis].iter().map(move |&i| (base, i)))
            .map(|(base, i)| base + i * strides[axis])
            .collect();
    }
    Ok(Rearranged {
        shape: taken,
        from: Some(from),
    })
}

fn all_axes(shape: &[usize]) -> (Vec<Vec<usize>>, Vec<usize>) {
    (
        shape.iter().map(|&n| (0..n).collect()).collect(),
        (0..shape.len()).collect(),
    )
}

fn slice(
    node: Node,
    shape: &[usize],
    inputs: &[Option<&Constant>],
) -> Result<Rearranged, ImportError> {
    let starts = numbers(node, inputs, 0, "starts")?.unwrap_or_default();
    let ends = numbers(node, inputs, 1, "ends")?.unwrap_or_default();
    let axes = numbers(node, inputs, 2, "axes")?.unwrap_or_else(|| {
        (0..starts.len())
            .filter_map(|i| i64::try_from(i).ok())
            .collect()
    });
    let steps = numbers(node, inputs, 3, "steps")?.unwrap_or_else(|| vec![1; starts.len()]);
    if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] {
        return Err(node.error("starts, ends, axes and steps are not equally many"));
    }
    let (mut picks, order) = all_axes(shape);
    for (((&start, &end), &axis), &step) in starts.iter().zip(&ends).zip(&axes).zip(&steps) {
        let axis = node.axis(axis, shape.len())?;
        let size = i64::try_from(shape[axis]).unwrap_or(i64::MAX);
        let Some(step) = usize::try_from(step).ok().filter(|&step| step > 0) else {
            return Err(node.error("steps backwards are not read"));
        };
        let place = |at: i64| {
            let at = if at < 0 { at.saturating_add(size) } else { at };
            usize::try_from(at.clamp(0, size)).unwrap_or(0)
        };
        picks[axis] = (place(start)..place(end)).step_by(step).collect();
    }
    picked(node, shape, &picks, &order)
}

fn tile(
    node: Node,
    shape: &[usize],
    inputs: &[Option<&Constant>],
) -> Result<Rearranged, ImportError> {
    let repeats = numbers(node, inputs, 0, "repeats")?.unwrap_or_default();
    let (mut picks, order) = all_axes(shape);
    if repeats.len() != shape.len() {
        return Err(node.error("it needs as many repeats as there are axes"));
    }
    for (axis, &times) in repeats.iter().enumerate() {
        let times = usize::try_from(times).unwrap_or(0);
        count(node, &[shape[axis], times])?;
        picks[axis] = (0..times).flat_map(|_| 0..shape[axis]).collect();
    }
    picked(node, shape, &picks, &order)
}

/// TensorFlow writes padding of no rows where it might have needed some.
fn pad(
    node: Node,
    shape: &[usize],
    inputs: &[Option<&Constant>],
) -> Result<Rearranged, ImportError> {
    let pads = numbers(node, inputs, 0, "pads")?.unwrap_or_default();
    if pads.iter().any(|&rows| rows != 0) {
        return Err(node.error(
            "padding as a layer of its own is not read; give it to the convolution that follows",
        ));
    }
    Ok(Rearranged {
        shape: shape.to_vec(),
        from: None,
    })
}

/// The sizes of a vector's parts, as a `Split` node wants them.
pub fn parts(
    node: Node,
    length: usize,
    sizes: Option<&Constant>,
) -> Result<Vec<usize>, ImportError> {
    let count = node.0.output.len().max(1);
    let told = match sizes {
        Some(sizes) => sizes.to_ints().map(<[i64]>::to_vec),
        None => node.ints("split").map(<[i64]>::to_vec),
    };
    let parts: Option<Vec<usize>> = match told {
        Some(told) => told.iter().map(|&n| usize::try_from(n).ok()).collect(),
        // All of one size; where the file says how many they are, the last one may be smaller.
        None => {
            let size = length.div_ceil(count);
            let all = (0..count).map(|i| size.min(length.saturating_sub(i * size)));
            let fits = length.is_multiple_of(count) || node.given("num_outputs").is_some();
            fits.then(|| all.collect())
        }
    };
    parts
        .filter(|parts| {
            parts.len() == count
                && parts.iter().try_fold(0_usize, |n, &k| n.checked_add(k)) == Some(length)
        })
        .ok_or_else(|| node.error(format!("{length} values do not split into {count} parts")))
}

fn gather(
    node: Node,
    shape: &[usize],
    inputs: &[Option<&Constant>],
) -> Result<Rearranged, ImportError> {
    let axis = node.axis(node.int("axis"), shape.len())?;
    let indices = inputs.first().copied().flatten();
    let Some((indices, places)) = indices.and_then(|c| Some((c, c.to_ints()?))) else {
        return Err(node.error("its indices must be constant whole numbers"));
    };
    let (mut picks, order) = all_axes(shape);
    picks[axis] = places
        .iter()
        .map(|&i| node.axis(i, shape[axis]))
        .collect::<Result<_, _>>()?;
    let mut rearranged = picked(node, shape, &picks, &order)?;
    rearranged
        .shape
        .splice(axis..=axis, indices.shape.iter().copied());
    Ok(rearranged)
}
