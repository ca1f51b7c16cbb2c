//! Nodes that give a constant, whatever flows through the graph.

use super::super::error::ImportError;
use super::constant::{Constant, Data, ExternalData};
use super::node::Node;

/// The value of a `Constant` node.
pub fn constant(node: Node, external_data: ExternalData) -> Result<Constant, ImportError> {
    let attribute = node.0.attribute.first();
    let attribute = attribute.ok_or_else(|| node.error("it holds no value"))?;
    Ok(match (attribute.name.as_str(), &attribute.t) {
        (_, Some(tensor)) => {
            Constant::read(tensor, external_data).map_err(|error| node.error(error.to_string()))?
        }
        ("value_int", _) => Constant {
            shape: Vec::new(),
            data: Data::Ints(vec![attribute.i.unwrap_or(0)]),
        },
        ("value_float", _) => Constant {
            shape: Vec::new(),
            data: Data::Floats(vec![attribute.f.unwrap_or(0.0)]),
        },
        ("value_ints", _) => Constant::ints(attribute.ints.clone()),
        ("value_floats", _) => Constant {
            shape: vec![attribute.floats.len()],
            data: Data::Floats(attribute.floats.clone()),
        },
        (other, _) => return Err(node.error(format!("a constant given as {other:?} is not read"))),
    })
}

/// What `Shape` and `Size` give of a value of this shape; `None` for another operator.
pub fn sizes(node: Node, shape: &[usize]) -> Option<Constant> {
    match node.operator() {
        "Shape" => {}
        "Size" => {
            let count = i64::try_from(shape.iter().product::<usize>()).unwrap_or(i64::MAX);
            return Some(Constant {
                shape: Vec::new(),
                data: Data::Ints(vec![count]),
            });
        }
        _ => return None,
    }
    let sizes: Vec<i64> = shape
        .iter()
        .filter_map(|&n| i64::try_from(n).ok())
        .collect();
    let place = |at: i64| {
        let rank = i64::try_from(sizes.len()).unwrap_or(0);
        let at = if at < 0 { at.saturating_add(rank) } else { at };
        usize::try_from(at.clamp(0, rank)).unwrap_or(0)
    };
    let (start, end) = (place(node.int("start")), place(node.int("end")));
    Some(Constant::ints(
        sizes.get(start..end).unwrap_or_default().to_vec(),
    ))
}
