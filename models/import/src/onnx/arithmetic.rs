//! Arithmetic on constants: what exporters leave to be computed when a graph is loaded.

use super::super::error::ImportError;
use super::constant::{Constant, Data};
use super::node::Node;
use super::proto::DataType;
use super::rearranging::{MAX_VALUES, volume};

/// Shape of two values stretched to fit each other, as numpy does; `None` if they cannot.
pub fn broadcast(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let size = |shape: &[usize], axis: usize| {
        (axis + shape.len())
            .checked_sub(rank)
            .map_or(1, |axis| shape[axis])
    };
    (0..rank)
        .map(|axis| match (size(a, axis), size(b, axis)) {
            (n, m) if n == m || m == 1 => Some(n),
            (1, m) => Some(m),
            _ => None,
        })
        .collect()
}

/// For each place of `shape` where its value is in a value of the shape `from`, which
/// is stretched to it.
pub fn stretched(from: &[usize], shape: &[usize]) -> Vec<usize> {
    let mut places = vec![0];
    let mut stride = from.iter().product::<usize>();
    for (axis, &size) in shape.iter().enumerate() {
        let own = (axis + from.len())
            .checked_sub(shape.len())
            .map_or(1, |axis| from[axis]);
        stride /= own.max(1);
        let step = if own == 1 { 0 } else { stride };
        places = places
            .iter()
            .flat_map(|&base| (0..size).map(move |i| base + i * step))
            .collect();
    }
    places
}

/// The larger of two numbers; none where one of them is none.
fn larger(x: f32, y: f32) -> f32 {
    if x > y || x.is_nan() { x } else { y }
}

/// Computes a node of constants; `None` for an operator that is not known here.
pub fn computed(node: Node, inputs: &[Option<&Constant>]) -> Option<Result<Constant, ImportError>> {
    let missing = || node.error("an input is missing");
    let first = inputs.first().copied().flatten().ok_or_else(missing);
    let second = inputs.get(1).copied().flatten().ok_or_else(missing);
    let both = first.and_then(|a| second.map(|b| (a, b)));
    let first = inputs.first().copied().flatten().ok_or_else(missing);
    Some(match node.operator() {
        "Add" => both.and_then(|(a, b)| binary(node, a, b, |x, y| x + y, i64::checked_add)),
        "Sub" => both.and_then(|(a, b)| binary(node, a, b, |x, y| x - y, i64::checked_sub)),
        "Mul" => both.and_then(|(a, b)| binary(node, a, b, |x, y| x * y, i64::checked_mul)),
        "Div" => both.and_then(|(a, b)| binary(node, a, b, |x, y| x / y, i64::checked_div)),
        "Mod" => both.and_then(|(a, b)| {
            binary(
                node,
                a,
                b,
                |x, y| x % y,
                |x, y| {
                    // The sign is the divisor's, as in Python.
                    let rest = x.checked_rem(y)?;
                    Some(if rest != 0 && (rest < 0) != (y < 0) {
                        rest + y
                    } else {
                        rest
                    })
                },
            )
        }),
        // Of more than two, one after the other: as what flows would be.
        "Max" | "Min" if inputs.len() != 2 => return None,
        "Max" => both.and_then(|(a, b)| binary(node, a, b, larger, |x, y| Some(x.max(y)))),
        "Min" => both
            .and_then(|(a, b)| binary(node, a, b, |x, y| -larger(-x, -y), |x, y| Some(x.min(y)))),
        "Sqrt" => first.map(|a| unary(a, f32::sqrt)),
        "Reciprocal" => first.map(|a| unary(a, f32::recip)),
        "Floor" => first.map(|a| unary(a, f32::floor)),
        "Ceil" => first.map(|a| unary(a, f32::ceil)),
        "Neg" => first.and_then(|a| {
            let nothing = Constant::ints(vec![0]);
            let vector = a.shape.len() == 1 && matches!(a.data, Data::Ints(_));
            match vector {
                true => binary(node, &nothing, a, |x, y| x - y, i64::checked_sub),
                false => Ok(unary(a, |v| -v)),
            }
        }),
        "Cast" => first.and_then(|a| cast(node, a)),
        "Concat" => concat(node, inputs),
        "ConstantOfShape" => first.and_then(|a| filled(node, a)),
        "NonZero" => first.map(nonzero),
        "Range" => range(node, inputs),
        _ => return None,
    })
}

fn unary(a: &Constant, function: impl Fn(f32) -> f32) -> Constant {
    Constant {
        shape: a.shape.clone(),
        data: Data::Floats(a.floats().into_iter().map(function).collect()),
    }
}

