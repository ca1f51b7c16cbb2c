//! The numbers of a tensor in the precision they are stored in.

use half::f16;

use crate::architecture::Units;

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
        /// One for each output unit; which values are whose, the layer knows
        /// ([`Layer::units`]).
        scales: Vec<f32>,
        /// Of a tensor that a file holds in four bits: a whole number for each group of
        /// neighbours, row by row, that the group's values are −8 … 7 times of. In the file
        /// these are the tensor `NAME.step`. Empty when it is held in eight bits.
        steps: Vec<i8>,
    },
}

/// Values of a file in four bits, unpacked: the lower bits of all bytes are the first half
/// of them, the upper bits the second. Each is multiplied with the step of its group.
pub(super) fn unpack(packed: &[i8], steps: &[i8]) -> Vec<i8> {
    let lower = packed.iter().map(|byte| byte << 4 >> 4);
    let mut values: Vec<i8> = lower.chain(packed.iter().map(|byte| byte >> 4)).collect();
    let group = (values.len() / steps.len().max(1)).max(1);
    for (values, step) in values.chunks_mut(group).zip(steps) {
        values.iter_mut().for_each(|v| *v = v.wrapping_mul(*step));
    }
    values
}

/// The reverse of [`unpack`].
pub(super) fn pack(values: &[i8], steps: &[i8]) -> Vec<i8> {
    let group = (values.len() / steps.len().max(1)).max(1);
    let digit = |at: usize| {
        let step = steps.get(at / group).copied().unwrap_or(1);
        values[at].checked_div(step).unwrap_or(0)
    };
    let half = values.len() / 2;
    (0..half)
        .map(|at| (digit(at) & 15) | (digit(half + at) << 4))
        .collect()
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

    /// The values in single precision, of a tensor of this shape. A unit without a scale
    /// is zero.
    #[must_use]
    pub fn expand(&self, shape: &[usize], units: Units) -> Vec<f32> {
        match self {
            Self::F32(values) => values.clone(),
            Self::F16(bits) => bits
                .iter()
                .map(|&bits| f16::from_bits(bits).to_f32())
                .collect(),
            Self::Int8 { values, scales, .. } => values
                .iter()
                .enumerate()
                .map(|(i, &v)| {
                    f32::from(v) * scales.get(units.of(i, shape)).copied().unwrap_or(0.0)
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// python3 -c "
    /// import numpy as np
    /// q = np.array([-7, 7, 0, 3, -1, 5, 6, -6], 'i1')
    /// print((q[:4] & 15 | q[4:] << 4).view('i1'), q * np.repeat([2, 18], 4))"
    #[test]
    fn four_bits_are_packed_and_unpacked() {
        let values = [-14, 14, 0, 6, -18, 90, 108, -108];
        let packed = pack(&values, &[2, 18]);
        assert_eq!(packed, [-7, 87, 96, -93]);
        assert_eq!(unpack(&packed, &[2, 18]), values);
        // Whatever a file says, nothing panics.
        assert_eq!(unpack(&packed, &[]).len(), 8);
        assert_eq!(unpack(&packed, &[1; 20]).len(), 8);
        assert_eq!(unpack(&[-128], &[127]), [0, -8_i8.wrapping_mul(127)]);
    }
}
