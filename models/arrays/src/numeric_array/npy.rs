//! The format of `numpy.save`: a header that is a Python dictionary, then the values.

use super::{MAX_VALUES, NumericArray};

/// What every such file begins with.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// Longest header that is looked at.
const MAX_HEADER: usize = 1 << 16;

/// What the header says.
#[derive(Debug, PartialEq)]
struct Header {
    /// Type of the values: byte order, kind, size.
    descr: String,
    fortran_order: bool,
    shape: Vec<usize>,
}

/// The type of an `.npy` file's values as numpy writes it, such as `|u1` or `<f4`; `None` for what is no
/// such file.
#[must_use]
pub fn npy_type(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(MAGIC)?;
    let end = bytes.len().min(MAX_HEADER);
    let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
    Some(header(&text)?.descr)
}

/// Reads an array of floats or whole numbers; a vector becomes rows of one value.
pub fn read(bytes: &[u8]) -> Result<NumericArray, String> {
    let cut = || "it is cut short".to_owned();
    let (length, start) = match bytes.get(6).ok_or_else(cut)? {
        1 => {
            let length = bytes.get(8..10).ok_or_else(cut)?;
            (usize::from(u16::from_le_bytes([length[0], length[1]])), 10)
        }
        2 | 3 => {
            let length = bytes.get(8..12).ok_or_else(cut)?;
            let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
            (usize::try_from(length).unwrap_or(usize::MAX), 12)
        }
        other => return Err(format!("version {other} of .npy is not known")),
    };
    if length > MAX_HEADER {
        return Err("its header is too long".to_owned());
    }
    let text = bytes.get(start..start + length).ok_or_else(cut)?;
    let text = std::str::from_utf8(text).map_err(|_| "its header is no text".to_owned())?;
    let header = header(text).ok_or_else(|| format!("its header is not understood: {text}"))?;
    let count = header
        .shape
        .iter()
        .try_fold(1_usize, |n, &k| n.checked_mul(k))
        .filter(|&n| n <= MAX_VALUES)
        .ok_or_else(|| format!("its shape {:?} is too large", header.shape))?;
    let values = values(&header.descr, &bytes[start + length..])?;
    if values.len() < count {
        return Err(format!(
            "it holds {} values, its shape {:?} asks for {count}; it seems to be cut short",
            values.len(),
            header.shape
        ));
    }
    if values.len() > count {
        return Err(format!(
            "there are values behind those of its shape {:?}",
            header.shape
        ));
    }
    let values = if header.fortran_order {
        by_rows(&header.shape, &values)
    } else {
        values
    };
    let mut shape = header.shape;
    match shape.len() {
        0 => return Err("it holds a single number".to_owned()),
        1 => shape.push(1),
        _ => {}
    }
    Ok(NumericArray { shape, values })
}

/// Values whose first axis was fastest (Fortran's order), the last axis fastest.
fn by_rows(shape: &[usize], values: &[f64]) -> Vec<f64> {
    let mut places = vec![0];
    let mut stride = 1;
    let strides = shape.iter().map(|&side| {
        let own = stride;
        stride *= side;
        (side, own)
    });
    for (side, stride) in strides.collect::<Vec<_>>() {
        let along = |base: &usize| {
            let base = *base;
            (0..side).map(move |i| base + i * stride)
        };
        places = places.iter().flat_map(along).collect();
    }
    places.into_iter().map(|at| values[at]).collect()
}

