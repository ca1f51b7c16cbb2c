//! Networks that are computed here and not imported: encoders, and what is explained.

use candle_layers::GraphNetwork;
use candle_layers::graph::as_stored;
use domain::model::InstanceShape;

use super::error::ImportError;
use super::exported::ExportedDecoder;
use super::graph::as_graph;
use super::layout::Layout;
use arrays::NumericArray;

/// A network from a file, ready to be computed for rows of numbers.
pub struct RowNetwork {
    network: GraphNetwork,
    width: usize,
    outputs: usize,
}

impl RowNetwork {
    /// Makes a network ready.
    ///
    /// # Errors
    /// When what was exported is no network, or it cannot be computed.
    pub fn new(exported: ExportedDecoder) -> Result<Self, ImportError> {
        let width = exported.width();
        let outputs = exported.shape().iter().product();
        let shape = Some(InstanceShape::series(outputs, 1));
        let layout = Layout::of(exported.shape(), shape, None)
            .map_err(|problem| ImportError::Wishes(vec![problem.to_string()]))?;
        let (architecture, tensors) = exported.into_architecture(&layout)?;
        let graph = as_graph(&architecture, outputs);
        let graph = graph.ok_or_else(|| ImportError::file("a formula is no network"))?;
        let network = GraphNetwork::new(&graph, width, &as_stored(&tensors), &tensors, true)
            .map_err(failed)?;
        Ok(Self {
            network,
            width,
            outputs,
        })
    }

    /// Numbers of a row that it takes.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Numbers that it gives for a row.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// What it gives for a row.
    ///
    /// # Errors
    /// When the row has another length, or candle cannot compute it.
    pub fn of_row(&self, row: &[f64]) -> Result<Vec<f64>, ImportError> {
        let row: Vec<f32> = row.iter().map(|&v| v as f32).collect();
        let found = self.network.decode(&row).map_err(failed)?;
        Ok(found.into_iter().map(f64::from).collect())
    }
}

fn failed(error: candle_layers::Error) -> ImportError {
    ImportError::Decoded(format!("the network: {error}"))
}

/// Runs instances, a row each, through an encoder; gives their latent vectors.
///
/// # Errors
/// When the rows are no inputs of the encoder, or it cannot be computed.
pub fn encode(
    encoder: ExportedDecoder,
    instances: &NumericArray,
) -> Result<NumericArray, ImportError> {
    let encoder = RowNetwork::new(encoder)?;
    if instances.width() != encoder.width {
        return Err(ImportError::file(format!(
            "the instances have rows of {} values, the encoder takes {}",
            instances.width(),
            encoder.width
        )));
    }
    let mut values = Vec::with_capacity(instances.rows() * encoder.outputs);
    for row in instances.iter() {
        values.extend(encoder.of_row(row)?);
    }
    Ok(NumericArray {
        shape: vec![instances.rows(), encoder.outputs],
        values,
    })
}
