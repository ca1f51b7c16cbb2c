//! How a decoder's output, as its framework has it, is read as an instance.

use domain::model::InstanceShape;

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
        let grey = |height, width| InstanceShape::Image {
            height,
            width,
            channels: 1,
        };
        let colour = |height, width| InstanceShape::Image {
            height,
            width,
            channels: COLOURS,
        };
        let shape = match (shape, &axes[..], channels_last) {
            (Some(shape), _, _) => shape,
            (None, &[height, width], _) => grey(height, width),
            (None, &[COLOURS, height, width], Some(false)) => colour(height, width),
            (None, &[height, width, COLOURS], Some(true)) => colour(height, width),
            (None, &[COLOURS, height, width], None) if width != COLOURS => colour(height, width),
            (None, &[height, width, COLOURS], None) if height != COLOURS => colour(height, width),
            (None, &[COLOURS, _, COLOURS], None) => return Err(tell_order(output)),
            _ => {
                return Err(Unclear::Shape(format!(
                    "the decoder gives {output:?}; say with --shape what that is: {values} for a series of {values} points, HEIGHTxWIDTH for a grey picture, HEIGHTxWIDTHx3 for one in colour"
                )));
            }
        };
        let len = shape.checked_len();
        if len != Some(values) {
            return Err(Unclear::Wrong(format!(
                "the decoder gives {values} values ({output:?}), --shape {} asks for {}",
                shape_text(shape),
                len.map_or_else(|| "too many".to_owned(), |n| n.to_string())
            )));
        }
        let channels_last = match shape {
            InstanceShape::Series { .. } => true,
            InstanceShape::Image {
                height,
                width,
                channels,
            } => {
                let known: Vec<usize> = match axes[..] {
                    [] | [_] => Vec::new(),
                    _ => axes,
                };
                let like = |sides: &[usize]| {
                    let sides: Vec<usize> = sides.iter().copied().filter(|&n| n != 1).collect();
                    sides.len() < 2 || known == sides
                };
                let first = known.is_empty() || like(&[channels, height, width]);
                let last = known.is_empty() || like(&[height, width, channels]);
                match (channels, first, last, channels_last) {
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
                    (_, true, true, None) => return Err(tell_order(output)),
                    (.., Some(told)) => {
                        return Err(Unclear::Wrong(format!(
                            "the decoder gives {output:?}: --channels {} does not fit",
                            if told { "last" } else { "first" }
                        )));
                    }
                }
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
        match self.shape {
            InstanceShape::Image {
                height,
                width,
                channels,
            } if channels > 1 && !self.channels_last => {
                let pixels = height * width;
                Some(
                    (0..pixels)
                        .flat_map(|pixel| (0..channels).map(move |c| c * pixels + pixel))
                        .collect(),
                )
            }
            _ => None,
        }
    }

    /// Rows, columns and channels; a series is a single row.
    #[must_use]
    pub fn sides(&self) -> (usize, usize, usize) {
        match self.shape {
            InstanceShape::Image {
                height,
                width,
                channels,
            } => (height, width, channels),
            InstanceShape::Series { points } => (1, points, 1),
        }
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
            Self::Series { points } => Some(points),
        }
    }
}

/// A shape as it is written after `--shape`.
#[must_use]
pub fn shape_text(shape: InstanceShape) -> String {
    match shape {
        InstanceShape::Image {
            height,
            width,
            channels: 1,
        } => format!("{height}x{width}"),
        InstanceShape::Image {
            height,
            width,
            channels,
        } => format!("{height}x{width}x{channels}"),
        InstanceShape::Series { points } => points.to_string(),
    }
}

fn tell_order(output: &[usize]) -> Unclear {
    Unclear::Channels(format!(
        "the decoder gives {output:?}; say with --channels first or last whether the picture in red comes before that in green (PyTorch) or the colours of a pixel lie side by side (Keras)"
    ))
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
        let series = told(&[1, 24], InstanceShape::Series { points: 24 }, None).unwrap();
        assert_eq!(series.sides(), (1, 24, 1));
    }

    #[test]
    fn pixels_come_before_colours_in_an_instance() {
        let layout = Layout::of(&[3, 1, 2], Some(image(1, 2, 3)), None).unwrap();
        // python3 -c "import numpy as np
        // print(np.arange(6).reshape(3, 1, 2).transpose(1, 2, 0).ravel())"
        assert_eq!(layout.places(), Some(vec![0, 2, 4, 1, 3, 5]));
    }
}
