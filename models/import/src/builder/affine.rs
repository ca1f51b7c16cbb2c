//! y = scale·x + shift: into the layer before where that has weights, else a batch norm.

use decode::architecture::{Flow, Layer};

use super::{Builder, NORM_PARTS};

impl Builder {
    /// Scales and shifts every value of a vector, or every map.
    pub fn affine(&mut self, name: &str, scale: &[f64], shift: &[f64]) {
        match self.layers.last().cloned() {
            Some(
                layer @ (Layer::Dense { .. } | Layer::Conv { .. } | Layer::ConvTranspose { .. }),
            ) => {
                let (units, name) = (layer.units(), layer.name().unwrap_or_default());
                self.edit(name, "weight", |shape, weight| {
                    for (i, w) in weight.iter_mut().enumerate() {
                        scale_one(w, scale[units.of(i, shape)]);
                    }
                });
                self.shift_bias(name, scale, shift);
            }
            Some(Layer::BatchNorm { name, .. }) => {
                self.edit(&name, "weight", |_, weight| {
                    for (w, &s) in weight.iter_mut().zip(scale) {
                        scale_one(w, s);
                    }
                });
                self.shift_bias(&name, scale, shift);
            }
            _ => {
                let channels = scale.len();
                self.batch_norm(
                    name,
                    [
                        single(scale),
                        single(shift),
                        vec![0.0; channels],
                        vec![1.0; channels],
                    ],
                    0.0,
                );
            }
        }
    }

    fn shift_bias(&mut self, name: &str, scale: &[f64], shift: &[f64]) {
        self.edit(name, "bias", |_, bias| {
            for ((b, s), t) in bias.iter_mut().zip(scale).zip(shift) {
                *b = f64::from(*b).mul_add(*s, *t) as f32;
            }
        });
    }

    fn edit(&mut self, name: &str, part: &str, change: impl FnOnce(&[usize], &mut Vec<f32>)) {
        if let Some((shape, values)) = self.tensors.get_mut(&format!("{name}.{part}")) {
            change(shape, values);
        }
    }

    /// Number of scales that [`affine`](Self::affine) takes: one a map, or one a value.
    pub fn channels(&self) -> usize {
        match self.flow {
            Flow::Flat(n) => n,
            Flow::Maps { channels, .. } => channels,
        }
    }

    /// Gives the last dense layer, and what follows it value by value, the outputs at
    /// `places`: in that order, some perhaps twice. Whether that could be done.
    pub(super) fn reorder_outputs(&mut self, places: &[usize]) -> bool {
        let Some(dense) = self.layers.iter().rposition(|layer| {
            !matches!(layer, Layer::Activation { .. } | Layer::BatchNorm { .. })
        }) else {
            return false;
        };
        let Layer::Dense { inputs, .. } = self.layers[dense] else {
            return false;
        };
        if places
            .len()
            .checked_mul(inputs)
            .is_none_or(|n| n > super::MAX_WEIGHTS)
        {
            return false;
        }
        for i in dense..self.layers.len() {
            let (name, parts): (String, &[&str]) = match &mut self.layers[i] {
                Layer::Dense { name, outputs, .. } => {
                    *outputs = places.len();
                    (name.clone(), &["weight", "bias"])
                }
                Layer::BatchNorm { name, channels, .. } => {
                    *channels = places.len();
                    (name.clone(), &NORM_PARTS)
                }
                _ => continue,
            };
            for part in parts {
                if let Some((shape, values)) = self.tensors.get_mut(&format!("{name}.{part}")) {
                    let row: usize = shape[1..].iter().product();
                    *values = places
                        .iter()
                        .flat_map(|&place| values[place * row..(place + 1) * row].iter().copied())
                        .collect();
                    shape[0] = places.len();
                }
            }
        }
        self.flow = Flow::Flat(places.len());
        true
    }
}

fn scale_one(w: &mut f32, s: f64) {
    *w = (f64::from(*w) * s) as f32;
}

fn single(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}
