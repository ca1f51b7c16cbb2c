//! A decoder as a file has it, before it is known what its values make.

use decode::architecture::graph::{Function, Operation, PairFunction};
use decode::architecture::{Activation, Architecture, flows};
use decode::weights::Tensors;
use domain::model::InstanceShape;

use super::builder::{Builder, Places, compose};
use super::error::ImportError;
use super::graph::{GraphBuilder, Wire};
use super::layout::{Layout, LayoutError, TEXT};

/// A decoder read from a file.
#[derive(Debug, Clone)]
pub struct ExportedDecoder {
    body: Body,
    width: usize,
    shape: Vec<usize>,
    inputs: Vec<(String, usize)>,
    /// Whether it ends in a softmax, as scores of tokens do.
    scores: bool,
    /// The same as a graph, where it may be that no layer can bring the output in order.
    otherwise: Option<Box<ExportedDecoder>>,
}

#[derive(Debug, Clone)]
enum Body {
    /// Layers, and where the output's values are in what they give.
    Layers(Builder, Places),
    /// A graph, and its output.
    Graph(GraphBuilder, Wire),
}

impl ExportedDecoder {
    /// Layers that take `width` values; the output has `shape` (without the batch) and
    /// its values are at `places` in what the layers give.
    pub(super) fn of_layers(
        builder: Builder,
        width: usize,
        shape: Vec<usize>,
        places: Places,
    ) -> Self {
        Self {
            body: Body::Layers(builder, places),
            width,
            shape,
            inputs: Vec::new(),
            scores: false,
            otherwise: None,
        }
    }

    /// The same, with a graph to fall back on where no layer can bring the output into the
    /// order of an instance.
    pub(super) fn or(mut self, otherwise: Self) -> Self {
        self.otherwise = Some(Box::new(otherwise));
        self
    }

    /// Whether the output's values are not as the layers give them.
    pub(super) fn is_rearranged(&self) -> bool {
        matches!(self.body, Body::Layers(_, Some(_)))
    }

    /// A graph that takes the inputs (name and number of values) one after the other.
    pub(super) fn of_graph(
        builder: GraphBuilder,
        output: Wire,
        shape: Vec<usize>,
        inputs: Vec<(String, usize)>,
    ) -> Self {
        Self {
            body: Body::Graph(builder, output),
            width: inputs.iter().map(|&(_, width)| width).sum(),
            shape,
            inputs,
            scores: false,
            otherwise: None,
        }
    }

    /// The same, whose output is that of a softmax.
    pub(super) fn of_softmax(mut self) -> Self {
        self.scores = true;
        self
    }

    /// How its output is read as an instance, as [`Layout::of`] says; rows of scores are no picture
    /// unless a shape says so.
    ///
    /// # Errors
    /// Says what does not fit, or what has to be told.
    pub fn layout(
        &self,
        shape: Option<InstanceShape>,
        channels_last: Option<bool>,
    ) -> Result<Layout, LayoutError> {
        let mut sides = self.shape.iter().filter(|&&side| side != 1);
        if let (true, None, Some(places), Some(tokens), None) =
            (self.scores, shape, sides.next(), sides.next(), sides.next())
        {
            return Err(LayoutError::Shape(format!(
                "the decoder ends in a softmax and gives {:?}: scores of {tokens} tokens at {places} places? {TEXT}. If it is a picture or curves after all, say so with --shape",
                self.shape
            )));
        }
        Layout::of(&self.shape, shape, channels_last)
    }

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

    /// Its inputs where it has several: name and number of values, in the order in which a
    /// latent vector holds them.
    #[must_use]
    pub fn inputs(&self) -> &[(String, usize)] {
        if self.inputs.len() > 1 {
            &self.inputs
        } else {
            &[]
        }
    }

