//! The numbers of a tensor in the precision they are stored in.

use half::f16;

/// The numbers of one tensor, as a file holds them.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Single precision.
    F32(Vec<f32>),
    /// Half precision, as bits.
    F16(Vec<u16>),
    /// Whole numbers times one scale for each output unit. In the file the scales are
    /// the tensor `NAME.scale`.
    Int8 {
        /// The whole numbers.
        values: Vec<i8>,
        /// One for each output unit; which axis counts these, the layer knows
        /// ([`Layer::unit_axis`]).
        scales: Vec<f32>,
    },
}

impl Values {
    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F16(bits) => bits.len(),
            Self::Int8 { values, .. } => values.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values in single precision, of a tensor of this shape whose axis
    /// `unit_axis` counts the output units. A unit without a scale is zero.
    #[must_use]
    pub fn expand(&self, shape: &[usize], unit_axis: usize) -> Vec<f32> {
        match self {
            Self::F32(values) => values.clone(),
            Self::F16(bits) => bits
                .iter()
                .map(|&bits| f16::from_bits(bits).to_f32())
                .collect(),
            Self::Int8 { values, scales } => values
                .iter()
                .enumerate()
                .map(|(i, &v)| {
                    f32::from(v)
                        * scales
                            .get(unit(i, shape, unit_axis))
                            .copied()
                            .unwrap_or(0.0)
                })
                .collect(),
        }
    }
}

/// The output unit that the `index`th value of a tensor belongs to.
#[must_use]
pub fn unit(index: usize, shape: &[usize], unit_axis: usize) -> usize {
    let after: usize = shape.iter().skip(unit_axis + 1).product();
    let units = shape.get(unit_axis).copied().unwrap_or(1);
    index / after.max(1) % units.max(1)
}
