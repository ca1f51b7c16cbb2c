//! How a decoder's output, as its framework has it, is read as an instance.

use domain::model::{InstanceShape, MOST_CURVES};

/// The order of a decoder's values, and the instance they make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// What the values make.
    pub shape: InstanceShape,
    /// Whether the colours of a pixel lie side by side, as in Keras, or the picture in
    /// one colour follows that in another, as in PyTorch.
    pub channels_last: bool,
}

/// Number of colours of a picture that is not grey.
const COLOURS: usize = 3;
/// A picture that is so many times as long as it is wide is more likely something else.
const SLENDER: usize = 8;

/// Why point clouds are refused, and what can be done.
pub const POINT_CLOUD: &str = "a point cloud is no instance here, since it is shown and compared without an order of its points: let the decoder end in a picture of it, as a sum of a soft spot for each point, or, if the points have an order, import their coordinates as curves";
/// Why text is refused, and what can be done.
pub const TEXT: &str = "text is no instance here: Redial shows pictures and curves, and a dial that is moved has to change them little by little";

/// Why it is not known how a decoder's output is read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unclear {
    /// The shape of an instance has to be told.
    #[error("{0}")]
    Shape(String),
    /// Whether channels come last has to be told.
    #[error("{0}")]
    Channels(String),
    /// What was told does not fit the output.
    #[error("{0}")]
    Wrong(String),
}

impl Layout {
    /// What can be told from the output's shape (without the batch) and from what is
    /// known: the shape of an instance, and whether channels come last.
    ///
    /// # Errors
    /// Says what does not fit, or what has to be told.
    pub fn of(
        output: &[usize],
        shape: Option<InstanceShape>,
        channels_last: Option<bool>,
    ) -> Result<Self, Unclear> {
        let axes: Vec<usize> = output.iter().copied().filter(|&n| n != 1).collect();
        let values: usize = output.iter().product();
        let colour = |height, width| InstanceShape::Image {
            height,
            width,
            channels: COLOURS,
        };
        let shape = match (shape, &axes[..], channels_last) {
            (Some(shape), _, _) => shape,
            (None, &[height, width], _) if !is_doubtful(height, width) => InstanceShape::Image {
                height,
                width,
                channels: 1,
            },
            (None, &[COLOURS, height, width], Some(false)) => colour(height, width),
            (None, &[height, width, COLOURS], Some(true)) => colour(height, width),
            (None, &[COLOURS, height, width], None) if width != COLOURS => colour(height, width),
            (None, &[height, width, COLOURS], None) if height != COLOURS => colour(height, width),
            (None, &[COLOURS, _, COLOURS], None) => return Err(tell_order(output, "")),
            _ => return Err(Unclear::Shape(tell_shape(output, &axes, values))),
        };
        let len = shape.checked_len();
        if len != Some(values) {
            return Err(Unclear::Wrong(format!(
                "the decoder gives {values} values ({output:?}), --shape {} asks for {}",
                shape_text(shape),
                len.map_or_else(|| "too many".to_owned(), |n| n.to_string())
            )));
        }
        let (height, width, channels) = sides(shape);
        let is_picture = matches!(shape, InstanceShape::Image { .. });
        let known = if axes.len() < 2 { &[][..] } else { &axes[..] };
        let like = |sides: &[usize]| {
            let sides: Vec<usize> = sides.iter().copied().filter(|&n| n != 1).collect();
            known.is_empty() || sides.len() < 2 || known == sides
        };
        let first = like(&[channels, height, width]);
        let last = like(&[height, width, channels]);
        let channels_last = match (channels, first, last, channels_last) {
            // The points of a single curve may lie in any number of axes.
            (1, ..) if !is_picture => true,
            (_, false, false, _) => {
                return Err(Unclear::Wrong(format!(
                    "the decoder gives {output:?}, which is not {}",
                    shape_text(shape)
                )));
            }
            (1, ..) => true,
            (_, true, false, None | Some(false)) => false,
            (_, false, true, None | Some(true)) => true,
            (_, true, true, Some(told)) => told,
            (_, true, true, None) if is_picture => return Err(tell_order(output, "")),
            (_, true, true, None) => return Err(tell_order(output, "of a curve ")),
            (.., Some(told)) => {
                return Err(Unclear::Wrong(format!(
                    "the decoder gives {output:?}: --channels {} does not fit",
                    if told { "last" } else { "first" }
                )));
            }
        };
        Ok(Self {
            shape,
            channels_last,
        })
    }

