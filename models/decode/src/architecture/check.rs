//! Whether a decoder takes the latent space and gives the instances of its model.

use super::graph::GraphError;
use super::{Architecture, Flow, LayerError, flows};

/// Why a decoder is none of its model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchitectureError {
    /// Its layers do not fit together.
    #[error(transparent)]
    Layers(#[from] LayerError),
    /// A graph cannot be computed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The decoder's output is no instance of the model.
    #[error("the decoder gives {found}, an instance has {expected} values")]
    Output {
        /// Number of values of an instance.
        expected: usize,
        /// What the decoder gives.
        found: Flow,
    },
    /// The decoder's input is no vector of the latent space.
    #[error("the decoder takes {found} values, the latent space has {expected}")]
    Input {
        /// Width of the latent space (dimensions for a formula).
        expected: usize,
        /// Number of values the decoder takes.
        found: usize,
    },
}

impl Architecture {
    /// Checks that the decoder takes a latent space of `dimensions` dimensions and
    /// `width` decoder inputs, and gives instances of `instance_len` values.
    ///
    /// # Errors
    /// Names the first place where two sizes do not meet.
    pub fn check(
        &self,
        dimensions: usize,
        width: usize,
        instance_len: usize,
    ) -> Result<(), ArchitectureError> {
        let found = match self {
            Self::Sequential { layers } => {
                let flows = flows(layers, width)?;
                flows.last().copied().unwrap_or(Flow::Flat(width))
            }
            Self::Graph(graph) => match graph.instance_len(width)? {
                Some(len) => Flow::Flat(len),
                // Whoever computes it checks it.
                None => return Ok(()),
            },
            Self::ClosedForm { formula } => {
                if formula.dimensions() != dimensions {
                    return Err(ArchitectureError::Input {
                        expected: dimensions,
                        found: formula.dimensions(),
                    });
                }
                Flow::Flat(formula.instance_len())
            }
        };
        if found.len() == instance_len {
            Ok(())
        } else {
            Err(ArchitectureError::Output {
                expected: instance_len,
                found,
            })
        }
    }
}

#[cfg(test)]
mod tests;
