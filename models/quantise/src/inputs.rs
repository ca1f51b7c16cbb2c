//! Inputs that the weights of a decoder are multiplied with.

use candle_core::{Device, Tensor};
use decode::architecture::graph::{INPUT, Operation};
use decode::architecture::{Graph, Layer, Padding, Units};
use decode::kernels::patches::Patches;
use decode::kernels::{side_down, side_up};
use decode::weights::Tensors;
use models::BundleError;

use crate::compensate::{CholeskyFactor, GramMatrix, matrix};
use crate::forward::{Body, network};

/// Most numbers that are multiplied with the weights of one unit: their products with each
/// other have to fit memory, and a matrix of them is decomposed.
const MOST_INPUTS: usize = 4096;
/// Rows that are enough: a convolution sees many in one instance.
const ROWS: usize = 16_000;
/// Decoder inputs taken at a time: for a dense layer, and for a convolution, whose rows are
/// many and wide.
const CHUNKS: (usize, usize) = (250, 2);
/// Decoder inputs of a graph, which is computed for each on its own.
const OF_GRAPH: usize = 500;

/// Gives the values that go into an operation, for some rows of the sample: first, number.
type Values<'a> = dyn FnMut(usize, usize) -> Result<Tensor, BundleError> + 'a;

impl Body<'_> {
    /// How the numbers vary that a weight is multiplied with, over a sample of decoder inputs
    /// `[n, width]`, and the weight's units. Known of dense layers and of convolutions in
    /// either direction (not in groups, whose units are multiplied with different numbers),
    /// also in the runs of layers of a graph, and of a matrix that one value of a graph is
    /// multiplied with; none for anything else.
    ///
    /// # Errors
    /// When the decoder cannot be computed.
    pub fn factor(
        self,
        tensor: &str,
        tensors: &Tensors,
        sample: &Tensor,
    ) -> Result<Option<(CholeskyFactor, Units)>, BundleError> {
        let found = match self {
            Self::Layers(layers) => of_layers(
                layers,
                tensor,
                tensors,
                sample.dim(0)?,
                &mut |first, count| Ok(sample.narrow(0, first, count)?),
            )?,
            Self::Graph(graph) => in_graph(graph, tensor, tensors, sample)?,
        };
        let Some((seen, units)) = found else {
            return Ok(None);
        };
        Ok(seen.factor()?.map(|factor| (factor, units)))
    }
}

fn in_graph(
    graph: &Graph,
    tensor: &str,
    tensors: &Tensors,
    sample: &Tensor,
) -> Result<Option<(GramMatrix, Units)>, BundleError> {
    let reads = |layer: &Layer| layer.tensors().iter().any(|(name, _)| name == tensor);
    let mut users = graph.nodes.iter().enumerate().filter(|(_, node)| {
        let layers = match &node.operation {
            Operation::Layers { layers, .. } => layers.as_slice(),
            _ => &[],
        };
        node.of.iter().any(|of| of == tensor) || layers.iter().any(reads)
    });
    // In one place only: elsewhere its errors would count, too.
    let (Some((at, node)), None) = (users.next(), users.next()) else {
        return Ok(None);
    };
    let Some(source) = node.of.first() else {
        return Ok(None);
    };
    // The graph as far as the value that goes in.
    let before = Graph {
        nodes: graph.nodes[..at].to_vec(),
        output: source.clone(),
    };
    let rows = sample.dim(0)?.min(OF_GRAPH);
    let mut values = |first: usize, count: usize| -> Result<Tensor, BundleError> {
        let part = sample.narrow(0, first, count)?;
        if source == INPUT {
            return Ok(part);
        }
        Ok(matrix(&Body::Graph(&before).forward(tensors, &part)?)?)
    };
    match &node.operation {
        Operation::Layers { layers, .. } => of_layers(layers, tensor, tensors, rows, &mut values),
        Operation::MatMul if source != tensor => {
            let Some(&[inputs, _]) = tensors.get(tensor).map(|(shape, _)| shape.as_slice()) else {
                return Ok(None);
            };
            let seen = collect(inputs, rows, CHUNKS.0, &mut |first, count| {
                let values = values(first, count)?;
                Ok(values.reshape(((), inputs))?)
            })?;
            Ok(seen.map(|seen| (seen, Units::along(1))))
        }
        _ => Ok(None),
    }
}