    /// For each value of an instance (rows, columns, channels) its place in the
    /// decoder's output; `None`: the same.
    #[must_use]
    pub fn places(&self) -> Option<Vec<usize>> {
        let (height, width, channels) = self.sides();
        let places = height * width;
        let first = channels > 1 && !self.channels_last;
        first.then(|| {
            (0..places)
                .flat_map(|place| (0..channels).map(move |c| c * places + place))
                .collect()
        })
    }

    /// Rows, columns and channels; a series is a single row.
    #[must_use]
    pub fn sides(&self) -> (usize, usize, usize) {
        sides(self.shape)
    }
}

/// Rows, columns and channels; a series is a single row.
fn sides(shape: InstanceShape) -> (usize, usize, usize) {
    match shape {
        InstanceShape::Image {
            height,
            width,
            channels,
        } => (height, width, channels),
        InstanceShape::Series { points, channels } => (1, points, channels),
    }
}

/// Whether an output of two axes may well be something else than a picture: curves, points in
/// space, scores of tokens.
fn is_doubtful(height: usize, width: usize) -> bool {
    let (short, long) = (height.min(width), height.max(width));
    are_curves(long, short) || long > short.saturating_mul(SLENDER)
}

/// Number of values of a shape, if it is one that can be.
trait CheckedLen {
    fn checked_len(&self) -> Option<usize>;
}

impl CheckedLen for InstanceShape {
    fn checked_len(&self) -> Option<usize> {
        match *self {
            Self::Image {
                height,
                width,
                channels,
            } => height.checked_mul(width)?.checked_mul(channels),
            Self::Series { points, channels } => points.checked_mul(channels),
        }
    }
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
        Some(&[points]) => Ok(InstanceShape::Series {
            points,
            channels: 1,
        }),
        Some(&[points, channels]) if are_curves(points, channels) => {
            Ok(InstanceShape::Series { points, channels })
        }
        Some(&[height, width]) => Ok(InstanceShape::Image {
            height,
            width,
            channels: 1,
        }),
        Some(&[height, width, channels @ (1 | COLOURS)]) => Ok(InstanceShape::Image {
            height,
            width,
            channels,
        }),
        _ => Err(format!(
            "write HEIGHTxWIDTH for a grey picture (with x1 after it if it has up to {MOST_CURVES} columns), HEIGHTxWIDTHx3 for one in colour, a number of points for a curve, or POINTSxCURVES for up to {MOST_CURVES} curves over the same points"
        )),
    }
}

