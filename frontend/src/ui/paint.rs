//! From the values of an instance to pixels and curves.

use domain::model::{InstanceShape, SeriesDisplay};
use wasm_bindgen::Clamped;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// In which colour a grey picture is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tint {
    /// As it is.
    Neutral,
    /// The participant's picture when both are laid over each other: blue, a hue that the
    /// alignment bar never has.
    Yours,
    /// The target then: orange.
    Target,
}

impl Tint {
    /// Colour of a full pixel. The two hues can be told apart with any common
    /// colour blindness, and they add up to white: where both pictures are on,
    /// neither hue is left.
    #[must_use]
    pub fn rgb(self) -> [u8; 3] {
        match self {
            Self::Neutral => [255, 255, 255],
            Self::Yours => [0, 117, 235],
            Self::Target => [255, 138, 20],
        }
    }
}

/// Pixels of an image, four bytes each, row by row.
///
/// Values are clamped to [0, 1], and `NaN` counts as 0. Above `binarise_at`,
/// where given, a value is full, else nothing. A tint applies to grey pictures
/// only: in a coloured one the colours are what has to be matched. Missing
/// values are black.
#[must_use]
pub fn pixels(
    values: &[f32],
    (height, width, channels): (usize, usize, usize),
    binarise_at: Option<f64>,
    tint: Tint,
) -> Vec<u8> {
    let level = |value: f32| match binarise_at {
        Some(threshold) => f32::from(u8::from(f64::from(value) > threshold)),
        None if value.is_nan() => 0.0,
        None => value.clamp(0.0, 1.0),
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // in [0, 255]
    let byte = |level: f32, full: u8| (level * f32::from(full)).round() as u8;
    let mut pixels = Vec::with_capacity(height * width * 4);
    for index in 0..height * width {
        let at = |channel: usize| {
            level(
                values
                    .get(index * channels + channel)
                    .copied()
                    .unwrap_or(0.0),
            )
        };
        let rgb = if channels >= 3 {
            [0, 1, 2].map(|channel| byte(at(channel), 255))
        } else {
            tint.rgb().map(|full| byte(at(0), full))
        };
        pixels.extend([rgb[0], rgb[1], rgb[2], 255]);
    }
    pixels
}

/// Height, width and channels of an image; `None` for a series.
#[must_use]
pub fn image_size(shape: InstanceShape) -> Option<(usize, usize, usize)> {
    match shape {
        InstanceShape::Image {
            height,
            width,
            channels,
        } => Some((height, width, channels)),
        InstanceShape::Series { .. } => None,
    }
}

/// Puts pixels on a canvas of just their size. A canvas that cannot be drawn on is left alone.
pub fn put(canvas: &HtmlCanvasElement, pixels: &[u8], height: usize, width: usize) {
    let (Ok(width), Ok(height)) = (u32::try_from(width), u32::try_from(height)) else {
        return;
    };
    let context = canvas.get_context("2d").ok().flatten();
    let Some(context) = context.and_then(|it| it.dyn_into::<CanvasRenderingContext2d>().ok())
    else {
        return;
    };
    if let Ok(data) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(pixels), width, height) {
        // Only a broken ImageData is refused, and this one has just been made.
        let _ = context.put_image_data(&data, 0.0, 0.0);
    }
}

/// Width of a plot in its own units.
pub const PLOT_WIDTH: f64 = 320.0;
/// Height of a plot in its own units.
pub const PLOT_HEIGHT: f64 = 240.0;

/// Height in a plot at which `y` is drawn, from the top. Far outside the axes
/// it is held just beyond the edge, where a renderer's numbers stay sane.
#[must_use]
pub fn plot_y(y: f64, axes: &SeriesDisplay) -> f64 {
    let span = axes.y_max - axes.y_min;
    let share = if span > 0.0 && y.is_finite() {
        (y - axes.y_min) / span
    } else {
        0.0
    };
    (1.0 - share.clamp(-1.0, 2.0)) * PLOT_HEIGHT
}

/// The SVG path of a series moved up by `offset`. Points are equally spaced
/// over the width; values that are not finite count as 0, as in distances.
#[must_use]
#[allow(clippy::cast_precision_loss)] // far fewer than 2^52 points
pub fn curve(values: &[f32], axes: &SeriesDisplay, offset: f64) -> String {
    use std::fmt::Write as _;
    let step = PLOT_WIDTH / (values.len().max(2) - 1) as f64;
    let mut path = String::with_capacity(values.len() * 14);
    for (index, &value) in values.iter().enumerate() {
        let value = if value.is_finite() {
            f64::from(value)
        } else {
            0.0
        };
        let command = if index == 0 { 'M' } else { 'L' };
        // Writing to a String cannot fail.
        let _ = write!(
            path,
            "{command}{:.2} {:.2}",
            index as f64 * step,
            plot_y(value + offset, axes)
        );
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    const AXES: SeriesDisplay = SeriesDisplay {
        x_start: 0.0,
        x_step: 1.0,
        y_min: -10.0,
        y_max: 10.0,
        guide_at: None,
        target_band: None,
    };

    #[test]
    fn both_hues_together_are_white() {
        let [yours, target] = [Tint::Yours.rgb(), Tint::Target.rgb()];
        let sum: Vec<u16> = yours
            .iter()
            .zip(target)
            .map(|(a, b)| u16::from(*a) + u16::from(b))
            .collect();
        assert_eq!(sum, [255, 255, 255]);
    }

    #[test]
    fn grey_values_become_opaque_pixels() {
        let found = pixels(&[0.0, 0.5, 7.0, f32::NAN], (2, 2, 1), None, Tint::Neutral);
        assert_eq!(
            found,
            [
                0, 0, 0, 255, 128, 128, 128, 255, 255, 255, 255, 255, 0, 0, 0, 255
            ]
        );
    }

    #[test]
    fn binarising_is_strict_and_tints_only_grey() {
        assert_eq!(
            pixels(&[0.5, 0.51], (1, 2, 1), Some(0.5), Tint::Target),
            [0, 0, 0, 255, 255, 138, 20, 255]
        );
        assert_eq!(
            pixels(&[1.0, 0.0, 0.2], (1, 1, 3), None, Tint::Yours),
            [255, 0, 51, 255]
        );
        assert_eq!(
            pixels(&[1.0], (1, 2, 1), None, Tint::Neutral),
            [255, 255, 255, 255, 0, 0, 0, 255]
        );
    }

    #[test]
    fn a_curve_spans_the_plot() {
        assert_eq!(
            curve(&[-10.0, 0.0, 10.0], &AXES, 0.0),
            "M0.00 240.00L160.00 120.00L320.00 0.00"
        );
        assert_eq!(curve(&[0.0], &AXES, 5.0), "M0.00 60.00");
        assert_eq!(
            curve(&[f32::NAN, 1e9], &AXES, 0.0),
            "M0.00 120.00L320.00 -240.00"
        );
    }
}
