//! Nearest-neighbour upsampling: every value comes from one place.

use super::super::builder::compose;
use super::super::error::ImportError;
use super::constant::Constant;
use super::lowering::View;
use super::node::Node;
use super::rearranging::volume;

/// What `Resize` or `Upsample` make of a value.
pub fn resized(
    node: Node,
    view: &View,
    constants: &[Option<&Constant>],
) -> Result<View, ImportError> {
    let mode = node.text("mode");
    if mode != "nearest" {
        return Err(node.error(format!(
            "mode {mode:?} is not read; upsample with mode nearest"
        )));
    }
    let scales = scales(node, &view.shape, constants)?;
    let shape: Vec<usize> = view
        .shape
        .iter()
        .zip(&scales)
        .map(|(&size, &scale)| size.saturating_mul(scale))
        .collect();
    if volume(&shape).is_none() {
        return Err(node.error("its output is too large"));
    }
    check_rounding(node, &scales)?;
    let mut from = vec![0];
    let mut stride: usize = view.shape.iter().product();
    for (&size, &scale) in view.shape.iter().zip(&scales) {
        stride /= size;
        from = from
            .iter()
            .flat_map(|&base| (0..size * scale).map(move |i| base + i / scale * stride))
            .collect();
    }
    Ok(View {
        shape,
        places: compose(&view.places, Some(from)),
        stage: view.stage,
    })
}

/// How many times each axis is repeated.
fn scales(
    node: Node,
    shape: &[usize],
    constants: &[Option<&Constant>],
) -> Result<Vec<usize>, ImportError> {
    let given = |nth: usize| {
        constants
            .get(nth)
            .copied()
            .flatten()
            .filter(|c| c.len() > 0)
    };
    let floats = match usize::try_from(node.int("scales_at")).unwrap_or(0) {
        0 => node.given("scales").map(|a| a.floats.clone()),
        nth => given(nth).map(Constant::floats),
    };
    let refuse = || node.error("it must repeat every row and column a whole number of times");
    let scales: Vec<usize> = match (floats, given(3)) {
        (Some(floats), _) => floats
            .iter()
            .map(|&s| (s >= 1.0 && s.fract() == 0.0 && s < 4096.0).then_some(s as usize))
            .collect::<Option<_>>()
            .ok_or_else(refuse)?,
        (None, Some(sizes)) => {
            let sizes = sizes.to_ints().ok_or_else(refuse)?;
            let whole = sizes.iter().zip(shape).map(|(&to, &from)| {
                let to = usize::try_from(to).ok()?;
                (from > 0 && to >= from && to.is_multiple_of(from)).then(|| to / from)
            });
            whole.collect::<Option<_>>().ok_or_else(refuse)?
        }
        (None, None) => return Err(node.error("its scales must be constant")),
    };
    if scales.len() == shape.len() && shape.iter().all(|&n| n > 0) {
        Ok(scales)
    } else {
        Err(refuse())
    }
}

/// Whether rounding, as the node asks for it, gives i / scale for every place i.
fn check_rounding(node: Node, scales: &[usize]) -> Result<(), ImportError> {
    let transform = node.text("coordinate_transformation_mode");
    let rounding = node.text("nearest_mode");
    let exact = |scale: usize| {
        (0..scale).all(|i| {
            let (i, scale) = (i as f64, scale as f64);
            let at = match transform.as_str() {
                "asymmetric" => i / scale,
                "half_pixel" | "pytorch_half_pixel" | "half_pixel_symmetric" => {
                    (i + 0.5) / scale - 0.5
                }
                _ => return false,
            };
            let place = match rounding.as_str() {
                "simple" | "floor" => at.floor(),
                "ceil" => at.ceil(),
                "round_prefer_floor" => (at - 0.5).ceil(),
                "round_prefer_ceil" => (at + 0.5).floor(),
                _ => return false,
            };
            // Half a pixel outwards at an edge is the pixel at the edge.
            place.abs() < 0.5
        })
    };
    if scales.iter().all(|&scale| scale == 1 || exact(scale)) {
        Ok(())
    } else {
        Err(node.error(format!(
            "{transform:?} with {rounding:?} is not plain repetition; use nearest upsampling by a whole factor"
        )))
    }
}
