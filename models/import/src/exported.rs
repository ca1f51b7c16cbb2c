//! A decoder as a file has it, before it is known what its values make.

use decode::architecture::{Activation, Layer, flows};
use decode::weights::Tensors;

use super::builder::{Builder, Places};
use super::error::ImportError;
use super::layout::Layout;
use super::onnx::compose;

/// A decoder read from a file.
#[derive(Debug, Clone)]
pub struct Exported {
    /// Its layers.
    pub(super) builder: Builder,
    /// Number of values it takes.
    pub(super) width: usize,
    /// Shape of its output, without the batch.
    pub(super) shape: Vec<usize>,
    /// Where the output's values are in what the layers give.
    pub(super) places: Places,
}

impl Exported {
    /// Number of values it takes.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Shape of its output, without the batch.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Adds a sigmoid: for a decoder trained with its sigmoid in the loss.
    pub fn add_sigmoid(&mut self) {
        self.builder.activation(Activation::Sigmoid);
    }

    /// Maps `black` to 0 and `white` to 1, for a decoder whose pictures have other ends.
    ///
    /// # Errors
    /// When the two are the same, or no numbers.
    pub fn rescale(&mut self, black: f64, white: f64) -> Result<(), ImportError> {
        let (scale, shift) = (1.0 / (white - black), -black / (white - black));
        if !scale.is_finite() || !shift.is_finite() {
            return Err(ImportError::Wishes(vec![format!(
                "values from {black} to {white} cannot be brought to 0 … 1"
            )]));
        }
        let channels = self.builder.channels();
        self.builder
            .affine("rescale", &vec![scale; channels], &vec![shift; channels]);
        Ok(())
    }

    /// The layers and their tensors, so that what comes out is an instance.
    ///
    /// # Errors
    /// When the values come in an order that no layer can make.
    pub fn into_layers(mut self, layout: &Layout) -> Result<(Vec<Layer>, Tensors), ImportError> {
        let places = compose(&self.places, layout.places());
        self.builder
            .arrange_instance(layout.sides(), &places)
            .map_err(|problem| ImportError::file(format!("the decoder's output: {problem}")))?;
        let Builder {
            layers, tensors, ..
        } = self.builder;
        // The lowering keeps count itself; a card is checked by these rules.
        flows(&layers, self.width).map_err(|error| ImportError::file(error.to_string()))?;
        for (name, (_, values)) in &tensors {
            if let Some(value) = values.iter().find(|v| !v.is_finite()) {
                return Err(ImportError::tensor(
                    name,
                    format!("it holds {value} once put together"),
                ));
            }
        }
        Ok((layers, tensors))
    }
}
