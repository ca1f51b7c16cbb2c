//! Numbers in fewer bits.

use decode::weights::{self, Values};
use half::f16;

/// Numbers in half precision. Nothing when a value is too large for that: a sigmoid could hide it
/// from the gate, and the file would be refused when read.
#[must_use]
pub fn to_f16(values: &[f32]) -> Option<Values> {
    let halves = values.iter().map(|&v| f16::from_f32(v));
    halves
        .map(|half| half.is_finite().then(|| half.to_bits()))
        .collect::<Option<_>>()
        .map(Values::F16)
}

/// Whole numbers in −127 … 127, the largest magnitude of each unit at the end; `axis` counts the
/// output units of a tensor of this shape.
#[must_use]
#[allow(clippy::cast_possible_truncation)] // rounded and within i8
pub fn to_int8(values: &[f32], shape: &[usize], axis: usize) -> Values {
    let units = shape.get(axis).copied().unwrap_or(1);
    let mut scales = vec![0.0f32; units];
    for (i, v) in values.iter().enumerate() {
        let scale = &mut scales[weights::unit(i, shape, axis)];
        *scale = scale.max(v.abs() / 127.0);
    }
    let values = values
        .iter()
        .enumerate()
        .map(|(i, v)| match scales[weights::unit(i, shape, axis)] {
            0.0 => 0,
            scale => (v / scale).round().clamp(-127.0, 127.0) as i8,
        })
        .collect();
    Values::Int8 { values, scales }
}
