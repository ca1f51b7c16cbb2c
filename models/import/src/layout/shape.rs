//! Shapes as people write them, and what an output may be.

use domain::model::{InstanceShape, MOST_CURVES};

/// Number of colours of a picture that is not grey.
pub(super) const COLOURS: usize = 3;
/// A picture that is so many times as long as it is wide is more likely something else.
const SLENDER: usize = 8;

/// Why point clouds are refused, and what can be done.
pub const POINT_CLOUD: &str = "a point cloud is no instance here, since it is shown and compared without an order of its points: let the decoder end in a picture of it, as a sum of a soft spot for each point, or, if the points have an order, import their coordinates as curves";
/// Why text is refused, and what can be done.
pub const TEXT: &str = "text is no instance here: Redial shows pictures and curves, and a dial that is moved has to change them little by little";

/// Whether an output of two axes may well be something else than a picture: curves, points in
/// space, scores of tokens.
pub(super) fn is_doubtful(height: usize, width: usize) -> bool {
    let (short, long) = (height.min(width), height.max(width));
    are_curves(long, short) || long > short.saturating_mul(SLENDER)
}

/// Whether so many rows of so many values mean curves, not a grey picture.
fn are_curves(rows: usize, columns: usize) -> bool {
    rows > MOST_CURVES && (2..=MOST_CURVES).contains(&columns)
}

/// A shape as it is written after `--shape`.
#[must_use]
pub fn shape_text(shape: InstanceShape) -> String {
    match shape {
        InstanceShape::Image {
            height,
            width,
            channels: 1,
        } if !are_curves(height, width) => format!("{height}x{width}"),
        InstanceShape::Image {
            height,
            width,
            channels,
        } => format!("{height}x{width}x{channels}"),
        InstanceShape::Series {
            points,
            channels: 1,
        } => points.to_string(),
        InstanceShape::Series { points, channels } => format!("{points}x{channels}"),
    }
}

/// Reads what is written after `--shape`: `28x28` or, for pictures of up to eight columns, `64x8x1`
/// (grey), `28x28x3` (colour), `64` (a curve), `64x3` (curves: more than eight points of up to
/// eight).
///
/// # Errors
/// Says what can be written; of point clouds and text, why they are refused.
pub fn read_shape(text: &str) -> Result<InstanceShape, String> {
    let word = text.trim().to_lowercase();
    if word.contains("point") || word.contains("cloud") {
        return Err(POINT_CLOUD.to_owned());
    }
    if word.contains("text") || word.contains("token") {
        return Err(TEXT.to_owned());
    }
    let sides: Option<Vec<usize>> = text
        .split(['x', '×'])
        .map(|side| side.trim().parse().ok().filter(|&n| n > 0))
        .collect();
    match sides.as_deref() {
        Some(&[points]) => Ok(InstanceShape::series(points, 1)),
        Some(&[points, channels]) if are_curves(points, channels) => {
            Ok(InstanceShape::Series { points, channels })
        }
        Some(&[height, width]) => Ok(InstanceShape::image(height, width, 1)),
        Some(&[height, width, channels @ (1 | COLOURS)]) => {
            Ok(InstanceShape::image(height, width, channels))
        }
        _ => Err(format!(
            "write HEIGHTxWIDTH for a grey picture (with x1 after it if it has up to {MOST_CURVES} columns), HEIGHTxWIDTHx3 for one in colour, a number of points for a curve, or POINTSxCURVES for up to {MOST_CURVES} curves over the same points"
        )),
    }
}

/// What an output may be, and what is said for each.
pub(super) fn tell_shape(output: &[usize], axes: &[usize], values: usize) -> String {
    let mut said = format!("the decoder gives {output:?}; say with --shape what that is");
    let grey = |height, width| shape_text(InstanceShape::image(height, width, 1));
    let &[a, b] = axes else {
        said += &format!(
            ": {values} for a curve of {values} points, POINTSxCURVES for up to {MOST_CURVES} curves, HEIGHTxWIDTH for a grey picture, HEIGHTxWIDTHx3 for one in colour"
        );
        return said;
    };
    let (short, long) = (a.min(b), a.max(b));
    if are_curves(long, short) {
        said += &format!(": {long}x{short} for {short} curves of {long} points;");
    }
    said += &format!(
        " {} for a grey picture of {a} rows and {b} columns. ",
        grey(a, b)
    );
    if short <= 3 {
        said += &format!("If these are {long} points in space: {POINT_CLOUD}");
    } else if long > short.saturating_mul(SLENDER) {
        said += &format!("If these are scores of {b} tokens at {a} places: {TEXT}");
    }
    said.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::Layout;
    use super::*;

    const fn image(height: usize, width: usize, channels: usize) -> InstanceShape {
        InstanceShape::image(height, width, channels)
    }

    const fn curves(points: usize, channels: usize) -> InstanceShape {
        InstanceShape::Series { points, channels }
    }

    #[test]
    fn shapes_are_read_as_they_are_written() {
        for (text, shape) in [
            ("64", curves(64, 1)),
            ("64x3", curves(64, 3)),
            ("9x8", curves(9, 8)),
            ("8x8", image(8, 8, 1)),
            ("64x3x1", image(64, 3, 1)),
            ("3x64", image(3, 64, 1)),
            ("20x12", image(20, 12, 1)),
            ("20x12x3", image(20, 12, 3)),
        ] {
            assert_eq!(read_shape(text), Ok(shape), "{text}");
            assert_eq!(shape_text(shape), text);
        }
        assert_eq!(read_shape(" 20×12 × 3"), Ok(image(20, 12, 3)));
        for bad in ["", "x", "0x3", "2x3x4", "1x2x3x4", "-3"] {
            assert!(read_shape(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_may_be_a_cloud_or_text_is_asked_and_refused_by_name() {
        let asked = |output: &[usize]| Layout::of(output, None, None).unwrap_err().to_string();
        for (output, words) in [
            (
                &[3, 500][..],
                ["500x3 for 3 curves", "3x500 for a grey", "point cloud"],
            ),
            (
                &[500, 3],
                ["500x3 for 3 curves", "500x3x1 for a grey", "point cloud"],
            ),
            (&[8, 64], ["64x8 for 8 curves", "8x64 for a grey", "8 rows"]),
            (
                &[32, 5000],
                ["32x5000 for a grey", "5000 tokens", "text is no instance"],
            ),
        ] {
            let said = asked(output);
            for word in words {
                assert!(said.contains(word), "{word}: {said}");
            }
        }
        assert!(read_shape("points").unwrap_err().contains("point cloud"));
        assert!(read_shape("text").unwrap_err().contains("text is no"));
    }
}
