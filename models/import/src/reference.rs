//! The framework's own outputs, against what is decoded here.

use super::error::ImportError;
use super::layout::Layout;
use arrays::NumericArray;

/// How a decoder's values were changed on the way into a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum OutputMapping {
    /// Not at all; those of a picture are from black, 0, to white, 1.
    #[default]
    AsTheyAre,
    /// Not at all; those of a picture may be any.
    Unclipped,
    /// A sigmoid was added.
    Sigmoid,
    /// These two became 0 and 1.
    Rescaled {
        /// What is black.
        black: f64,
        /// What is white.
        white: f64,
    },
    /// These two became 0 and 1, and what was beyond them became the nearer one.
    Clipped {
        /// What is black.
        black: f64,
        /// What is white.
        white: f64,
    },
}

impl OutputMapping {
    /// What becomes of a value.
    #[must_use]
    pub fn of(self, value: f64) -> f64 {
        match self {
            Self::AsTheyAre | Self::Unclipped => value,
            Self::Sigmoid => 1.0 / (1.0 + (-value).exp()),
            Self::Rescaled { black, white } => (value - black) / (white - black),
            Self::Clipped { black, white } => ((value - black) / (white - black)).clamp(0.0, 1.0),
        }
    }

    /// What a value was before black and white became 0 and 1.
    #[must_use]
    pub fn before(self, value: f64) -> f64 {
        match self {
            Self::Rescaled { black, white } | Self::Clipped { black, white } => {
                black + value * (white - black)
            }
            Self::AsTheyAre | Self::Unclipped | Self::Sigmoid => value,
        }
    }
}

/// How far two decoders are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReferenceComparison {
    /// Number of instances compared.
    pub instances: usize,
    /// Largest difference of two values; where values go beyond ±1, as a share of the
    /// largest of them.
    pub largest: f64,
    /// 0-based row of the table in which it is.
    pub row: usize,
}

/// Compares instances with the rows of a table of reference outputs: instance i with row
/// `of[i]`. `output` is the shape of the exported decoder's output.
///
/// # Errors
/// When the table's rows are no instances of that layout, or too few.
pub fn compare(
    instances: &[Vec<f32>],
    of: &[usize],
    table: &NumericArray,
    output: &[usize],
    layout: &Layout,
    mapping: OutputMapping,
) -> Result<ReferenceComparison, ImportError> {
    let places = places(table, output, layout)?;
    let size = table
        .values
        .iter()
        .fold(1.0, |size: f64, &v| size.max(mapping.of(v).abs()));
    let width = table.width();
    let mut found = ReferenceComparison {
        instances: instances.len(),
        largest: 0.0,
        row: 0,
    };
    for (instance, &row) in instances.iter().zip(of) {
        let expected = table.values.get(row * width..(row + 1) * width);
        let expected = expected.ok_or_else(|| {
            ImportError::file(format!(
                "the reference outputs have {} rows, the latents more",
                table.rows()
            ))
        })?;
        for (i, &value) in instance.iter().enumerate() {
            let place = places.as_ref().map_or(i, |places| places[i]);
            let difference = (mapping.of(expected[place]) - f64::from(value)).abs() / size;
            // What is no number is the largest difference of all.
            if difference > found.largest || difference.is_nan() {
                (found.largest, found.row) = (difference, row);
            }
        }
    }
    Ok(found)
}

/// For each value of an instance its place in a row of the table, whose order is the
/// decoder's own, or that of instances or of their channels-first form.
fn places(
    table: &NumericArray,
    output: &[usize],
    layout: &Layout,
) -> Result<Option<Vec<usize>>, ImportError> {
    let (height, width, channels) = layout.sides();
    let axes =
        |shape: &[usize]| -> Vec<usize> { shape.iter().copied().filter(|&n| n != 1).collect() };
    let row = axes(table.shape.get(1..).unwrap_or_default());
    let as_instance = |channels_last| Layout {
        channels_last,
        ..*layout
    };
    let fits = table.width() == height * width * channels;
    let order = if !fits {
        None
    } else if row.len() < 2 || row == axes(output) {
        Some(*layout)
    } else if row == axes(&[height, width, channels]) {
        Some(as_instance(true))
    } else if row == axes(&[channels, height, width]) {
        Some(as_instance(false))
    } else {
        None
    };
    match order {
        Some(order) => Ok(order.places()),
        None => Err(ImportError::file(format!(
            "the reference outputs have rows of shape {:?}, the decoder gives {output:?}",
            table.shape.get(1..).unwrap_or_default()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use domain::model::InstanceShape;

    use super::*;

    const LAYOUT: Layout = Layout {
        shape: InstanceShape::image(1, 2, 3),
        channels_last: false,
    };

    fn largest(
        instance: [f32; 6],
        shape: &[usize],
        values: [f64; 6],
        mapping: OutputMapping,
    ) -> f64 {
        let table = NumericArray {
            shape: [&[1], shape].concat(),
            values: values.to_vec(),
        };
        compare(
            &[instance.to_vec()],
            &[0],
            &table,
            &[3, 1, 2],
            &LAYOUT,
            mapping,
        )
        .unwrap()
        .largest
    }

    #[test]
    fn references_are_read_in_the_order_of_their_shape() {
        let instance = [0.0, 0.2, 0.4, 0.1, 0.3, 0.5];
        let (first, last) = (
            [0.0, 0.1, 0.2, 0.3, 0.4, 0.5],
            [0.0, 0.2, 0.4, 0.1, 0.3, 0.5],
        );
        let none = OutputMapping::AsTheyAre;
        assert!(largest(instance, &[3, 1, 2], first, none) < 1e-6);
        assert!(largest(instance, &[6], first, none) < 1e-6);
        assert!(largest(instance, &[1, 2, 3], last, none) < 1e-6);
        assert!((largest(instance, &[6], last, none) - 0.2).abs() < 1e-6);
    }

    #[test]
    fn differences_are_found_after_the_finish_and_shares_of_large_values() {
        let tanh = OutputMapping::Rescaled {
            black: -1.0,
            white: 1.0,
        };
        assert!(largest([0.75; 6], &[6], [0.5; 6], tanh) < 1e-7);
        let half = largest([0.5; 6], &[6], [0.0; 6], OutputMapping::Sigmoid);
        assert!(half < 1e-7);
        let far = largest([99.0; 6], &[6], [100.0; 6], OutputMapping::AsTheyAre);
        assert!((far - 0.01).abs() < 1e-9);
        let lost = largest([f32::NAN; 6], &[6], [0.0; 6], OutputMapping::AsTheyAre);
        assert!(lost.is_nan());
    }
}
