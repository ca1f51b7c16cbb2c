//! Batch norm as part of the layer before it.
//!
//! y = (Wx + b − mean) / √(variance + eps) · weight + bias is itself a layer of the
//! kind before it: W and b of each output unit are scaled by weight / √(variance + eps)
//! and b is shifted. Computed in f64, rounded once.

use decode::architecture::{Layer, Units};
use decode::weights::Tensors;

/// Layers and tensors without the batch norms that follow a layer with weights
/// directly; any other stays.
#[must_use]
pub fn batch_norm(layers: &[Layer], mut tensors: Tensors) -> (Vec<Layer>, Tensors) {
    let mut kept: Vec<Layer> = Vec::with_capacity(layers.len());
    for layer in layers {
        let folded = match (kept.last(), layer) {
            (
                Some(
                    before @ (Layer::Dense { .. }
                    | Layer::Conv { .. }
                    | Layer::ConvTranspose { .. }),
                ),
                Layer::BatchNorm { name, eps, .. },
            ) => before
                .name()
                .is_some_and(|target| fold(target, before.units(), name, *eps, &mut tensors)),
            _ => false,
        };
        if !folded {
            kept.push(layer.clone());
        }
    }
    (kept, tensors)
}

/// Folds the batch norm `norm` into the layer `target`; false when a tensor is
/// missing or of another size, in which case nothing has changed.
fn fold(target: &str, of: Units, norm: &str, eps: f64, tensors: &mut Tensors) -> bool {
    let part = |name: &str| tensors.get(&format!("{norm}.{name}")).map(|t| t.1.clone());
    let (Some(gain), Some(shift), Some(mean), Some(variance)) = (
        part("weight"),
        part("bias"),
        part("running_mean"),
        part("running_var"),
    ) else {
        return false;
    };
    let (weight_name, bias_name) = (format!("{target}.weight"), format!("{target}.bias"));
    let units = gain.len();
    let fits = tensors.get(&bias_name).is_some_and(|b| b.1.len() == units)
        && tensors
            .get(&weight_name)
            .is_some_and(|w| of.count(&w.0) == units)
        && [&shift, &mean, &variance].iter().all(|p| p.len() == units);
    if !fits {
        return false;
    }
    let scales: Vec<f64> = gain
        .iter()
        .zip(&variance)
        .map(|(&g, &v)| f64::from(g) / (f64::from(v) + eps).sqrt())
        .collect();
    if let Some((shape, weight)) = tensors.get_mut(&weight_name) {
        for (i, w) in weight.iter_mut().enumerate() {
            *w = (f64::from(*w) * scales[of.of(i, shape)]) as f32;
        }
    }
    if let Some((_, bias)) = tensors.get_mut(&bias_name) {
        for (i, b) in bias.iter_mut().enumerate() {
            *b = ((f64::from(*b) - f64::from(mean[i])) * scales[i] + f64::from(shift[i])) as f32;
        }
    }
    for name in ["weight", "bias", "running_mean", "running_var"] {
        tensors.remove(&format!("{norm}.{name}"));
    }
    true
}
