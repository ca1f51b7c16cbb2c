//! From a graph to a decoder: layers where it is a chain, else a graph.

use super::super::error::ImportError;
use super::super::exported::Exported;
use super::chain::chain;
use super::constant::Beside;
use super::ends::{check_output, check_version, inputs, needed, the_output, traced_batch};
use super::proto::ModelProto;
use super::{graph, rewrite};

/// Follows a graph from its inputs to its output: as layers one after another if it is
/// that, else as a graph.
pub fn lower(
    model: ModelProto,
    beside: Beside,
    output: Option<&str>,
) -> Result<Exported, ImportError> {
    let mut graph = model
        .graph
        .ok_or_else(|| ImportError::file("the file holds no graph; is it an ONNX file?"))?;
    let version = check_version(&model.opset_import)?;
    rewrite::softplus(&mut graph);
    let graph = &graph;
    let output = the_output(graph, output)?;
    check_output(graph, output)?;
    let needed = needed(graph, output);
    let inputs = inputs(graph, &needed)?;
    let batch = traced_batch(graph, inputs[0], output);
    let as_graph = || graph::lower(graph, version, &inputs, output, &needed, batch, beside);
    if let [input] = inputs[..]
        && let Ok(exported) = chain(graph, input, output, &needed, batch, beside)
    {
        return match exported.is_rearranged().then(as_graph) {
            Some(Ok(graph)) => Ok(exported.or(graph)),
            _ => Ok(exported),
        };
    }
    // A softmax is no layer, so what ends in one is a graph.
    let exported = as_graph()?;
    let last = graph
        .node
        .iter()
        .find(|node| node.output.iter().any(|name| name == output));
    Ok(match last.map(|node| node.op_type.as_str()) {
        Some("Softmax" | "LogSoftmax") => exported.of_softmax(),
        _ => exported,
    })
}
