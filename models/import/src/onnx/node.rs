//! A node's attributes, with errors that name the node.

use super::super::error::ImportError;
use super::proto::NodeProto;

/// A node being looked at.
#[derive(Clone, Copy)]
pub struct Node<'a>(pub &'a NodeProto);

impl Node<'_> {
    /// An error at this node.
    pub fn error(&self, problem: impl Into<String>) -> ImportError {
        let name = &self.0.name;
        let first = self.0.output.first();
        ImportError::Node {
            node: if name.is_empty() {
                first.cloned().unwrap_or_default()
            } else {
                name.clone()
            },
            operator: self.0.op_type.clone(),
            problem: problem.into(),
        }
    }

    /// A whole number, or what it is unless set.
    pub fn int(&self, name: &str, unless_set: i64) -> i64 {
        self.0
            .attribute
            .iter()
            .find(|a| a.name == name)
            .and_then(|a| a.i)
            .unwrap_or(unless_set)
    }

    /// A number, or what it is unless set.
    pub fn float(&self, name: &str, unless_set: f32) -> f32 {
        self.0
            .attribute
            .iter()
            .find(|a| a.name == name)
            .and_then(|a| a.f)
            .unwrap_or(unless_set)
    }

    /// Whole numbers, if they are set.
    pub fn ints(&self, name: &str) -> Option<&[i64]> {
        let attribute = self.0.attribute.iter().find(|a| a.name == name)?;
        Some(&attribute.ints)
    }

    /// Text, or what it is unless set.
    pub fn text(&self, name: &str, unless_set: &str) -> String {
        self.0
            .attribute
            .iter()
            .find(|a| a.name == name)
            .and_then(|a| a.s.as_ref())
            .map_or_else(
                || unless_set.to_owned(),
                |s| String::from_utf8_lossy(s).into_owned(),
            )
    }

    /// The index of an axis, counted from the end where it is negative.
    pub fn axis(&self, axis: i64, rank: usize) -> Result<usize, ImportError> {
        let from_start = if axis < 0 {
            i64::try_from(rank)
                .ok()
                .and_then(|rank| axis.checked_add(rank))
        } else {
            Some(axis)
        };
        from_start
            .and_then(|axis| usize::try_from(axis).ok())
            .filter(|&axis| axis < rank)
            .ok_or_else(|| self.error(format!("axis {axis} of a value with {rank} axes")))
    }
}

/// What a layer made of this node is called: after its weight, else after the node.
pub fn name(node: Node) -> String {
    let weight = node
        .0
        .input
        .get(1)
        .and_then(|name| name.strip_suffix(".weight"));
    if let Some(weight) = weight {
        return weight.to_owned();
    }
    let mut parts = node.0.name.split('/').filter(|part| !part.is_empty()).rev();
    let last = parts.next().unwrap_or_default();
    // PyTorch and TensorFlow call nodes MODULE/OPERATION.
    parts.next().unwrap_or(last).to_owned()
}

/// The number that was meant: 0.2 rather than the nearest f32 written with 17 digits.
pub fn decimal(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| value.into())
}
