//! Writing the format of `numpy.save`.

use super::npy::MAGIC;

/// Bytes as an `.npy` file of type `|u1`, as numpy itself would write it: version 1, the last axis
/// fastest.
#[must_use]
pub fn bytes_as_npy(shape: &[usize], values: &[u8]) -> Vec<u8> {
    file("|u1", shape, values)
}

/// Numbers as an `.npy` file of type `<f4`; see [`bytes_as_npy`].
#[must_use]
pub fn f32_as_npy(shape: &[usize], values: &[f32]) -> Vec<u8> {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    file("<f4", shape, &bytes)
}

/// Numbers in half precision as an `.npy` file of type `<f2`; what is beyond it becomes infinite. See
/// [`bytes_as_npy`].
#[must_use]
pub fn f16_as_npy(shape: &[usize], values: &[f32]) -> Vec<u8> {
    let half = |v: &f32| half::f16::from_f32(*v).to_le_bytes();
    let bytes: Vec<u8> = values.iter().flat_map(half).collect();
    file("<f2", shape, &bytes)
}

fn file(descr: &str, shape: &[usize], values: &[u8]) -> Vec<u8> {
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

#[cfg(test)]
mod tests {
    use super::super::npy::tests::NUMPY;
    use super::super::npy::{npy_type, read};
    use super::*;

    /// python3 -c "import numpy as np
    /// np.save('a', np.array([[1, 2, 3]], 'u1')); print(open('a.npy', 'rb').read())"
    #[test]
    fn bytes_are_written_as_numpy_writes_them() {
        let numpy = b"\x93NUMPY\x01\x00v\x00{'descr': '|u1', 'fortran_order': False, 'shape': (1, 3), }                                                          \n\x01\x02\x03";
        let written = bytes_as_npy(&[1, 3], &[1, 2, 3]);
        assert_eq!(written, numpy);
        assert_eq!(npy_type(&written).as_deref(), Some("|u1"));
        assert_eq!(npy_type(NUMPY).as_deref(), Some("<f4"));
        assert_eq!(npy_type(b"no array"), None);
        assert_eq!(
            read(&bytes_as_npy(&[2], &[7, 9])).unwrap().values,
            [7.0, 9.0]
        );
    }

    #[test]
    fn floats_are_written_as_numpy_writes_them() {
        assert_eq!(f32_as_npy(&[2, 2], &[1.5, -2.0, 0.0, 3.0]), NUMPY);
        // python3 -c "import numpy as np; print(np.array([.1, 65504, -1e9], 'f2').astype(float).tolist())"
        let halves = read(&f16_as_npy(&[3], &[0.1, 65_504.0, -1e9])).unwrap();
        let expected = [0.099_975_585_937_5, 65_504.0, f64::NEG_INFINITY];
        assert_eq!(halves.values, expected);
    }
}