/// Of the layer among these that has the tensor as its weight.
fn of_layers(
    layers: &[Layer],
    tensor: &str,
    tensors: &Tensors,
    rows: usize,
    values: &mut Values,
) -> Result<Option<(GramMatrix, Units)>, BundleError> {
    let weight = |layer: &Layer| layer.name().map(|name| format!("{name}.weight"));
    let reads = |layer: &Layer| weight(layer).is_some_and(|name| name == tensor);
    let Some(index) = layers.iter().position(reads) else {
        return Ok(None);
    };
    let before = network(&layers[..index], tensors)?;
    let mut inputs = |first: usize, count: usize| -> Result<Tensor, BundleError> {
        Ok(before.forward(&values(first, count)?)?)
    };
    let layer = &layers[index];
    let (width, chunk, sample): (usize, usize, &mut Values) = match *layer {
        Layer::Dense { inputs: width, .. } => (width, CHUNKS.0, &mut inputs),
        Layer::Conv {
            inputs: maps,
            kernel,
            stride,
            padding,
            groups: 1,
            ..
        } => (
            maps * kernel * kernel,
            CHUNKS.1,
            &mut move |first, count| {
                let large = inputs(first, count)?;
                convolved(&large, kernel, stride, padding)
            },
        ),
        Layer::ConvTranspose {
            inputs: maps,
            kernel,
            stride,
            padding,
            groups: 1,
            ..
        } => (
            maps * kernel * kernel,
            CHUNKS.1,
            &mut move |first, count| {
                let small = inputs(first, count)?;
                transposed(&small, kernel, stride, padding)
            },
        ),
        _ => return Ok(None),
    };
    let seen = collect(width, rows, chunk, sample)?;
    Ok(seen.map(|seen| (seen, layer.units())))
}

/// Rows of inputs, until there are enough.
fn collect(
    inputs: usize,
    rows: usize,
    chunk: usize,
    values: &mut Values,
) -> Result<Option<GramMatrix>, BundleError> {
    if inputs == 0 || inputs > MOST_INPUTS {
        return Ok(None);
    }
    let mut seen = GramMatrix::default();
    let mut found = 0;
    for first in (0..rows).step_by(chunk) {
        let part = values(first, chunk.min(rows - first))?;
        found += part.dim(0)?;
        seen.add(&part)?;
        if found >= ROWS {
            break;
        }
    }
    Ok(Some(seen))
}

/// For each value of a convolution's output the numbers that its weights are multiplied
/// with: `[n·positions, maps·k·k]` of maps `[n, maps, h, w]`.
fn convolved(
    maps: &Tensor,
    kernel: usize,
    stride: usize,
    padding: Padding,
) -> Result<Tensor, BundleError> {
    let (n, channels, height, width) = maps.dims4()?;
    let (rows, columns) = padding.sums();
    let side = |side, padding| side_down(side, kernel, stride, padding).unwrap_or(0);
    let patches = Patches {
        maps: channels,
        large: (height, width),
        grid: (side(height, rows), side(width, columns)),
        kernel,
        stride,
        padding,
    };
    let (taps, positions) = (patches.taps(), patches.positions());
    let mut all = vec![0.0; n * taps * positions];
    let pictures = maps.flatten_from(1)?.to_vec2::<f32>()?;
    for (picture, columns) in pictures.iter().zip(all.chunks_exact_mut(taps * positions)) {
        patches.im2col(picture, columns);
    }
    rows_of(all, n, taps, positions)
}

