//! The shape of what an operation gives, and whether it can be computed at all.

use kernels::{side_down, side_up};

use super::super::flow::{MAX_FLOW, flows};
use super::{Function, MAX_PRODUCTS, Operation, Window};

/// Largest number of axes.
const MAX_RANK: usize = 8;
/// Largest number of values in the patches of a convolution: half a gigabyte.
const MAX_PATCHES: usize = 1 << 27;

impl Operation {
    /// The shape of what comes out when values of the shapes `of` go in.
    ///
    /// # Errors
    /// Says what does not fit.
    pub fn shape(&self, of: &[&[usize]]) -> Result<Vec<usize>, String> {
        let shape = match (self, of) {
            (Self::Constant { shape }, []) => shape.clone(),
            (Self::Layers { layers, shape }, [x]) => {
                let flows = flows(layers, volume(x)?).map_err(|error| error.to_string())?;
                let found = flows.last().map_or(0, super::super::Flow::len);
                same_count(found, shape)?
            }
            (Self::Activation { function }, [x]) => {
                if !function.is_computable() {
                    return Err("its slope or alpha is too large a number".to_owned());
                }
                x.to_vec()
            }
            (Self::Map { function }, [x]) => {
                check_function(function)?;
                x.to_vec()
            }
            (Self::Pair { .. }, [a, b]) => stretched(a, b)?,
            (Self::Where, [condition, a, b]) => stretched(condition, &stretched(a, b)?)?,
            (Self::Reshape { shape }, [x]) => same_count(volume(x)?, shape)?,
            (Self::Transpose { order }, [x]) => {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                if !sorted.into_iter().eq(0..x.len()) {
                    return Err(format!("{order:?} is no order of {} axes", x.len()));
                }
                order.iter().map(|&axis| x[axis]).collect()
            }
            (Self::Expand { shape }, [x]) => {
                if stretched(x, shape)? != *shape {
                    return Err(format!("{x:?} does not stretch to {shape:?}"));
                }
                shape.clone()
            }
            (Self::Concat { axis }, [first, rest @ ..]) => {
                let mut shape = first.to_vec();
                for other in rest {
                    let fits = other.len() == shape.len()
                        && (0..shape.len()).all(|i| i == *axis || other[i] == shape[i]);
                    if !fits || *axis >= shape.len() {
                        return Err(format!(
                            "{first:?} and {other:?} do not fit along axis {axis}"
                        ));
                    }
                    shape[*axis] = shape[*axis].saturating_add(other[*axis]);
                }
                size(&shape, *axis)?;
                shape
            }
            (
                Self::Slice {
                    axis,
                    start,
                    length,
                },
                [x],
            ) => {
                let whole = size(x, *axis)?;
                if start.checked_add(*length).is_none_or(|end| end > whole) {
                    return Err(format!("{length} places from {start} on, of {whole}"));
                }
                with(x, *axis, *length)
            }
            (Self::Gather { axis, places }, [x]) => {
                let whole = size(x, *axis)?;
                if let Some(place) = places.iter().find(|&&place| place >= whole) {
                    return Err(format!("place {place}, of {whole}"));
                }
                with(x, *axis, places.len())
            }
            (
                Self::Pad {
                    before,
                    after,
                    value,
                },
                [x],
            ) => {
                if [before.len(), after.len()] != [x.len(); 2] || !value.is_finite() {
                    return Err("it needs a number of places for each axis".to_owned());
                }
                let sides = x.iter().zip(before).zip(after);
                sides
                    .map(|((n, b), a)| n.saturating_add(*b).saturating_add(*a))
                    .collect()
            }
            (
                Self::Resize {
                    axis,
                    size: to,
                    scale,
                    ..
                },
                [x],
            ) => {
                if size(x, *axis)? == 0 || scale.is_some_and(|s| !s.is_finite() || s <= 0.0) {
                    return Err("its scale must be positive, and there must be places".to_owned());
                }
                with(x, *axis, *to)
            }
            (Self::MatMul, [a, b]) => mat_mul(a, b)?,
            (Self::Reduce { axes, .. }, [x]) => {
                let mut shape = x.to_vec();
                for &axis in axes {
                    size(x, axis)?;
                    shape[axis] = 1;
                }
                shape
            }
            (Self::Softmax { axis }, [x]) => {
                size(x, *axis)?;
                x.to_vec()
            }
            (Self::Cumulate { axis, .. }, [x]) => {
                size(x, *axis)?;
                x.to_vec()
            }
            (Self::Top { axis, count, .. }, [x]) => {
                let whole = size(x, *axis)?;
                if *count > whole {
                    return Err(format!("the {count} largest of {whole}"));
                }
                with(x, *axis, *count)
            }
            (Self::ArgMax { axis }, [x]) => {
                size(x, *axis)?;
                with(x, *axis, 1)
            }
            (Self::Normalise { last, eps }, [x]) => {
                if *last == 0 || *last > x.len() || !eps.is_finite() || *eps < 0.0 {
                    return Err(format!("the last {last} of {} axes, eps {eps}", x.len()));
                }
                x.to_vec()
            }
            (Self::Conv { window, groups }, [x, weight, bias @ ..]) => {
                convolved(window, *groups, x, weight, bias, false)?
            }
            (Self::ConvTranspose { window, groups }, [x, weight, bias @ ..]) => {
                convolved(window, *groups, x, weight, bias, true)?
            }
            (Self::Pool { kernel, window, .. }, [x]) => {
                let &[1, maps, height, width] = *x else {
                    return Err(format!("it takes maps [1, maps, rows, columns], not {x:?}"));
                };
                check_window(window)?;
                if window.padding.iter().any(|&n| n < 0) {
                    return Err("its padding is negative".to_owned());
                }
                let [rows, columns] = window.sides([height, width], *kernel, false)?;
                let products = volume(&[maps, rows, columns])?;
                work(&[products, kernel[0], kernel[1]])?;
                vec![1, maps, rows, columns]
            }
            (
                Self::Recurrent {
                    cell,
                    hidden,
                    cells,
                    ..
                },
                [x, rest @ ..],
            ) => {
                let &[steps, inputs] = *x else {
                    return Err(format!("it takes a series [steps, inputs], not {x:?}"));
                };
                if *cells && *cell != super::RecurrentCell::Lstm {
                    return Err("only a long short-term memory has cells".to_owned());
                }
                let rows = cell.gates().saturating_mul(*hidden);
                let mut wanted = vec![vec![rows, inputs], vec![rows, *hidden]];
                wanted.extend([vec![rows], vec![rows], vec![*hidden]]);
                if *cell == super::RecurrentCell::Lstm {
                    wanted.push(vec![*hidden]);
                }
                if rest != wanted.iter().map(Vec::as_slice).collect::<Vec<_>>() {
                    return Err(format!(
                        "its weights have the shapes {rest:?}, not {wanted:?}"
                    ));
                }
                work(&[steps, rows, inputs.saturating_add(*hidden)])?;
                vec![steps, *hidden]
            }
            (_, of) => return Err(format!("it cannot be made of {} values", of.len())),
        };
        if shape.len() > MAX_RANK {
            return Err(format!(
                "{} axes; at most {MAX_RANK} are computed",
                shape.len()
            ));
        }
        volume(&shape)?;
        Ok(shape)
    }
}

