//! Latents that are not in a file of their own: made by an encoder, or inside the ONNX file.

use candle_layers::GraphNetwork;
use candle_layers::graph::as_stored;
use domain::model::InstanceShape;

use super::error::ImportError;
use super::exported::ExportedDecoder;
use super::graph::as_graph;
use super::layout::Layout;
use arrays::NumericArray;

/// Runs instances, a row each, through an encoder; gives their latent vectors.
///
/// # Errors
/// When the rows are no inputs of the encoder, or it cannot be computed.
pub fn encode(
    encoder: ExportedDecoder,
    instances: &NumericArray,
) -> Result<NumericArray, ImportError> {
    let width = encoder.width();
    if instances.width() != width {
        return Err(ImportError::file(format!(
            "the instances have rows of {} values, the encoder takes {width}",
            instances.width()
        )));
    }
    let points = encoder.shape().iter().product();
    let shape = Some(InstanceShape::series(points, 1));
    let layout = Layout::of(encoder.shape(), shape, None)
        .map_err(|problem| ImportError::Wishes(vec![problem.to_string()]))?;
    let (architecture, tensors) = encoder.into_architecture(&layout)?;
    let graph = as_graph(&architecture, points);
    let graph = graph.ok_or_else(|| ImportError::file("a formula is no encoder"))?;
    let failed =
        |error: candle_layers::Error| ImportError::Decoded(format!("the encoder: {error}"));
    let network =
        GraphNetwork::new(&graph, width, &as_stored(&tensors), &tensors, true).map_err(failed)?;
    let mut values = Vec::with_capacity(instances.rows() * points);
    for row in instances.iter() {
        let row: Vec<f32> = row.iter().map(|&v| v as f32).collect();
        let latents = network.decode(&row).map_err(failed)?;
        values.extend(latents.into_iter().map(f64::from));
    }
    Ok(NumericArray {
        shape: vec![instances.rows(), points],
        values,
    })
}
