//! Batch norm of a graph, and the arithmetic that exporters make of it.

use decode::architecture::Flow;

use super::super::builder::Places;
use super::super::error::ImportError;
use super::arithmetic::{broadcast, stretched};
use super::constant::Constant;
use super::lowering::{Lowering, View};
use super::node::{Node, decimal, name};
use super::rearranging::volume;

pub fn batch_norm(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    constants: &[Option<&Constant>],
) -> Result<View, ImportError> {
    let [1, channels, ..] = view.shape[..] else {
        return Err(node.error(format!("a value of shape {:?} is not read", view.shape)));
    };
    let mut parts: [Vec<f32>; 4] = Default::default();
    for (i, part) in parts.iter_mut().enumerate() {
        *part = constants
            .get(i + 1)
            .copied()
            .flatten()
            .map(Constant::floats)
            .filter(|values| values.len() == channels)
            .ok_or_else(|| node.error(format!("it needs four constants of {channels} values")))?;
    }
    let eps = decimal(node.float("epsilon"));
    if parts[3].iter().any(|&v| f64::from(v) + eps <= 0.0) {
        return Err(node.error("it holds a variance that is not positive"));
    }
    let natural = view.places.is_none() && graph.builder.channels() == channels;
    let per_map = matches!(graph.builder.flow(), Flow::Maps { .. }) == (view.shape.len() > 2);
    if natural && per_map {
        graph.builder.batch_norm(&name(node), parts, eps);
        graph.stage += 1;
        return Ok(View {
            stage: graph.stage,
            ..view.clone()
        });
    }
    // As scale and shift it can go wherever the values are.
    let [weight, bias, mean, variance] = parts;
    let scale: Vec<f64> = weight
        .iter()
        .zip(&variance)
        .map(|(&w, &v)| f64::from(w) / (f64::from(v) + eps).sqrt())
        .collect();
    let shift: Vec<f64> = bias
        .iter()
        .zip(&mean)
        .zip(&scale)
        .map(|((&b, &m), s)| f64::from(b) - f64::from(m) * s)
        .collect();
    let inner: usize = view.shape[2..].iter().product();
    let spread = |values: &[f64]| -> Vec<f64> {
        values
            .iter()
            .flat_map(|&v| std::iter::repeat_n(v, inner))
            .collect()
    };
    scaled(graph, node, view, &spread(&scale), &spread(&shift))
}

/// y = x ∘ constant, or constant ∘ x where `reversed`.
pub fn affine(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    constant: &Constant,
    reversed: bool,
) -> Result<View, ImportError> {
    // Spreading a vector over more axes is the one way in which this could change the shape.
    let shape = broadcast(&view.shape, &constant.shape)
        .filter(|shape| volume(shape).is_some() && volume(shape) == volume(&view.shape))
        .ok_or_else(|| {
            node.error(format!(
                "a value of shape {:?} and a constant of shape {:?} do not fit",
                view.shape, constant.shape
            ))
        })?;
    let values = constant.floats();
    let each = stretched(&constant.shape, &shape)
        .into_iter()
        .map(|i| f64::from(values[i]));
    let (scale, shift): (Vec<f64>, Vec<f64>) = match (node.operator(), reversed) {
        ("Add", _) => each.map(|c| (1.0, c)).unzip(),
        ("Sub", false) => each.map(|c| (1.0, -c)).unzip(),
        ("Sub", true) => each.map(|c| (-1.0, c)).unzip(),
        ("Mul", _) => each.map(|c| (c, 0.0)).unzip(),
        (_, false) => each.map(|c| (1.0 / c, 0.0)).unzip(),
        (_, true) => return Err(node.error("dividing by a value that flows is not read")),
    };
    if !scale.iter().all(|s| s.is_finite()) {
        return Err(node.error("it divides by zero"));
    }
    let view = View {
        shape,
        ..view.clone()
    };
    scaled(graph, node, &view, &scale, &shift)
}

/// Scales and shifts every value of a view.
fn scaled(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    scale: &[f64],
    shift: &[f64],
) -> Result<View, ImportError> {
    let pairs = in_channels(graph.builder.flow(), &view.places, scale, shift);
    let Some(pairs) = pairs else {
        return Err(node.error(
            "its constants differ within a map; only one number for all, or one for each map, is read",
        ));
    };
    let (scale, shift): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    graph.builder.affine(&name(node), &scale, &shift);
    graph.stage += 1;
    Ok(View {
        stage: graph.stage,
        ..view.clone()
    })
}

/// Scale and shift of each channel of what flows; `None` if a channel would need two.
fn in_channels(
    flow: Flow,
    places: &Places,
    scale: &[f64],
    shift: &[f64],
) -> Option<Vec<(f64, f64)>> {
    let (channels, inner) = match flow {
        Flow::Flat(n) => (n, 1),
        Flow::Maps {
            channels,
            height,
            width,
        } => (channels, height * width),
    };
    let mut pairs: Vec<Option<(f64, f64)>> = vec![None; channels];
    for (i, pair) in scale.iter().copied().zip(shift.iter().copied()).enumerate() {
        let place = places.as_ref().map_or(i, |places| places[i]);
        match pairs.get_mut(place / inner)? {
            Some(held) if *held != pair => return None,
            slot => *slot = Some(pair),
        }
    }
    // A channel that nothing uses stays as it is.
    Some(
        pairs
            .into_iter()
            .map(|pair| pair.unwrap_or((1.0, 0.0)))
            .collect(),
    )
}