impl Window {
    /// Sides of what a kernel makes of maps with these sides.
    fn sides(
        &self,
        from: [usize; 2],
        kernel: [usize; 2],
        transposed: bool,
    ) -> Result<[usize; 2], String> {
        let side = |i: usize| {
            let span = kernel[i]
                .checked_sub(1)?
                .checked_mul(self.dilation[i])?
                .checked_add(1)?;
            let padding = self.padding[i].checked_add(self.padding[i + 2])?;
            if transposed {
                side_up(from[i], span, self.stride[i], padding)
            } else {
                side_down(from[i], span, self.stride[i], padding)
            }
        };
        match (side(0), side(1)) {
            (Some(rows), Some(columns)) => Ok([rows, columns]),
            _ => Err(format!(
                "a kernel of {}×{} with this padding leaves nothing of maps of {}×{}",
                kernel[0], kernel[1], from[0], from[1]
            )),
        }
    }
}

fn check_window(window: &Window) -> Result<(), String> {
    let positive = |n: &usize| *n > 0 && *n <= 1 << 16;
    if window.stride.iter().chain(&window.dilation).all(positive)
        && window.padding.iter().all(|n| n.unsigned_abs() <= 1 << 24)
    {
        Ok(())
    } else {
        Err("its stride, dilation or padding is impossible".to_owned())
    }
}

