//! Arrays as numpy itself would write them.

use super::MAGIC;

/// Bytes as an `.npy` file of type `|u1`, as numpy itself would write it: version 1, the last axis
/// fastest.
#[must_use]
pub fn bytes_as_npy(shape: &[usize], values: &[u8]) -> Vec<u8> {
    as_npy("|u1", shape, values)
}

/// Numbers as an `.npy` file of type `<f4`; see [`bytes_as_npy`].
#[must_use]
pub fn f32_as_npy(shape: &[usize], values: &[f32]) -> Vec<u8> {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    as_npy("<f4", shape, &bytes)
}

/// Numbers in half precision as an `.npy` file of type `<f2`; what is beyond it becomes infinite. See
/// [`bytes_as_npy`].
#[must_use]
pub fn f16_as_npy(shape: &[usize], values: &[f32]) -> Vec<u8> {
    let half = |v: &f32| half::f16::from_f32(*v).to_le_bytes();
    let bytes: Vec<u8> = values.iter().flat_map(half).collect();
    as_npy("<f2", shape, &bytes)
}

fn as_npy(descr: &str, shape: &[usize], values: &[u8]) -> Vec<u8> {
    let sides: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let sides = format!("({}{comma})", sides.join(", "));
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {sides}, }}");
    while !(MAGIC.len() + 4 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    #[allow(clippy::cast_possible_truncation)] // a dozen axes at most
    let length = (header.len() as u16).to_le_bytes();
    [MAGIC, &[1, 0], &length, header.as_bytes(), values].concat()
}
