//! How a decoder's output, as its framework has it, is read as an instance.

use domain::model::InstanceShape;

mod shape;

use shape::{COLOURS, is_doubtful, tell_shape};
pub use shape::{POINT_CLOUD, TEXT, read_shape, shape_text};

/// The order of a decoder's values, and the instance they make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// What the values make.
    pub shape: InstanceShape,
    /// Whether the colours of a pixel lie side by side, as in Keras, or the picture in
    /// one colour follows that in another, as in PyTorch.
    pub channels_last: bool,
}

/// Why it is not known how a decoder's output is read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
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
    ) -> Result<Self, LayoutError> {
        let axes: Vec<usize> = output.iter().copied().filter(|&n| n != 1).collect();
        let values: usize = output.iter().product();
        let colour = |height, width| InstanceShape::image(height, width, COLOURS);
        let shape = match (shape, &axes[..], channels_last) {
            (Some(shape), _, _) => shape,
            (None, &[height, width], _) if !is_doubtful(height, width) => {
                InstanceShape::image(height, width, 1)
            }
            (None, &[COLOURS, height, width], Some(false)) => colour(height, width),
            (None, &[height, width, COLOURS], Some(true)) => colour(height, width),
            (None, &[COLOURS, height, width], None) if width != COLOURS => colour(height, width),
            (None, &[height, width, COLOURS], None) if height != COLOURS => colour(height, width),
            (None, &[COLOURS, _, COLOURS], None) => return Err(tell_order(output, "")),
            _ => return Err(LayoutError::Shape(tell_shape(output, &axes, values))),
        };
        let len = shape.checked_len();
        if len != Some(values) {
            return Err(LayoutError::Wrong(format!(
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
                return Err(LayoutError::Wrong(format!(
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
                return Err(LayoutError::Wrong(format!(
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

/// `of` says what the values are of, where it is no picture: "of a curve ".
fn tell_order(output: &[usize], of: &str) -> LayoutError {
    LayoutError::Channels(if of.is_empty() {
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
mod tests {
    use super::*;

    const fn image(height: usize, width: usize, channels: usize) -> InstanceShape {
        InstanceShape::image(height, width, channels)
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
    fn pixels_come_before_colours_in_an_instance() {
        let layout = Layout::of(&[3, 1, 2], Some(image(1, 2, 3)), None).unwrap();
        // python3 -c "import numpy as np
        // print(np.arange(6).reshape(3, 1, 2).transpose(1, 2, 0).ravel())"
        assert_eq!(layout.places(), Some(vec![0, 2, 4, 1, 3, 5]));
    }
}
