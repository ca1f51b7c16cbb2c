//! Interpolation along one axis: which old places a new one is made of, and in what parts.

use serde::{Deserialize, Serialize};

/// How old places are mixed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Interpolation {
    /// The two nearest, by how near they are.
    Linear,
    /// The four nearest, by a cubic (Keys, 1981).
    Cubic {
        /// Its coefficient a: −0.75 in PyTorch and OpenCV, −0.5 in Keras.
        coefficient: f64,
        /// Whether places outside count nothing; else they are as the one at the edge.
        exclude_outside: bool,
    },
}

/// Where the middle of a new place lies among the old ones. ONNX's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coordinates {
    /// Places are intervals of the same line.
    HalfPixel,
    /// The same, but a single new place lies on the first old one.
    PytorchHalfPixel,
    /// The same, around the middle of the line where the scale and the sizes differ.
    HalfPixelSymmetric,
    /// First lies on first and last on last.
    AlignCorners,
    /// First lies on first.
    Asymmetric,
}

/// For each new place the old places that it is made of, each with its part.
pub type ResizeTaps = Vec<Vec<(usize, f32)>>;

impl Coordinates {
    /// Where the new place `i` lies among `from` old places, of which it makes `size`,
    /// `scale` for each.
    #[must_use]
    pub fn at(self, i: usize, from: usize, size: usize, scale: f64) -> f64 {
        let (i, from, whole) = (i as f64, from as f64, size as f64);
        let half_pixel = (i + 0.5) / scale - 0.5;
        match self {
            Self::PytorchHalfPixel if size <= 1 => 0.0,
            Self::AlignCorners if size <= 1 => 0.0,
            Self::HalfPixel | Self::PytorchHalfPixel => half_pixel,
            Self::HalfPixelSymmetric => from / 2.0 * (1.0 - whole / (from * scale)) + half_pixel,
            Self::AlignCorners => i * (from - 1.0) / (whole - 1.0),
            Self::Asymmetric => i / scale,
        }
    }
}

impl Interpolation {
    /// The taps that make `size` places of `from`.
    #[must_use]
    pub fn taps(
        self,
        coordinates: Coordinates,
        from: usize,
        size: usize,
        scale: Option<f64>,
    ) -> ResizeTaps {
        let scale = scale.unwrap_or(size as f64 / from as f64);
        let last = from.saturating_sub(1) as f64;
        let of = |i: usize| {
            let at = coordinates.at(i, from, size, scale);
            let floor = at.floor();
            let part = at - floor;
            let parts: Vec<(f64, f64)> = match self {
                Self::Linear => vec![(floor, 1.0 - part), (floor + 1.0, part)],
                Self::Cubic { coefficient: a, .. } => (-1..=2)
                    .map(|k| (floor + f64::from(k), cubic(a, (part - f64::from(k)).abs())))
                    .collect(),
            };
            let outside = |place: f64| place < 0.0 || place > last;
            let excludes = matches!(
                self,
                Self::Cubic {
                    exclude_outside: true,
                    ..
                }
            );
            let counted = |place: f64| !(excludes && outside(place));
            let sum: f64 = parts
                .iter()
                .filter(|&&(place, _)| counted(place))
                .map(|&(_, part)| part)
                .sum();
            let mut taps: Vec<(usize, f32)> = Vec::with_capacity(parts.len());
            for (place, part) in parts {
                if part == 0.0 || !counted(place) {
                    continue;
                }
                let place = place.clamp(0.0, last) as usize;
                taps.push((place, (part / sum) as f32));
            }
            taps
        };
        (0..size).map(of).collect()
    }
}

/// Keys's kernel at a distance of at most 2.
fn cubic(a: f64, x: f64) -> f64 {
    if x <= 1.0 {
        ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a
    } else {
        0.0
    }
}
