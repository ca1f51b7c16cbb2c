//! Puts graphs together: nodes, their shapes and their tensors.

use std::collections::BTreeSet;

use decode::architecture::graph::{GraphNode, INPUT, Operation};
use decode::architecture::{Architecture, Graph};
use decode::weights::Tensors;

use super::builder::plain;
use super::layout::Layout;

/// A value of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Wire {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
}

/// A graph being put together.
#[derive(Debug, Clone)]
pub struct GraphBuilder {
    width: usize,
    nodes: Vec<GraphNode>,
    tensors: Tensors,
    names: BTreeSet<String>,
}

impl GraphBuilder {
    /// Nothing but the input, a vector of `width` values.
    pub fn new(width: usize) -> Self {
        Self {
            width,
            nodes: Vec::new(),
            tensors: Tensors::new(),
            names: BTreeSet::from([INPUT.to_owned()]),
        }
    }

    /// The decoder's input.
    pub fn input(&self) -> Wire {
        Wire {
            name: INPUT.to_owned(),
            shape: vec![self.width],
        }
    }

    /// What makes a value, unless it is the input.
    pub fn maker(&self, wire: &Wire) -> Option<&GraphNode> {
        self.nodes.iter().rfind(|node| node.name == wire.name)
    }

    /// Adds an operation on values; `wish` is what its value would best be called.
    ///
    /// # Errors
    /// When the values do not fit the operation.
    pub fn add(&mut self, wish: &str, operation: Operation, of: &[&Wire]) -> Result<Wire, String> {
        let shapes: Vec<&[usize]> = of.iter().map(|wire| wire.shape.as_slice()).collect();
        let shape = operation.shape(&shapes)?;
        let operation = match (operation, of) {
            (Operation::Reshape { .. } | Operation::Expand { .. }, [x]) if x.shape == shape => {
                return Ok((*x).clone());
            }
            (Operation::Concat { .. }, [x]) => return Ok((*x).clone()),
            (Operation::Transpose { order }, [x]) if keeps_places(&order, &x.shape) => {
                if x.shape == shape {
                    return Ok((*x).clone());
                }
                Operation::Reshape {
                    shape: shape.clone(),
                }
            }
            (operation, _) => operation,
        };
        let name = self.unused(wish);
        self.nodes.push(GraphNode {
            name: name.clone(),
            of: of.iter().map(|wire| wire.name.clone()).collect(),
            operation,
        });
        Ok(Wire { name, shape })
    }

    /// Adds a constant. What is the same along an axis is stored once.
    ///
    /// # Errors
    /// When it is empty or too large.
    pub fn constant(
        &mut self,
        wish: &str,
        shape: &[usize],
        values: &[f32],
    ) -> Result<Wire, String> {
        let (small, kept) = once(shape, values);
        let operation = Operation::Constant {
            shape: small.clone(),
        };
        let constant = self.add(wish, operation, &[])?;
        self.tensors.insert(constant.name.clone(), (small, kept));
        let shape = shape.to_vec();
        self.add(wish, Operation::Expand { shape }, &[&constant])
    }

    /// Adds layers with their tensors, whose names may have to change.
    ///
    /// # Errors
    /// When the layers do not take the value, or do not give one of `shape`.
    pub fn layers(
        &mut self,
        wish: &str,
        mut layers: Vec<decode::architecture::Layer>,
        mut tensors: Tensors,
        x: &Wire,
        shape: Vec<usize>,
    ) -> Result<Wire, String> {
        for layer in &mut layers {
            let old: Vec<String> = layer.tensors().into_iter().map(|(name, _)| name).collect();
            let Some(name) = layer.name().map(str::to_owned) else {
                continue;
            };
            let taken = |name: &str, tensors: &Tensors| {
                let prefix = format!("{name}.");
                tensors.keys().any(|key| key.starts_with(&prefix))
            };
            let mut new = name.clone();
            let mut n = 1;
            while taken(&new, &self.tensors) {
                n += 1;
                new = format!("{name}-{n}");
            }
            layer.rename(&new);
            for (old, (now, _)) in old.into_iter().zip(layer.tensors()) {
                if let Some(tensor) = tensors.remove(&old) {
                    self.tensors.insert(now, tensor);
                }
            }
        }
        self.add(wish, Operation::Layers { layers, shape }, &[x])
    }

