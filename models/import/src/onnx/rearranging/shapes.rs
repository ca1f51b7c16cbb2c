//! Operators that give the same values another shape.

use super::super::super::error::ImportError;
use super::super::constant::Constant;
use super::super::node::Node;
use super::{Rearranged, count, numbers, volume};

fn same_place(node: Node, shape: Vec<usize>, count: usize) -> Result<Rearranged, ImportError> {
    if volume(&shape) == Some(count) {
        Ok(Rearranged { shape, from: None })
    } else {
        Err(node.error(format!("{count} values do not have the shape {shape:?}")))
    }
}

pub(super) fn reshape(
    node: Node,
    shape: &[usize],
    inputs: &[Option<&Constant>],
    batch: usize,
) -> Result<Rearranged, ImportError> {
    let mut target =
        numbers(node, inputs, 0, "shape")?.ok_or_else(|| node.error("it says no shape to take"))?;
    let total = count(node, shape)?;
    if let ([first, rest @ ..], [1, ..]) = (&mut target[..], shape)
        && batch > 1
        && i64::try_from(batch).is_ok_and(|batch| *first == batch)
        && (rest.contains(&-1) || product(rest) == Some(total))
    {
        *first = 1;
    }
    let keep_zero = node.int("allowzero") == 1;
    let mut open = None;
    let mut taken = Vec::with_capacity(target.len());
    for (i, &size) in target.iter().enumerate() {
        taken.push(match (size, usize::try_from(size)) {
            (-1, _) if open.is_none() => {
                open = Some(i);
                1
            }
            (0, _) if !keep_zero => *shape
                .get(i)
                .ok_or_else(|| node.error(format!("there is no axis {i} to copy")))?,
            (_, Ok(size)) => size,
            (_, Err(_)) => return Err(node.error(format!("the shape {target:?} is impossible"))),
        });
    }
    if let Some(open) = open {
        let known = count(node, &taken)?;
        if known == 0 || !total.is_multiple_of(known) {
            return Err(node.error(format!("{total} values do not have the shape {target:?}")));
        }
        taken[open] = total / known;
    }
    // A fixed batch size other than 1 was traced in: the rest must still fit one vector.
    same_place(node, taken, total).map_err(|_| {
        node.error(format!(
            "{total} values (one latent vector at a time) do not have the shape {target:?}; export with a dynamic batch axis, or with a batch of 1"
        ))
    })
}

fn product(sizes: &[i64]) -> Option<usize> {
    sizes.iter().try_fold(1_usize, |n, &size| {
        n.checked_mul(usize::try_from(size).ok()?)
    })
}

pub(super) fn flatten(node: Node, shape: &[usize]) -> Result<Rearranged, ImportError> {
    let rank = i64::try_from(shape.len()).unwrap_or(i64::MAX);
    let axis = node.int("axis");
    let axis = if axis < 0 {
        axis.saturating_add(rank)
    } else {
        axis
    };
    let axis = usize::try_from(axis)
        .ok()
        .filter(|&axis| axis <= shape.len())
        .ok_or_else(|| node.error("its axis is outside of the shape"))?;
    let total = count(node, shape)?;
    let (before, after) = shape.split_at(axis);
    same_place(node, vec![count(node, before)?, count(node, after)?], total)
}

pub(super) fn squeeze(
    node: Node,
    shape: &[usize],
    inputs: &[Option<&Constant>],
) -> Result<Rearranged, ImportError> {
    let axes = numbers(node, inputs, 0, "axes")?;
    let mut drop = vec![false; shape.len()];
    match axes {
        None => drop = shape.iter().map(|&n| n == 1).collect(),
        Some(axes) => {
            for axis in axes {
                let axis = node.axis(axis, shape.len())?;
                if shape[axis] != 1 {
                    return Err(node.error(format!("axis {axis} has {} values", shape[axis])));
                }
                drop[axis] = true;
            }
        }
    }
    let kept = shape.iter().zip(drop).filter(|(_, drop)| !drop);
    Ok(Rearranged {
        shape: kept.map(|(&n, _)| n).collect(),
        from: None,
    })
}

pub(super) fn unsqueeze(
    node: Node,
    shape: &[usize],
    inputs: &[Option<&Constant>],
) -> Result<Rearranged, ImportError> {
    let axes = numbers(node, inputs, 0, "axes")?.unwrap_or_default();
    let rank = shape.len() + axes.len();
    let mut inserted = vec![false; rank];
    for axis in axes {
        inserted[node.axis(axis, rank)?] = true;
    }
    let mut old = shape.iter().copied();
    let taken: Vec<usize> = inserted
        .into_iter()
        .map(|new| if new { Some(1) } else { old.next() })
        .collect::<Option<_>>()
        .ok_or_else(|| node.error("an axis is inserted twice"))?;
    Ok(Rearranged {
        shape: taken,
        from: None,
    })
}