/// The same of a transposed convolution.
fn transposed(
    maps: &Tensor,
    kernel: usize,
    stride: usize,
    padding: Padding,
) -> Result<Tensor, BundleError> {
    let (n, channels, height, width) = maps.dims4()?;
    let (rows, columns) = padding.sums();
    let side = |side, padding| side_up(side, kernel, stride, padding).unwrap_or(0);
    let large = (side(height, rows), side(width, columns));
    let (taps, positions) = (channels * kernel * kernel, large.0 * large.1);
    let mut all = vec![0.0; n * taps * positions];
    let pictures = maps.flatten_from(1)?.to_vec2::<f32>()?;
    for (picture, all) in pictures.iter().zip(all.chunks_exact_mut(taps * positions)) {
        for (tap, row) in all.chunks_exact_mut(positions).enumerate() {
            let (map, ky, kx) = (tap / kernel / kernel, tap / kernel % kernel, tap % kernel);
            let (ys, first_row) = Patches::span(ky, stride, padding.top, height, large.0);
            let (xs, first_column) = Patches::span(kx, stride, padding.left, width, large.1);
            for (i, y) in ys.enumerate() {
                let from = &picture[(map * height + y) * width..][xs.clone()];
                let to = (first_row + i * stride) * large.1 + first_column;
                for (j, value) in from.iter().enumerate() {
                    row[to + j * stride] = *value;
                }
            }
        }
    }
    rows_of(all, n, taps, positions)
}

fn rows_of(all: Vec<f32>, n: usize, taps: usize, positions: usize) -> Result<Tensor, BundleError> {
    let all = Tensor::from_vec(all, (n, taps, positions), &Device::Cpu)?;
    let rows = all.transpose(1, 2)?.contiguous()?;
    Ok(rows.reshape((n * positions, taps))?)
}

#[cfg(test)]
mod tests {
    use candle_layers::network::apply;

    use super::*;

    /// Whatever numbers a weight is said to be multiplied with: multiplied with it they must
    /// be the layer's output.
    #[test]
    fn convolutions_are_products_with_what_they_see() {
        let numbers = |shape: &[usize], step: f32| {
            let n: usize = shape.iter().product();
            let values: Vec<f32> = (0..n).map(|i| (i as f32 * step).sin()).collect();
            Tensor::from_vec(values, shape, &Device::Cpu).unwrap()
        };
        let maps = numbers(&[2, 3, 5, 4], 0.7);
        let padding = Padding::all(1);
        let (name, inputs, outputs) = (String::new(), 3, 2);
        for (kernel, stride) in [(3, 1), (3, 2), (4, 2)] {
            let bias = Tensor::zeros(2, candle_core::DType::F32, &Device::Cpu).unwrap();
            let conv = Layer::Conv {
                name: name.clone(),
                inputs,
                outputs,
                kernel,
                stride,
                padding,
                groups: 1,
            };
            let up = Layer::ConvTranspose {
                name: name.clone(),
                inputs,
                outputs,
                kernel,
                stride,
                padding,
                groups: 1,
            };
            for (layer, seen) in [
                (conv, convolved(&maps, kernel, stride, padding).unwrap()),
                (up, transposed(&maps, kernel, stride, padding).unwrap()),
            ] {
                let weight = numbers(&layer.tensors()[0].1, 1.3);
                let by_unit = match layer {
                    Layer::ConvTranspose { .. } => {
                        weight.transpose(0, 1).unwrap().contiguous().unwrap()
                    }
                    _ => weight.clone(),
                };
                let by_unit = by_unit.flatten_from(1).unwrap();
                let product = seen.matmul(&by_unit.t().unwrap()).unwrap();
                let expected = apply(&layer, &[weight, bias.clone()], &maps).unwrap();
                let expected = expected
                    .permute((0, 2, 3, 1))
                    .unwrap()
                    .flatten_all()
                    .unwrap();
                let found = product.flatten_all().unwrap().to_vec1::<f32>().unwrap();
                let expected = expected.to_vec1::<f32>().unwrap();
                assert_eq!(found.len(), expected.len());
                for (a, b) in found.iter().zip(&expected) {
                    assert!((a - b).abs() < 1e-5, "{layer:?}: {a} is not {b}");
                }
            }
        }
    }
}
