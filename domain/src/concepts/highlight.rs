//! A sample with its highlight, as pixels.
//!
//! The highlight is told by more than colour: its region is tinted, and has an outline of a dark and a
//! light line, which can be seen on any ground and in grey.

use super::Sheet;

/// Pixels, row by row: red, green, blue and opacity of each, 0 to 255.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Painted {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Four bytes a pixel.
    pub rgba: Vec<u8>,
}

/// The tint of a highlighted region: orange of Okabe and Ito's palette, which people with any colour
/// vision tell from grey.
const TINT: [f32; 3] = [0.902, 0.624, 0.0];
/// How much of a highlighted pixel is tint. The stroke below has to stay visible.
const TINT_SHARE: f32 = 0.45;
/// An outline takes this share of a sample's pixel on each side of the border, at least one pixel of the
/// painted picture.
const OUTLINE_SHARE: f64 = 0.2;

/// Paints a sample, each pixel of it `scale` pixels wide and high. Where the sample's map is above
/// `above` it is highlighted; `None` paints the picture alone. A sample that is not there, or a scale of
/// 0, gives no pixels. Values beyond 0…1 and NaN count as the nearest end, NaN as 0.
#[must_use]
pub fn paint(sheet: &Sheet<'_>, sample: usize, above: Option<f64>, scale: usize) -> Painted {
    let [rows, columns] = sheet.size();
    let picture = sheet.picture(sample);
    let (width, height) = if picture.is_empty() {
        (0, 0)
    } else {
        (columns * scale, rows * scale)
    };
    let region = Region {
        map: sheet.map(sample),
        rows,
        columns,
        above,
    };
    let mut rgba = Vec::with_capacity(width * height * 4);
    for y in 0..height {
        for x in 0..width {
            let (row, column) = (y / scale, x / scale);
            let inside = region.holds(row, column);
            let mut colour = colour(picture, row * columns + column, sheet.channels());
            if inside {
                for (value, tint) in colour.iter_mut().zip(TINT) {
                    *value = *value * (1.0 - TINT_SHARE) + tint * TINT_SHARE;
                }
            }
            if region.is_border(y, x, scale) {
                // Dark within the region, light outside: one of the two stands out on any ground.
                colour = if inside { [0.0; 3] } else { [1.0; 3] };
            }
            rgba.extend(colour.map(byte));
            rgba.push(u8::MAX);
        }
    }
    Painted {
        width,
        height,
        rgba,
    }
}

/// The region that is highlighted.
struct Region<'a> {
    map: &'a [f32],
    rows: usize,
    columns: usize,
    above: Option<f64>,
}

impl Region<'_> {
    fn holds(&self, row: usize, column: usize) -> bool {
        let value = self.map.get(row * self.columns + column);
        let above = self.above.zip(value);
        above.is_some_and(|(above, value)| f64::from(*value) > above)
    }

    /// Whether a painted pixel lies at the border of the region, on either side. The edge of the picture
    /// is a border of what is inside.
    fn is_border(&self, y: usize, x: usize, scale: usize) -> bool {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss
        )] // some dozens
        let thick = ((scale as f64 * OUTLINE_SHARE).round() as usize).max(1);
        let (row, column) = (y / scale, x / scale);
        let inside = self.holds(row, column);
        let differs = |row: Option<usize>, column: Option<usize>| {
            let there = row.zip(column);
            let there = there.filter(|(row, column)| *row < self.rows && *column < self.columns);
            match there {
                Some((row, column)) => self.holds(row, column) != inside,
                None => inside,
            }
        };
        let (down, right) = (y % scale, x % scale);
        let near_start = |within: usize| within < thick;
        let near_end = |within: usize| within + thick >= scale;
        (near_start(down) && differs(row.checked_sub(1), Some(column)))
            || (near_end(down) && differs(Some(row + 1), Some(column)))
            || (near_start(right) && differs(Some(row), column.checked_sub(1)))
            || (near_end(right) && differs(Some(row), Some(column + 1)))
    }
}

fn colour(picture: &[f32], pixel: usize, channels: usize) -> [f32; 3] {
    let value = |channel: usize| {
        let channel = if channels == 3 { channel } else { 0 };
        let value = picture.get(pixel * channels + channel).copied();
        value.filter(|value| !value.is_nan()).unwrap_or(0.0)
    };
    [value(0), value(1), value(2)]
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within 0…255
fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concepts::PictureShape;

    fn pixel(painted: &Painted, y: usize, x: usize) -> [u8; 3] {
        let at = (y * painted.width + x) * 4;
        [painted.rgba[at], painted.rgba[at + 1], painted.rgba[at + 2]]
    }

    /// Two pixels of mid grey, of which the right one is highlighted.
    fn two_pixels() -> Vec<f32> {
        Sheet::values(&[&[0.5, 0.5]], &[&[0.1, 0.9]])
    }

    #[test]
    fn a_highlight_is_tinted_and_outlined_on_both_sides() {
        let values = two_pixels();
        let sheet = Sheet::of(&values, PictureShape::new(1, 2, 1), 1).unwrap();
        let painted = paint(&sheet, 0, Some(0.2), 10);
        assert_eq!((painted.width, painted.height), (20, 10));
        assert_eq!(pixel(&painted, 5, 3), [128; 3], "beside the highlight");
        assert_eq!(pixel(&painted, 5, 9), [255; 3], "the light line");
        assert_eq!(pixel(&painted, 5, 10), [0; 3], "the dark line");
        assert_eq!(pixel(&painted, 0, 15), [0; 3], "at the edge of the picture");
        // 0.5 × 0.55 + tint × 0.45, times 255:
        // python3 -c "print([round((0.275 + t * 0.45) * 255) for t in (0.902, 0.624, 0)])"
        assert_eq!(pixel(&painted, 5, 15), [174, 142, 70]);
        let plain = paint(&sheet, 0, None, 1);
        assert_eq!(plain.rgba, [128, 128, 128, 255, 128, 128, 128, 255]);
    }

    #[test]
    fn what_is_not_there_gives_no_pixels_and_nan_is_black() {
        let values = [f32::NAN, 7.0, 0.0, 0.0];
        let sheet = Sheet::of(&values, PictureShape::new(1, 2, 1), 1).unwrap();
        assert!(paint(&sheet, 1, Some(0.5), 4).rgba.is_empty());
        assert!(paint(&sheet, 0, Some(0.5), 0).rgba.is_empty());
        let painted = paint(&sheet, 0, Some(0.5), 1);
        assert_eq!(painted.rgba, [0, 0, 0, 255, 255, 255, 255, 255]);
    }
}
