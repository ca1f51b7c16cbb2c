//! Where a decoder's values stop being numbers.

use candle_layers::GraphNetwork;
use candle_layers::graph::as_stored;
use decode::architecture::graph::Operation;
use decode::architecture::{Graph, flows};
use decode::weights::Tensors;

use super::error::ImportError;

/// What is said of a decoder that gives an instance with values that are infinite or no number:
/// `row` is that of the latents, from 0.
pub fn refusal(
    graph: Option<&Graph>,
    tensors: &Tensors,
    input: &[f32],
    instance: &[f32],
    row: usize,
) -> ImportError {
    // What is no number often comes of an infinity that was meant, as in a mask.
    let (what, is): (_, fn(f32) -> bool) = if instance.iter().any(|v| v.is_nan()) {
        ("values that are no numbers (NaN)", f32::is_nan)
    } else {
        ("infinite values", |v| !v.is_finite())
    };
    let place = graph.and_then(|graph| place(graph, tensors, input, is));
    let place = place.map_or_else(String::new, |place| {
        format!("; they first appear in {place}")
    });
    ImportError::Decoded(format!(
        "row {} of the latents decodes to {what}{place}. Are the latents those of this decoder? If so, mend the decoder: a division by 0, the root or logarithm of a negative number, or a power too large",
        row + 1
    ))
}

/// The node, or the layer of a run, that first gives a value of which `is` holds.
fn place(graph: &Graph, tensors: &Tensors, input: &[f32], is: fn(f32) -> bool) -> Option<String> {
    let network = |graph: &Graph| {
        GraphNetwork::new(graph, input.len(), &as_stored(tensors), tensors, false).ok()
    };
    let (name, kind) = network(graph)?.first(input, is).ok()??;
    let at = graph.nodes.iter().position(|node| node.name == name)?;
    let node = &graph.nodes[at];
    let layers = match &node.operation {
        Operation::Layers { layers, .. } => layers,
        Operation::Pair { function } => return Some(format!("node {name:?} ({function:?})")),
        Operation::Map { function } => return Some(format!("node {name:?} ({function:?})")),
        _ => return Some(format!("node {name:?} ({kind})")),
    };
    let shapes = graph.shapes(input.len()).ok()?;
    let width = shapes.get(node.of.first()?.as_str())?.iter().product();
    // Layer by layer: the first that ends in such a value.
    for count in 1..=layers.len() {
        let first = layers[..count].to_vec();
        let shape = vec![flows(&first, width).ok()?.last()?.len()];
        let mut part = graph.clone();
        part.nodes.truncate(at + 1);
        part.nodes[at].operation = Operation::Layers {
            layers: first,
            shape,
        };
        part.output.clone_from(&name);
        if network(&part)?.decode(input).ok()?.into_iter().any(is) {
            let layer = &layers[count - 1];
            return Some(match layer.name() {
                Some(own) => format!("layer {own:?} ({})", layer.kind()),
                None => format!("layer {count} of {} ({})", layers.len(), layer.kind()),
            });
        }
    }
    None
}