/// What an output may be, and what is said for each.
fn tell_shape(output: &[usize], axes: &[usize], values: usize) -> String {
    let mut said = format!("the decoder gives {output:?}; say with --shape what that is");
    let grey = |height, width| {
        shape_text(InstanceShape::Image {
            height,
            width,
            channels: 1,
        })
    };
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

/// `of` says what the values are of, where it is no picture: "of a curve ".
fn tell_order(output: &[usize], of: &str) -> Unclear {
    Unclear::Channels(if of.is_empty() {
        format!(
            "the decoder gives {output:?}; say with --channels first or last whether the picture in red comes before that in green (PyTorch) or the colours of a pixel lie side by side (Keras)"
        )
    } else {
        format!(
            "the decoder gives {output:?}; say with --channels first or last whether all values {of}come before those of the next (PyTorch) or the values of all curves at a point lie side by side (Keras)"
        )
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const fn image(height: usize, width: usize, channels: usize) -> InstanceShape {
        InstanceShape::Image {
            height,
            width,
            channels,
        }
    }

    #[test]
    fn shapes_are_told_from_the_output_where_they_can_be() {
        let told =
            |output: &[usize]| Layout::of(output, None, None).map(|l| (l.shape, l.channels_last));
        assert_eq!(told(&[1, 20, 12]), Ok((image(20, 12, 1), true)));
        assert_eq!(told(&[20, 12, 1]), Ok((image(20, 12, 1), true)));
        assert_eq!(told(&[20, 12]), Ok((image(20, 12, 1), true)));
        assert_eq!(told(&[3, 20, 12]), Ok((image(20, 12, 3), false)));
        assert_eq!(told(&[20, 12, 3]), Ok((image(20, 12, 3), true)));
        assert!(
            told(&[3, 5, 3])
                .unwrap_err()
                .to_string()
                .contains("--channels")
        );
        assert!(told(&[64]).unwrap_err().to_string().contains("--shape"));
        assert!(
            told(&[4, 20, 12])
                .unwrap_err()
                .to_string()
                .contains("--shape")
        );
    }

    #[test]
    fn what_is_told_must_fit() {
        let told = |output: &[usize], shape, last| Layout::of(output, Some(shape), last);
        assert!(
            !told(&[36], image(4, 3, 3), Some(false))
                .unwrap()
                .channels_last
        );
        let silent = told(&[36], image(4, 3, 3), None).unwrap_err().to_string();
        assert!(silent.contains("--channels"), "{silent}");
        let turned = told(&[1, 12, 20], image(20, 12, 1), None)
            .unwrap_err()
            .to_string();
        assert!(turned.contains("not 20x12"), "{turned}");
        let more = told(&[1, 12, 20], image(20, 13, 1), None)
            .unwrap_err()
            .to_string();
        assert!(
            more.contains("240 values") && more.contains("asks for 260"),
            "{more}"
        );
        let order = told(&[3, 4, 5], image(4, 5, 3), Some(true))
            .unwrap_err()
            .to_string();
        assert!(order.contains("--channels last"), "{order}");
        assert!(
            told(&[9], image(usize::MAX, 2, 1), None)
                .unwrap_err()
                .to_string()
                .contains("too many")
        );
        let series = told(&[1, 24], curves(24, 1), None).unwrap();
        assert_eq!(series.sides(), (1, 24, 1));
    }

    const fn curves(points: usize, channels: usize) -> InstanceShape {
        InstanceShape::Series { points, channels }
    }

    #[test]
    fn curves_come_one_after_the_other_or_point_by_point() {
        let told = |output: &[usize], last| Layout::of(output, Some(curves(24, 3)), last);
        let first = told(&[3, 24], None).unwrap();
        assert!(!first.channels_last);
        assert_eq!(first.sides(), (1, 24, 3));
        // python3 -c "import numpy as np
        // print(np.arange(72).reshape(3, 24).T.ravel()[:6])"
        assert_eq!(first.places().unwrap()[..6], [0, 24, 48, 1, 25, 49]);
        assert_eq!(told(&[24, 3], None).unwrap().places(), None);
        assert_eq!(told(&[3, 1, 24], None).unwrap(), first);
        assert_eq!(told(&[72], Some(false)).unwrap(), first);
        let flat = told(&[72], None).unwrap_err().to_string();
        assert!(
            flat.contains("--channels") && flat.contains("curve"),
            "{flat}"
        );
        let other = told(&[6, 12], None).unwrap_err().to_string();
        assert!(other.contains("not 24x3"), "{other}");
        let wrong = told(&[3, 24], Some(true)).unwrap_err().to_string();
        assert!(wrong.contains("--channels last"), "{wrong}");
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
    fn pixels_come_before_colours_in_an_instance() {
        let layout = Layout::of(&[3, 1, 2], Some(image(1, 2, 3)), None).unwrap();
        // python3 -c "import numpy as np
        // print(np.arange(6).reshape(3, 1, 2).transpose(1, 2, 0).ravel())"
        assert_eq!(layout.places(), Some(vec![0, 2, 4, 1, 3, 5]));
    }
}