fn binary(
    node: Node,
    a: &Constant,
    b: &Constant,
    floats: impl Fn(f32, f32) -> f32,
    ints: impl Fn(i64, i64) -> Option<i64>,
) -> Result<Constant, ImportError> {
    let shape = broadcast(&a.shape, &b.shape)
        .filter(|shape| volume(shape).is_some())
        .ok_or_else(|| node.error(format!("{:?} and {:?} do not fit", a.shape, b.shape)))?;
    let places = stretched(&a.shape, &shape)
        .into_iter()
        .zip(stretched(&b.shape, &shape));
    let data = match (&a.data, &b.data) {
        (Data::Ints(x), Data::Ints(y)) => Data::Ints(
            places
                .map(|(i, j)| ints(x[i], y[j]))
                .collect::<Option<_>>()
                .ok_or_else(|| node.error("its result is no whole number"))?,
        ),
        _ => {
            let (x, y) = (a.floats(), b.floats());
            Data::Floats(places.map(|(i, j)| floats(x[i], y[j])).collect())
        }
    };
    Ok(Constant { shape, data })
}

fn cast(node: Node, a: &Constant) -> Result<Constant, ImportError> {
    let kind = i32::try_from(node.int("to")).map(DataType::try_from);
    let data = match (kind, &a.data) {
        (Ok(Ok(kind)), _) if kind.is_float() => Data::Floats(a.floats()),
        (Ok(Ok(DataType::Int32 | DataType::Int64)), Data::Ints(values)) => {
            Data::Ints(values.clone())
        }
        (Ok(Ok(DataType::Int32 | DataType::Int64)), Data::Floats(values)) => {
            Data::Ints(values.iter().map(|&v| v as i64).collect())
        }
        (Ok(Ok(DataType::Bool)), _) => {
            let whether = a.floats().into_iter().map(|v| i64::from(v != 0.0));
            Data::Ints(whether.collect())
        }
        _ => return Err(node.error("only casts between float and whole numbers are read")),
    };
    Ok(Constant {
        shape: a.shape.clone(),
        data,
    })
}

/// Vectors one after the other: what shapes are put together with.
fn concat(node: Node, inputs: &[Option<&Constant>]) -> Result<Constant, ImportError> {
    let mut values = Vec::new();
    for input in inputs {
        match input.and_then(|c| (c.shape.len() == 1).then(|| c.to_ints())?) {
            Some(more) => values.extend_from_slice(more),
            None => return Err(node.error("only vectors of whole numbers are put together")),
        }
    }
    Ok(Constant::ints(values))
}

/// The places of what is not 0, a row for each axis.
fn nonzero(a: &Constant) -> Constant {
    let values = a.floats();
    let places: Vec<usize> = (0..values.len()).filter(|&i| values[i] != 0.0).collect();
    let mut all = Vec::with_capacity(a.shape.len() * places.len());
    let mut block: usize = a.shape.iter().product();
    for &side in &a.shape {
        block /= side.max(1);
        all.extend(
            places
                .iter()
                .map(|&i| (i / block.max(1) % side.max(1)) as i64),
        );
    }
    Constant {
        shape: vec![a.shape.len(), places.len()],
        data: Data::Ints(all),
    }
}

/// Numbers from the first up to the second, in steps of the third.
fn range(node: Node, inputs: &[Option<&Constant>]) -> Result<Constant, ImportError> {
    let &[Some(start), Some(end), Some(step)] = inputs else {
        return Err(node.error("an input is missing"));
    };
    let [from, to, by] = [start, end, step].map(|c| c.floats().first().copied().map(f64::from));
    let (Some(from), Some(to), Some(by)) = (from, to, by) else {
        return Err(node.error("it has no ends"));
    };
    let count = ((to - from) / by).ceil().max(0.0);
    if !(0.0..=MAX_VALUES as f64).contains(&count) {
        return Err(node.error(format!("from {from} to {to} in steps of {by} is too much")));
    }
    let places = 0..count as i64;
    let data = match [start, end, step].map(Constant::to_ints) {
        [Some(from), Some(_), Some(by)] => Data::Ints(
            places
                .map(|i| from[0].saturating_add(i.saturating_mul(by[0])))
                .collect(),
        ),
        _ => Data::Floats(places.map(|i| (from + i as f64 * by) as f32).collect()),
    };
    let shape = vec![count as usize];
    Ok(Constant { shape, data })
}

fn filled(node: Node, shape: &Constant) -> Result<Constant, ImportError> {
    let sizes: Option<Vec<usize>> = shape
        .to_ints()
        .and_then(|sizes| sizes.iter().map(|&n| usize::try_from(n).ok()).collect());
    let (shape, count) = sizes
        .and_then(|sizes| volume(&sizes).map(|count| (sizes, count)))
        .ok_or_else(|| node.error("its shape is impossible"))?;
    let value = node
        .0
        .attribute
        .iter()
        .find(|a| a.name == "value")
        .and_then(|a| a.t.as_ref())
        .map(|t| Constant::read(t, &|_| Err("there is none".to_owned())))
        .transpose()?;
    let data = match value.as_ref().map(|value| &value.data) {
        Some(Data::Ints(one)) if one.len() == 1 => Data::Ints(vec![one[0]; count]),
        Some(Data::Floats(one)) if one.len() == 1 => Data::Floats(vec![one[0]; count]),
        None => Data::Floats(vec![0.0; count]),
        Some(_) => return Err(node.error("its value must be a single one")),
    };
    Ok(Constant { shape, data })
}