fn convolved(
    window: &Window,
    groups: usize,
    x: &[usize],
    weight: &[usize],
    bias: &[&[usize]],
    transposed: bool,
) -> Result<Vec<usize>, String> {
    let (&[1, inputs, height, width], &[first, second, rows, columns]) = (x, weight) else {
        return Err(format!(
            "it takes maps [1, inputs, rows, columns] and a weight of four axes, not {x:?} and {weight:?}"
        ));
    };
    check_window(window)?;
    if !transposed && window.padding.iter().any(|&n| n < 0) {
        return Err("its padding is negative".to_owned());
    }
    let in_groups = second.saturating_mul(groups);
    let (takes, outputs) = if transposed {
        (first, in_groups)
    } else {
        (in_groups, first)
    };
    if groups == 0 || takes != inputs || !first.is_multiple_of(groups) {
        return Err(format!(
            "its weight {weight:?} in {groups} groups does not take {inputs} maps"
        ));
    }
    if !(bias.is_empty() || *bias == [&[outputs][..]]) {
        return Err(format!("a bias {bias:?} for {outputs} maps"));
    }
    let [to_rows, to_columns] = window.sides([height, width], [rows, columns], transposed)?;
    let places = if transposed {
        volume(&[height, width])?
    } else {
        volume(&[to_rows, to_columns])?
    };
    let patches = [second, rows, columns, places];
    let patches = patches.iter().fold(1_usize, |n, &k| n.saturating_mul(k));
    if patches > MAX_PATCHES {
        return Err(format!(
            "its patches are {patches} values; at most {MAX_PATCHES} are computed"
        ));
    }
    work(&[volume(weight)?, places])?;
    Ok(vec![1, outputs, to_rows, to_columns])
}

fn mat_mul(a: &[usize], b: &[usize]) -> Result<Vec<usize>, String> {
    let ([before_a @ .., rows, inner], [before_b @ .., inner_b, columns]) = (a, b) else {
        return Err(format!("it takes matrices, not {a:?} and {b:?}"));
    };
    if inner != inner_b {
        return Err(format!("{a:?} and {b:?} do not fit"));
    }
    let mut shape = stretched(before_a, before_b)?;
    shape.extend([*rows, *columns]);
    work(&[volume(&shape)?, *inner])?;
    Ok(shape)
}

fn check_function(function: &Function) -> Result<(), String> {
    let fits = |v: f64| v.abs() <= f64::from(f32::MAX);
    match *function {
        Function::Clip { min, max } => {
            let ends = [min, max].into_iter().flatten();
            if !ends.clone().all(fits) || matches!((min, max), (Some(a), Some(b)) if a > b) {
                return Err("its ends must be numbers, the lower one first".to_owned());
            }
        }
        Function::HardSigmoid { alpha, beta } if !fits(alpha) || !fits(beta) => {
            return Err("its alpha or beta is too large a number".to_owned());
        }
        _ => {}
    }
    Ok(())
}

/// Whether so many products can be computed. In the browser a `usize` could not hold the limit.
fn work(factors: &[usize]) -> Result<(), String> {
    let products = factors
        .iter()
        .fold(1_u64, |n, &k| n.saturating_mul(k as u64));
    if products > MAX_PRODUCTS {
        return Err(format!(
            "it takes {products} products; at most {MAX_PRODUCTS} are computed"
        ));
    }
    Ok(())
}

/// Two shapes stretched to fit each other.
pub(super) fn stretched(a: &[usize], b: &[usize]) -> Result<Vec<usize>, String> {
    let rank = a.len().max(b.len());
    let side = |shape: &[usize], axis: usize| {
        (axis + shape.len())
            .checked_sub(rank)
            .map_or(1, |axis| shape[axis])
    };
    (0..rank)
        .map(|axis| match (side(a, axis), side(b, axis)) {
            (n, m) if n == m || m == 1 => Ok(n),
            (1, m) => Ok(m),
            _ => Err(format!("{a:?} and {b:?} do not fit")),
        })
        .collect()
}

fn with(shape: &[usize], axis: usize, side: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    shape[axis] = side;
    shape
}

fn size(shape: &[usize], axis: usize) -> Result<usize, String> {
    shape
        .get(axis)
        .copied()
        .ok_or_else(|| format!("axis {axis} of a value with {} axes", shape.len()))
}

fn same_count(count: usize, shape: &[usize]) -> Result<Vec<usize>, String> {
    if volume(shape)? == count {
        Ok(shape.to_vec())
    } else {
        Err(format!("{count} values do not have the shape {shape:?}"))
    }
}

/// Number of values of a shape, which is neither empty nor too large.
fn volume(shape: &[usize]) -> Result<usize, String> {
    shape
        .iter()
        .try_fold(1_usize, |n, &k| n.checked_mul(k))
        .filter(|n| (1..=MAX_FLOW).contains(n))
        .ok_or_else(|| {
            format!("a value of shape {shape:?} is empty or has more than {MAX_FLOW} values")
        })
}
