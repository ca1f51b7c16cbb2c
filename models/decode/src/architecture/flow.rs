//! What flows between layers, and whether they fit together.

use kernels::{side_down, side_up};

use super::Layer;

/// What flows between two layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// A vector.
    Flat(usize),
    /// Maps.
    Maps {
        /// Number of maps.
        channels: usize,
        /// Rows of a map.
        height: usize,
        /// Columns of a map.
        width: usize,
    },
}

impl Flow {
    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match *self {
            Self::Flat(n) => n,
            Self::Maps {
                channels,
                height,
                width,
            } => channels * height * width,
        }
    }

    /// Whether nothing flows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl std::fmt::Display for Flow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Flat(n) => write!(f, "a vector of {n}"),
            Self::Maps {
                channels,
                height,
                width,
            } => write!(f, "{channels} maps of {height}×{width}"),
        }
    }
}

/// Largest number of values that may flow between two layers: far above any real
/// decoder, low enough that a hostile card cannot ask for all memory.
pub const MAX_FLOW: usize = 1 << 24;

/// Why layers do not fit together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayerError {
    /// There is no layer.
    #[error("a sequential decoder needs at least one layer")]
    NoLayers,
    /// A layer is fed something it does not take.
    #[error("layer {index} ({layer}) takes {expected} and gets {found}")]
    Mismatch {
        /// 0-based index of the layer.
        index: usize,
        /// Its kind.
        layer: &'static str,
        /// What it takes.
        expected: String,
        /// What it gets.
        found: Flow,
    },
    /// A layer's own numbers make no sense.
    #[error("layer {index} ({layer}): {problem}")]
    Impossible {
        /// 0-based index of the layer.
        index: usize,
        /// Its kind.
        layer: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// Two layers claim the same tensors.
    #[error("layers {first} and {second} are both named {name:?}")]
    DuplicateName {
        /// 0-based index of one.
        first: usize,
        /// 0-based index of the other.
        second: usize,
        /// The name.
        name: String,
    },
}

impl Layer {
    /// What comes out when `input` goes in.
    fn output(&self, index: usize, input: Flow) -> Result<Flow, LayerError> {
        let mismatch = |expected: String| LayerError::Mismatch {
            index,
            layer: self.kind(),
            expected,
            found: input,
        };
        let impossible = |problem: &str| LayerError::Impossible {
            index,
            layer: self.kind(),
            problem: problem.to_owned(),
        };
        let output = match *self {
            Self::Dense {
                inputs, outputs, ..
            } => match input {
                Flow::Flat(n) if n == inputs => Flow::Flat(outputs),
                _ => return Err(mismatch(Flow::Flat(inputs).to_string())),
            },
            Self::Reshape {
                channels,
                height,
                width,
                ..
            } => {
                let maps = [channels, height, width]
                    .iter()
                    .try_fold(1usize, |n, &k| n.checked_mul(k));
                match input {
                    Flow::Flat(n) if Some(n) == maps => Flow::Maps {
                        channels,
                        height,
                        width,
                    },
                    _ => {
                        return Err(mismatch(format!("a vector of {channels}·{height}·{width}")));
                    }
                }
            }
            Self::Conv {
                inputs,
                outputs,
                kernel,
                stride,
                padding,
                groups,
                ..
            }
            | Self::ConvTranspose {
                inputs,
                outputs,
                kernel,
                stride,
                padding,
                groups,
                ..
            } => {
                let Flow::Maps {
                    channels,
                    height,
                    width,
                } = input
                else {
                    return Err(mismatch(format!("{inputs} maps")));
                };
                if channels != inputs {
                    return Err(mismatch(format!("{inputs} maps")));
                }
                if kernel == 0 || stride == 0 {
                    return Err(impossible("kernel and stride must be positive"));
                }
                if groups == 0 || inputs % groups != 0 || outputs % groups != 0 {
                    return Err(impossible(&format!(
                        "{inputs} maps in and {outputs} out do not come in {groups} equal groups"
                    )));
                }
                let transposed = matches!(self, Self::ConvTranspose { .. });
                if !transposed && padding.least() < 0 {
                    return Err(impossible("the padding of a convolution is not negative"));
                }
                let side = if transposed { side_up } else { side_down };
                let (rows, columns) = padding.sums();
                match (
                    side(height, kernel, stride, rows),
                    side(width, kernel, stride, columns),
                ) {
                    (Some(height), Some(width)) => Flow::Maps {
                        channels: outputs,
                        height,
                        width,
                    },
                    _ => return Err(impossible("the padding leaves no output")),
                }
            }
            Self::Upsample { scale } => {
                let Flow::Maps {
                    channels,
                    height,
                    width,
                } = input
                else {
                    return Err(mismatch("maps".to_owned()));
                };
                match (height.checked_mul(scale), width.checked_mul(scale)) {
                    (Some(height), Some(width)) => Flow::Maps {
                        channels,
                        height,
                        width,
                    },
                    _ => return Err(impossible("its output is empty or too large")),
                }
            }
            Self::BatchNorm { channels, eps, .. } => {
                if !eps.is_finite() || eps < 0.0 {
                    return Err(impossible("eps must be a number that is not negative"));
                }
                let found = match input {
                    Flow::Flat(n) => n,
                    Flow::Maps { channels, .. } => channels,
                };
                if found != channels {
                    return Err(mismatch(format!("{channels} channels")));
                }
                input
            }
            Self::Activation { function } => {
                if !function.is_computable() {
                    return Err(impossible("its slope or alpha is too large a number"));
                }
                input
            }
            Self::Flatten { .. } => match input {
                Flow::Maps { .. } => Flow::Flat(input.len()),
                Flow::Flat(_) => return Err(mismatch("maps".to_owned())),
            },
        };
        let size = match output {
            Flow::Flat(n) => Some(n),
            Flow::Maps {
                channels,
                height,
                width,
            } => channels
                .checked_mul(height)
                .and_then(|n| n.checked_mul(width)),
        };
        match size {
            Some(1..=MAX_FLOW) => Ok(output),
            _ => Err(impossible("its output is empty or too large")),
        }
    }
}

/// What each layer gives when a vector of `width` values enters the first one:
/// one [`Flow`] per layer.
///
/// # Errors
/// Names the first layer that cannot take what it is given.
pub fn flows(layers: &[Layer], width: usize) -> Result<Vec<Flow>, LayerError> {
    if layers.is_empty() {
        return Err(LayerError::NoLayers);
    }
    for (second, layer) in layers.iter().enumerate() {
        let Some(name) = layer.name() else { continue };
        if let Some(first) = layers[..second].iter().position(|l| l.name() == Some(name)) {
            return Err(LayerError::DuplicateName {
                first,
                second,
                name: name.to_owned(),
            });
        }
    }
    let mut flow = Flow::Flat(width);
    let mut flows = Vec::with_capacity(layers.len());
    for (index, layer) in layers.iter().enumerate() {
        flow = layer.output(index, flow)?;
        flows.push(flow);
    }
    Ok(flows)
}