fn values(descr: &str, bytes: &[u8]) -> Result<Vec<f64>, String> {
    fn each<const N: usize>(bytes: &[u8], value: impl Fn([u8; N]) -> f64) -> Option<Vec<f64>> {
        let (values, rest) = bytes.as_chunks::<N>();
        rest.is_empty()
            .then(|| values.iter().map(|&bytes| value(bytes)).collect())
    }
    let found = match descr {
        "<f4" => each(bytes, |b| f32::from_le_bytes(b).into()),
        "<f8" => each(bytes, f64::from_le_bytes),
        "<f2" => each(bytes, |b| half::f16::from_le_bytes(b).into()),
        ">f4" => each(bytes, |b| f32::from_be_bytes(b).into()),
        ">f8" => each(bytes, f64::from_be_bytes),
        ">f2" => each(bytes, |b| half::f16::from_be_bytes(b).into()),
        "<i2" => each(bytes, |b| i16::from_le_bytes(b).into()),
        ">i2" => each(bytes, |b| i16::from_be_bytes(b).into()),
        "<i4" => each(bytes, |b| i32::from_le_bytes(b).into()),
        ">i4" => each(bytes, |b| i32::from_be_bytes(b).into()),
        "<i8" => each(bytes, |b| i64::from_le_bytes(b) as f64),
        ">i8" => each(bytes, |b| i64::from_be_bytes(b) as f64),
        "<u2" => each(bytes, |b| u16::from_le_bytes(b).into()),
        ">u2" => each(bytes, |b| u16::from_be_bytes(b).into()),
        "<u4" => each(bytes, |b| u32::from_le_bytes(b).into()),
        ">u4" => each(bytes, |b| u32::from_be_bytes(b).into()),
        "<u8" => each(bytes, |b| u64::from_le_bytes(b) as f64),
        ">u8" => each(bytes, |b| u64::from_be_bytes(b) as f64),
        "|i1" => each(bytes, |[b]| b.cast_signed().into()),
        "|u1" | "|b1" => each(bytes, |[b]| b.into()),
        "|O" => {
            return Err(
                "it holds Python objects, which only Python can read, and which may run a program when it does; save an array of numbers".to_owned(),
            );
        }
        other => {
            return Err(format!(
                "values of type {other:?} are not read; save z.astype(\"float32\")"
            ));
        }
    };
    found.ok_or_else(|| "it is cut short".to_owned())
}

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (10, 5), }`.
fn header(text: &str) -> Option<Header> {
    let value = |key: &str| {
        let (_, rest) = text.split_once(&format!("'{key}'"))?;
        Some(rest.trim_start().strip_prefix(':')?.trim_start())
    };
    let descr = value("descr")?.strip_prefix('\'')?.split_once('\'')?.0;
    let fortran = value("fortran_order")?;
    let fortran_order = fortran.starts_with("True");
    if !fortran_order && !fortran.starts_with("False") {
        return None;
    }
    let (shape, _) = value("shape")?.strip_prefix('(')?.split_once(')')?;
    let shape = shape
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty())
        .map(|size| size.parse().ok())
        .collect::<Option<_>>()?;
    Some(Header {
        descr: descr.to_owned(),
        fortran_order,
        shape,
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A file of version 1, as numpy pads it: the header ends at a multiple of 64.
    fn file(descr: &str, fortran: &str, shape: &str, values: &[u8]) -> Vec<u8> {
        let mut header =
            format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
        while !(header.len() + 11).is_multiple_of(64) {
            header.push(' ');
        }
        header.push('\n');
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), values].concat()
    }

    /// python3 -c "import numpy as np
    /// np.save('a', np.array([[1.5, -2], [0, 3]], 'f4')); print(open('a.npy', 'rb').read())"
    pub(crate) const NUMPY: &[u8] = b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }                                                          \n\x00\x00\xc0?\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00@@";

    #[test]
    fn a_file_of_numpy_is_read() {
        let table = read(NUMPY).unwrap();
        assert_eq!(table.shape, [2, 2]);
        assert_eq!(table.values, [1.5, -2.0, 0.0, 3.0]);
        assert_eq!(file("<f4", "False", "(2, 2)", &NUMPY[128..]), NUMPY);
    }

    /// python3 -c "import numpy as np
    /// a = np.asfortranarray(np.arange(12).reshape(2, 3, 2).astype('u1')); print(a.tobytes('A'))"
    #[test]
    fn an_array_in_fortran_order_is_read() {
        let values = [0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11];
        let table = read(&file("|u1", "True", "(2, 3, 2)", &values)).unwrap();
        assert_eq!(table.shape, [2, 3, 2]);
        let expected: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(table.values, expected);
    }

    #[test]
    fn the_usual_types_are_read_and_others_named() {
        let one = |descr: &str, bytes: &[u8]| read(&file(descr, "False", "(1,)", bytes));
        for (descr, bytes) in [
            ("<f8", 3.0_f64.to_le_bytes().to_vec()),
            (">f4", 3.0_f32.to_be_bytes().to_vec()),
            ("<f2", vec![0x00, 0x42]),
            ("<i8", 3_i64.to_le_bytes().to_vec()),
            ("<i4", 3_i32.to_le_bytes().to_vec()),
            ("|u1", vec![3]),
        ] {
            let table = one(descr, &bytes).unwrap();
            assert_eq!((table.shape, table.values), (vec![1, 1], vec![3.0]));
        }
        let other = one("<c8", &[0; 8]).unwrap_err();
        assert!(
            other.contains("<c8") && other.contains("float32"),
            "{other}"
        );
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let values = &NUMPY[128..];
        let no = |bytes: &[u8]| read(bytes).unwrap_err();
        let more = no(&file("<f4", "False", "(2, 3)", values));
        assert!(more.contains("cut short"), "{more}");
        let fewer = no(&file("<f4", "False", "(2, 1)", values));
        assert!(fewer.contains("behind"), "{fewer}");
        let huge = no(&file("<f4", "False", "(99999999999, 99999999999)", values));
        assert!(huge.contains("too large"), "{huge}");
        assert!(no(&file("<f4", "False", "()", &values[..4])).contains("single"));
        assert!(no(&file("<f4", "Maybe", "(2, 2)", values)).contains("not understood"));
        for length in 0..NUMPY.len() {
            assert!(read(&NUMPY[..length]).is_err());
        }
    }
}
