//! A graph as far as it has been followed: the layers so far, and where values lie in what they give.

use std::collections::BTreeMap;

use super::super::builder::{Builder, Places};
use super::constant::Constant;

/// Something that flows from the latent vector to the instance.
#[derive(Debug, Clone)]
pub struct View {
    /// Its shape in the graph, with a batch of 1 in front.
    pub shape: Vec<usize>,
    /// Where its values are in what the layers so far give.
    pub places: Places,
    /// Number of layers of the graph before it: it can be used as long as there is no other.
    pub stage: usize,
}

/// A value of the graph.
#[derive(Debug, Clone)]
pub enum ChainValue {
    /// The same for every latent vector.
    Constant(Constant),
    /// What the decoder computes.
    Flow(View),
}

/// The graph as far as it has been followed.
pub struct Lowering {
    /// The layers so far.
    pub builder: Builder,
    /// Number of the graph's layers so far.
    pub stage: usize,
    /// Size of the batch that was traced into the graph; 1 where none was.
    pub batch: usize,
    /// The values that are known, by name.
    pub values: BTreeMap<String, ChainValue>,
}

impl Lowering {
    /// Nothing yet of a decoder that takes `width` values.
    pub fn new(width: usize, batch: usize) -> Self {
        Self {
            builder: Builder::new(width),
            stage: 0,
            batch,
            values: BTreeMap::new(),
        }
    }
}

/// The view of what the last layer gives, all of it in its own order.
pub fn whole(graph: &mut Lowering, shape: Vec<usize>) -> View {
    graph.stage += 1;
    View {
        shape,
        places: None,
        stage: graph.stage,
    }
}
