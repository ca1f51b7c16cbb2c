//! From a graph to a decoder: layers where it is a chain, else a graph.

use super::super::error::ImportError;
use super::super::exported::ExportedDecoder;
use super::chain::chain;
use super::constant::ExternalData;
use super::interface::{
    check_batch, check_output, inputs, needed, of_batch, the_output, traced_batch,
};
use super::opsets::Opsets;
use super::proto::ModelProto;
use super::{branches, graph, rewrite};

/// Follows a graph from its inputs to its output: as layers one after another if it is
/// that, else as a graph.
pub fn lower(
    model: ModelProto,
    external_data: ExternalData,
    output: Option<&str>,
) -> Result<ExportedDecoder, ImportError> {
    let mut graph = model
        .graph
        .ok_or_else(|| ImportError::file("the file holds no graph; is it an ONNX file?"))?;
    let sets = Opsets::of(&model.opset_import)?;
    let output = the_output(&graph, output)?.to_owned();
    check_output(&graph, &output)?;
    rewrite::softplus(&mut graph, &sets);
    branches::take(&mut graph, &sets, &output, external_data)?;
    let graph = &graph;
    let needed = needed(graph, &output);
    let inputs = inputs(graph, &needed)?;
    let batch = traced_batch(graph, inputs[0], &output);
    let as_graph = || graph::lower(graph, &sets, &inputs, &output, batch, external_data);
    if let [input] = inputs[..]
        && let Ok(exported) = chain(graph, &sets, input, &output, &needed, batch, external_data)
    {
        return match exported.is_rearranged().then(as_graph) {
            Some(Ok(graph)) => Ok(exported.or(graph)),
            _ => Ok(exported),
        };
    }
    let exported = as_graph().map_err(|error| of_batch(error, graph, &inputs, &output))?;
    check_batch(graph, &inputs, &output, exported.shape())?;
    // A softmax is no layer, so what ends in one is a graph.
    let mut made = graph
        .node
        .iter()
        .filter(|node| node.output.contains(&output));
    let last = made.next().and_then(|node| sets.operator(node));
    Ok(match last.map(|operator| operator.name) {
        Some("Softmax" | "LogSoftmax") => exported.of_softmax(),
        _ => exported,
    })
}