    /// Adds a sigmoid: for a decoder trained with its sigmoid in the loss.
    ///
    /// # Errors
    /// When the decoder's output is empty or too large.
    pub fn add_sigmoid(&mut self) -> Result<(), ImportError> {
        if let Some(otherwise) = &mut self.otherwise {
            otherwise.add_sigmoid()?;
        }
        let function = Activation::Sigmoid;
        match &mut self.body {
            Body::Layers(builder, _) => builder.activation(function),
            Body::Graph(builder, output) => {
                let operation = Operation::Activation { function };
                *output = builder
                    .add("sigmoid", operation, &[output])
                    .map_err(ImportError::file)?;
            }
        }
        Ok(())
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
        if let Some(otherwise) = &mut self.otherwise {
            otherwise.rescale(black, white)?;
        }
        match &mut self.body {
            Body::Layers(builder, _) => {
                let channels = builder.channels();
                builder.affine("rescale", &vec![scale; channels], &vec![shift; channels]);
            }
            Body::Graph(builder, output) => {
                for (name, number, function) in [
                    ("scaled", scale, PairFunction::Multiply),
                    ("shifted", shift, PairFunction::Add),
                ] {
                    let made = builder
                        .constant(&format!("{name}-by"), &[1], &[number as f32])
                        .and_then(|number| {
                            builder.add(name, Operation::Pair { function }, &[output, &number])
                        });
                    *output = made.map_err(ImportError::file)?;
                }
            }
        }
        Ok(())
    }

    /// Makes 0 of what is below and 1 of what is above, for a decoder whose pictures overshoot.
    ///
    /// # Errors
    /// When the decoder's output is empty or too large.
    pub fn clip(&mut self) -> Result<(), ImportError> {
        if let Some(otherwise) = &mut self.otherwise {
            otherwise.clip()?;
        }
        match &mut self.body {
            // Layers have no other bound: 1 − max(1 − max(x, 0), 0).
            Body::Layers(builder, _) => {
                for name in ["clip-below", "clip-above"] {
                    builder.activation(Activation::Relu);
                    let channels = builder.channels();
                    builder.affine(name, &vec![-1.0; channels], &vec![1.0; channels]);
                }
            }
            Body::Graph(builder, output) => {
                let function = Function::Clip {
                    min: Some(0.0),
                    max: Some(1.0),
                };
                *output = builder
                    .add("clipped", Operation::Map { function }, &[output])
                    .map_err(ImportError::file)?;
            }
        }
        Ok(())
    }

    /// The architecture and its tensors, so that what comes out is an instance.
    ///
    /// # Errors
    /// When the values come in an order that no layer can make.
    pub fn into_architecture(
        self,
        layout: &Layout,
    ) -> Result<(Architecture, Tensors), ImportError> {
        let output =
            |problem: String| ImportError::file(format!("the decoder's output: {problem}"));
        let (architecture, tensors) = match self.body {
            Body::Layers(mut builder, places) => {
                let places = compose(&places, layout.places());
                let arranged = builder.arrange_instance(layout.sides(), &places);
                if let (Err(_), Some(otherwise)) = (&arranged, self.otherwise) {
                    return otherwise.into_architecture(layout);
                }
                arranged.map_err(output)?;
                let Builder {
                    layers, tensors, ..
                } = builder;
                // The lowering keeps count itself; a card is checked by these rules.
                flows(&layers, self.width).map_err(|error| ImportError::file(error.to_string()))?;
                (Architecture::Sequential { layers }, tensors)
            }
            Body::Graph(builder, wire) => {
                let (graph, tensors) = builder.finish(&wire, layout).map_err(output)?;
                (Architecture::Graph(graph), tensors)
            }
        };
        for (name, (_, values)) in &tensors {
            if let Some(value) = values.iter().find(|v| !v.is_finite()) {
                return Err(ImportError::tensor(
                    name,
                    format!("it holds {value} once put together"),
                ));
            }
        }
        Ok((architecture, tensors))
    }
}