    /// The graph whose output is `output`, as an instance is laid out, and its tensors.
    ///
    /// # Errors
    /// When the output is none of the layout.
    pub fn finish(mut self, output: &Wire, layout: &Layout) -> Result<(Graph, Tensors), String> {
        let count = output.shape.iter().product::<usize>();
        let mut last = output.clone();
        if layout.places().is_some() {
            let (height, width, channels) = layout.sides();
            let shape = vec![channels, height * width];
            last = self.add("maps", Operation::Reshape { shape }, &[&last])?;
            let order = vec![1, 0];
            last = self.add("pixels", Operation::Transpose { order }, &[&last])?;
        }
        if layout.shape.len() != count {
            return Err(format!("it gives {count} values, which are no instance"));
        }
        let graph = self.only(&last);
        graph
            .shapes(self.width)
            .map_err(|error| error.to_string())?;
        let mut tensors = Tensors::new();
        for (name, _) in graph.nodes.iter().flat_map(GraphNode::tensors) {
            if let Some((name, tensor)) = self.tensors.remove_entry(&name) {
                tensors.insert(name, tensor);
            }
        }
        Ok((graph, tensors))
    }

    /// The graph of what a value needs, and all tensors.
    pub fn for_trial(self, output: &Wire) -> (Graph, Tensors) {
        (self.only(output), self.tensors)
    }

    /// What a value needs.
    fn only(&self, output: &Wire) -> Graph {
        let mut needed = BTreeSet::from([output.name.as_str()]);
        let mut nodes: Vec<GraphNode> = Vec::new();
        for node in self.nodes.iter().rev() {
            if needed.contains(node.name.as_str()) {
                needed.extend(node.of.iter().map(String::as_str));
                nodes.push(node.clone());
            }
        }
        nodes.reverse();
        Graph {
            nodes,
            output: output.name.clone(),
        }
    }

    /// A name that no value has, like the one wished for.
    fn unused(&mut self, wish: &str) -> String {
        let clean = plain(wish);
        let clean = clean.trim_matches(['.', '_']);
        let wish = if clean.is_empty() { "value" } else { clean };
        let mut name = wish.to_owned();
        let mut n = 1;
        // Tensors of layers are called NAME.weight, too.
        while self.names.contains(&name) || self.tensors.contains_key(&name) {
            n += 1;
            name = format!("{wish}-{n}");
        }
        self.names.insert(name.clone());
        name
    }
}

/// An architecture as a graph that gives `len` values; `None` of a formula.
#[must_use]
pub fn as_graph(architecture: &Architecture, len: usize) -> Option<Graph> {
    match architecture {
        Architecture::Graph(graph) => Some(graph.clone()),
        Architecture::Sequential { layers } => Some(Graph {
            nodes: vec![GraphNode {
                name: "decoder".to_owned(),
                of: vec![INPUT.to_owned()],
                operation: Operation::Layers {
                    layers: layers.clone(),
                    shape: vec![len],
                },
            }],
            output: "decoder".to_owned(),
        }),
        Architecture::ClosedForm { .. } => None,
    }
}

/// Number of weights of an architecture.
#[must_use]
pub fn parameters(architecture: &Architecture) -> usize {
    let count = |tensors: Vec<(String, Vec<usize>)>| -> usize {
        let sizes = tensors
            .iter()
            .map(|(_, shape)| shape.iter().product::<usize>());
        sizes.sum()
    };
    match architecture {
        Architecture::Sequential { layers } => layers.iter().map(|l| count(l.tensors())).sum(),
        Architecture::Graph(graph) => graph.nodes.iter().map(|n| count(n.tensors())).sum(),
        Architecture::ClosedForm { .. } => 0,
    }
}

/// Whether axes in another order leave every value at its place: only those of size 1 move.
fn keeps_places(order: &[usize], shape: &[usize]) -> bool {
    let moved: Vec<usize> = order
        .iter()
        .copied()
        .filter(|&axis| shape[axis] > 1)
        .collect();
    moved.is_sorted()
}

/// A constant without repetition: axes along which all is the same get size 1.
fn once(shape: &[usize], values: &[f32]) -> (Vec<usize>, Vec<f32>) {
    let (mut shape, mut values) = (shape.to_vec(), values.to_vec());
    for axis in 0..shape.len() {
        let inner: usize = shape[axis + 1..].iter().product();
        let size = shape[axis];
        let block = size * inner;
        let same = |block: &[f32]| {
            let first = &block[..inner];
            block.chunks_exact(inner).all(|part| {
                let bits = |v: &f32| v.to_bits();
                part.iter().map(bits).eq(first.iter().map(bits))
            })
        };
        if size > 1 && inner > 0 && values.chunks_exact(block).all(same) {
            values = values
                .chunks_exact(block)
                .flat_map(|block| block[..inner].to_vec())
                .collect();
            shape[axis] = 1;
        }
    }
    (shape, values)
}
