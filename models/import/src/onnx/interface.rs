//! Where a graph begins and ends: its version, its input and its output.

use std::collections::BTreeSet;

use super::super::error::ImportError;
use super::super::layout::TEXT;
use super::proto::{DataType, DimensionProto, GraphProto, ValueInfoProto};

/// The output that is asked for, or the only one.
pub fn the_output<'a>(
    graph: &'a GraphProto,
    wish: Option<&'a str>,
) -> Result<&'a str, ImportError> {
    let names: Vec<&str> = graph
        .output
        .iter()
        .map(|value| value.name.as_str())
        .collect();
    match (wish, &names[..]) {
        (Some(wish), _) if names.contains(&wish) => Ok(wish),
        (None, [only]) => Ok(only),
        (_, []) => Err(ImportError::file(
            "the graph has no output; is it an ONNX file?",
        )),
        (Some(wish), _) => Err(ImportError::file(format!(
            "the graph has no output {wish:?}; it has: {}",
            names.join(", ")
        ))),
        (None, _) => Err(ImportError::file(format!(
            "the graph has several outputs ({}); name the picture with --node",
            names.join(", ")
        ))),
    }
}

/// Refuses an output of whole numbers, as `ArgMax` gives them.
pub fn check_output(graph: &GraphProto, output: &str) -> Result<(), ImportError> {
    let named = graph.output.iter().find(|value| value.name == output);
    if let Some(kind @ (DataType::Int32 | DataType::Int64)) = named.and_then(kind) {
        return Err(ImportError::file(format!(
            "the output {output:?} holds whole numbers ({kind:?}). If they are tokens, as ArgMax gives them: {TEXT}. If they are values of a picture or a curve, cast them to float32 in the decoder"
        )));
    }
    Ok(())
}

/// What values an input or an output holds, if the file says so.
fn kind(value: &ValueInfoProto) -> Option<DataType> {
    let kind = value.r#type.as_ref()?.tensor_type.as_ref()?.elem_type;
    DataType::try_from(kind).ok()
}

/// The values that the output depends on.
pub fn needed<'a>(graph: &'a GraphProto, output: &'a str) -> BTreeSet<&'a str> {
    let mut needed = BTreeSet::from([output]);
    for node in graph.node.iter().rev() {
        if node
            .output
            .iter()
            .any(|name| needed.contains(name.as_str()))
        {
            needed.extend(node.input.iter().map(String::as_str));
        }
    }
    needed
}

/// The inputs that are no weights, in the file's order; at least one.
pub fn inputs<'a>(
    graph: &'a GraphProto,
    needed: &BTreeSet<&str>,
) -> Result<Vec<&'a ValueInfoProto>, ImportError> {
    let weights: BTreeSet<&str> = graph.initializer.iter().map(|t| t.name.as_str()).collect();
    let inputs: Vec<&ValueInfoProto> = graph
        .input
        .iter()
        .filter(|value| needed.contains(value.name.as_str()))
        .filter(|value| !weights.contains(value.name.as_str()))
        .collect();
    if inputs.is_empty() {
        return Err(ImportError::file(
            "the output does not depend on any input of the graph; export the decoder from a latent vector",
        ));
    }
    for input in &inputs {
        if let Some(kind @ (DataType::Int32 | DataType::Int64)) = kind(input) {
            return Err(ImportError::file(format!(
                "the input {:?} takes values of type {kind:?}, as the index of a class; wrap the decoder in a module that takes the class one-hot, as float32, and multiplies it by the embedding's weight",
                input.name
            )));
        }
    }
    Ok(inputs)
}

/// The input's shape for one latent vector.
pub fn input_shape(input: &ValueInfoProto) -> Result<Vec<usize>, ImportError> {
    let shape = input
        .r#type
        .as_ref()
        .and_then(|kind| kind.tensor_type.as_ref())
        .and_then(|tensor| tensor.shape.as_ref());
    let sizes: Option<Vec<usize>> = shape.and_then(|shape| {
        let after_batch = shape.dim.iter().skip(1);
        after_batch
            .map(|dim| usize::try_from(dim.dim_value?).ok())
            .collect()
    });
    match sizes {
        Some(sizes) if !sizes.is_empty() => Ok(std::iter::once(1).chain(sizes).collect()),
        _ => Err(ImportError::file(format!(
            "the input {:?} must be [batch, dimensions] with a fixed number of dimensions",
            input.name
        ))),
    }
}

/// PyTorch's older exporter writes `x.view(x.size(0), -1)` with the size of the batch it
/// was shown. Then the output says that size, where the input leaves it open or agrees.
pub fn traced_batch(graph: &GraphProto, input: &ValueInfoProto, output: &str) -> usize {
    let named = graph.output.iter().find(|value| value.name == output);
    match (
        size(first(input)),
        named.and_then(|value| size(first(value))),
    ) {
        (None, Some(batch)) => batch,
        (Some(told), Some(batch)) if told == batch => batch,
        _ => 1,
    }
}

/// What a file says of a value's axes.
fn axes(value: &ValueInfoProto) -> &[DimensionProto] {
    let kind = value
        .r#type
        .as_ref()
        .and_then(|kind| kind.tensor_type.as_ref());
    let shape = kind.and_then(|kind| kind.shape.as_ref());
    shape.map_or(&[], |shape| &shape.dim)
}

/// What it says of the first of them.
fn first(value: &ValueInfoProto) -> Option<&DimensionProto> {
    axes(value).first()
}

fn size(axis: Option<&DimensionProto>) -> Option<usize> {
    usize::try_from(axis?.dim_value?).ok()
}

/// Refuses a decoder that makes several instances of one latent vector, where the file says that
/// input and output have the same number of rows. `shape` is that of its output, without a batch of 1.
pub fn check_batch(
    graph: &GraphProto,
    inputs: &[&ValueInfoProto],
    output: &str,
    shape: &[usize],
) -> Result<(), ImportError> {
    let named = graph.output.iter().find(|value| value.name == output);
    let rows = named.and_then(first);
    let told = rows.is_some_and(|rows| rows.dim_value.is_some() || rows.dim_param.is_some());
    let same = inputs.iter().any(|input| first(input) == rows);
    let has_batch = named.is_some_and(|value| axes(value).len() == shape.len());
    match shape {
        &[several, _, ..] if several > 1 && has_batch && told && same => {
            Err(ImportError::file(format!(
                "one latent vector gives {several} instances: a batch of {several} is written into the file; export with a batch of 1"
            )))
        }
        _ => Ok(()),
    }
}

/// An error in a file that has a batch of several written into it says so: shapes of one latent
/// vector then do not fit.
pub fn of_batch(
    error: ImportError,
    graph: &GraphProto,
    inputs: &[&ValueInfoProto],
    output: &str,
) -> ImportError {
    let named = graph.output.iter().find(|value| value.name == output);
    let ends = inputs.iter().copied().chain(named);
    let several = ends.filter_map(|value| size(first(value))).find(|&n| n > 1);
    match (error, several) {
        (
            ImportError::Node {
                node,
                operator,
                problem,
            },
            Some(several),
        ) if !problem.contains("a batch of 1") => ImportError::Node {
            node,
            operator,
            problem: format!(
                "{problem}. A batch of {several} is written into the file, which may be why: export with a batch of 1"
            ),
        },
        (error, _) => error,
    }
}

/// A shape without the batch of 1 in front.
pub fn without_batch(mut shape: Vec<usize>) -> Vec<usize> {
    if shape.len() > 1 && shape[0] == 1 {
        shape.remove(0);
    }
    shape
}
