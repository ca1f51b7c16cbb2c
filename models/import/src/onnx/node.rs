//! A node's attributes, with errors that name the node.

use super::super::error::ImportError;
use super::operator_table::Operator;
use super::proto::{AttributeProto, NodeProto};

/// A node, and its operator as the file's version means it; `Opsets` makes it.
#[derive(Clone, Copy)]
pub struct Node<'a>(pub &'a NodeProto, pub &'static Operator);

/// An error at a node.
pub fn at(node: &NodeProto, problem: impl Into<String>) -> ImportError {
    let first = node.output.first();
    ImportError::Node {
        node: if node.name.is_empty() {
            first.cloned().unwrap_or_default()
        } else {
            node.name.clone()
        },
        operator: match node.domain.as_str() {
            "" | "ai.onnx" => node.op_type.clone(),
            domain => format!("{domain}.{}", node.op_type),
        },
        problem: problem.into(),
    }
}

impl<'a> Node<'a> {
    /// An error at this node.
    pub fn error(&self, problem: impl Into<String>) -> ImportError {
        at(self.0, problem)
    }

    /// Name of its operator.
    pub fn operator(&self) -> &'static str {
        self.1.name
    }

    /// An attribute, if it is set.
    pub fn given(&self, name: &str) -> Option<&'a AttributeProto> {
        self.0.attribute.iter().find(|a| a.name == name)
    }

    /// An attribute that is a single number or a text, as text, if it is set.
    pub fn written(&self, name: &str) -> Option<String> {
        let attribute = self.given(name)?;
        let text = attribute.s.as_ref();
        let text = text.map(|s| String::from_utf8_lossy(s).into_owned());
        text.or(attribute.i.map(|i| i.to_string()))
            .or(attribute.f.map(|f| f.to_string()))
    }

    /// A whole number: as set, else as the operator's version means it; 0 if that says nothing.
    pub fn int(&self, name: &str) -> i64 {
        let usual = || self.1.usual(name)?.parse().ok();
        let set = self.given(name).and_then(|a| a.i);
        set.or_else(usual).unwrap_or(0)
    }

    /// A number: as set, else as the operator's version means it; 0 if that says nothing.
    pub fn float(&self, name: &str) -> f32 {
        let usual = || self.1.usual(name)?.parse().ok();
        let set = self.given(name).and_then(|a| a.f);
        set.or_else(usual).unwrap_or(0.0)
    }

    /// Whole numbers, if they are set.
    pub fn ints(&self, name: &str) -> Option<&'a [i64]> {
        Some(&self.given(name)?.ints)
    }

    /// Text: as set, else as the operator's version means it.
    pub fn text(&self, name: &str) -> String {
        let usual = || self.1.usual(name).unwrap_or_default().to_owned();
        self.written(name).unwrap_or_else(usual)
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
