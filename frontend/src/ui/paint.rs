//! From the values of an instance to pixels and curves.

use domain::model::{Display, InstanceShape};
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

/// Puts the pixels of an image into `pixels`, four bytes each, row by row; its memory is used again.
///
/// A tint applies to grey pictures only: in a coloured one the colours are what has to be matched.
/// Missing values are black.
pub fn pixels(
    values: &[f32],
    (height, width, channels): (usize, usize, usize),
    display: &Display,
    tint: Tint,
    pixels: &mut Vec<u8>,
) {
    let byte = |level: f32, full: u8| (level * f32::from(full) + 0.5) as u8;
    pixels.clear();
    pixels.resize(height * width * 4, 0);
    let mut values = values.chunks_exact(channels.max(1));
    for pixel in pixels.as_chunks_mut::<4>().0 {
        let rgb = match values.next() {
            Some(&[red, green, blue]) => {
                [red, green, blue].map(|value| byte(display.brightness(value), 255))
            }
            Some(&[value, ..]) => {
                let level = display.brightness(value);
                tint.rgb().map(|full| byte(level, full))
            }
            _ => [0; 3],
        };
        *pixel = [rgb[0], rgb[1], rgb[2], 255];
    }
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

/// Width of a picture by its height.
#[must_use]
pub fn aspect(shape: InstanceShape) -> f64 {
    match image_size(shape) {
        Some((height, width, _)) => width as f64 / height.max(1) as f64,
        None => PLOT_WIDTH / PLOT_HEIGHT,
    }
}

/// Puts pixels on a canvas of just their size. A canvas that cannot be drawn on is left alone.
pub fn put(canvas: &HtmlCanvasElement, pixels: &[u8], height: usize, width: usize) {
    let (Ok(width), Ok(height)) = (u32::try_from(width), u32::try_from(height)) else {
        return;
    };
    let context = canvas.get_context("2d").ok().flatten();
    let context = context.and_then(|it| it.dyn_into::<CanvasRenderingContext2d>().ok());
    let Some(context) = context else {
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

/// Height in a plot at which `y` is drawn, from the top. Far outside the ends
/// it is held just beyond the edge, where a renderer's numbers stay sane.
#[must_use]
pub fn plot_y(y: f64, [low, high]: [f64; 2]) -> f64 {
    let span = high - low;
    let share = if span > 0.0 && y.is_finite() {
        (y - low) / span
    } else {
        0.0
    };
    (1.0 - share.clamp(-1.0, 2.0)) * PLOT_HEIGHT
}

/// The SVG path of one of the `curves` of a series, moved up by `offset`. Points are
/// equally spaced over the width; values that are not finite count as 0, as in distances.
#[must_use]
pub fn curve(
    values: &[f32],
    (curve, curves): (usize, usize),
    ends: [f64; 2],
    offset: f64,
) -> String {
    use std::fmt::Write as _;
    let curves = curves.max(1);
    let points = values.len() / curves;
    let step = PLOT_WIDTH / (points.max(2) - 1) as f64;
    let mut path = String::with_capacity(points * 14);
    for (index, &value) in values.iter().skip(curve).step_by(curves).enumerate() {
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
            plot_y(value + offset, ends)
        );
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::model::Arrangement;

    const ENDS: [f64; 2] = [-10.0, 10.0];

    /// The pixels of a picture that is shown from 0 to 1.
    fn shown(
        values: &[f32],
        size: (usize, usize, usize),
        binarise_at: Option<f64>,
        tint: Tint,
    ) -> Vec<u8> {
        let display = Display {
            arrangement: Arrangement::Apart,
            binarise_at,
            value_range: None,
            series: None,
        };
        // Earlier pixels do not shine through.
        let mut found = vec![7; 99];
        pixels(values, size, &display, tint, &mut found);
        found
    }

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
        let found = shown(&[0.0, 0.5, 7.0, f32::NAN], (2, 2, 1), None, Tint::Neutral);
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
            shown(&[0.5, 0.51], (1, 2, 1), Some(0.5), Tint::Target),
            [0, 0, 0, 255, 255, 138, 20, 255]
        );
        assert_eq!(
            shown(&[1.0, 0.0, 0.2], (1, 1, 3), None, Tint::Yours),
            [255, 0, 51, 255]
        );
        assert_eq!(
            shown(&[1.0], (1, 2, 1), None, Tint::Neutral),
            [255, 255, 255, 255, 0, 0, 0, 255]
        );
    }

    #[test]
    fn a_curve_spans_the_plot() {
        assert_eq!(
            curve(&[-10.0, 0.0, 10.0], (0, 1), ENDS, 0.0),
            "M0.00 240.00L160.00 120.00L320.00 0.00"
        );
        assert_eq!(curve(&[0.0], (0, 1), ENDS, 5.0), "M0.00 60.00");
        assert_eq!(
            curve(&[f32::NAN, 1e9], (0, 1), ENDS, 0.0),
            "M0.00 120.00L320.00 -240.00"
        );
    }

    #[test]
    fn curves_lie_point_by_point() {
        let values = [-10.0, 1.0, 0.0, 2.0, 10.0, 3.0];
        assert_eq!(
            curve(&values, (0, 2), ENDS, 0.0),
            "M0.00 240.00L160.00 120.00L320.00 0.00"
        );
        assert_eq!(
            curve(&values, (1, 2), [1.0, 3.0], 0.0),
            "M0.00 240.00L160.00 120.00L320.00 0.00"
        );
        assert_eq!(curve(&[], (1, 2), ENDS, 0.0), "");
    }
}
