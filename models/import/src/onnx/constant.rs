//! Values of a graph that do not depend on its input.

use std::path::{Component, Path};
use std::rc::Rc;

use super::super::error::ImportError;
use super::proto::{DataType, TensorProto};

/// Largest number of values in one constant: far above any real decoder.
const MAX_VALUES: usize = 1 << 26;

/// Reads a file that lies beside the ONNX file, by its relative path; says why it cannot.
pub type ExternalData<'a> = &'a dyn Fn(&str) -> Result<Rc<[u8]>, String>;

/// A constant: shape, and values row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    /// Shape; empty for a single value.
    pub shape: Vec<usize>,
    /// The values.
    pub data: Data,
}

/// Values of a constant. Whole numbers are kept apart, since shapes must be exact.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Numbers.
    Floats(Vec<f32>),
    /// Whole numbers, and truth values.
    Ints(Vec<i64>),
}

impl Constant {
    /// A vector of whole numbers.
    pub fn ints(values: Vec<i64>) -> Self {
        Self {
            shape: vec![values.len()],
            data: Data::Ints(values),
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match &self.data {
            Data::Floats(values) => values.len(),
            Data::Ints(values) => values.len(),
        }
    }

    /// The values as numbers.
    pub fn floats(&self) -> Vec<f32> {
        match &self.data {
            Data::Floats(values) => values.clone(),
            Data::Ints(values) => values.iter().map(|&v| v as f32).collect(),
        }
    }

    /// The values as whole numbers, if they are.
    pub fn to_ints(&self) -> Option<&[i64]> {
        match &self.data {
            Data::Ints(values) => Some(values),
            Data::Floats(_) => None,
        }
    }

    /// The same values at other places: place i holds what was at `from[i]`.
    pub fn gathered(&self, shape: Vec<usize>, from: &[usize]) -> Self {
        let data = match &self.data {
            Data::Floats(values) => Data::Floats(from.iter().map(|&i| values[i]).collect()),
            Data::Ints(values) => Data::Ints(from.iter().map(|&i| values[i]).collect()),
        };
        Self { shape, data }
    }

    /// Reads a tensor of the file, or of a file beside it.
    ///
    /// # Errors
    /// When its type is none that weights have, its values are too few or too many for
    /// its shape, or one of them is infinite or no number.
    pub fn read(tensor: &TensorProto, external_data: ExternalData) -> Result<Self, ImportError> {
        let refuse = |problem: String| Err(ImportError::tensor(&tensor.name, problem));
        let mut shape = Vec::with_capacity(tensor.dims.len());
        let mut count = Some(1_usize);
        for &dim in &tensor.dims {
            let Ok(dim) = usize::try_from(dim) else {
                return refuse(format!("its shape {:?} is impossible", tensor.dims));
            };
            shape.push(dim);
            count = count.and_then(|n| n.checked_mul(dim.max(1)));
        }
        if count.is_none_or(|n| n > MAX_VALUES) {
            return refuse(format!(
                "its shape {:?} is too large; at most {MAX_VALUES} values are read",
                tensor.dims
            ));
        }
        let count: usize = shape.iter().product();
        let external = (tensor.data_location == 1)
            .then(|| external(tensor, external_data))
            .transpose()?;
        let raw = external.as_deref().unwrap_or(&tensor.raw_data);
        let Some(data) = values(tensor, raw) else {
            let kind = DataType::try_from(tensor.data_type)
                .map_or_else(|_| tensor.data_type.to_string(), |kind| format!("{kind:?}"));
            return refuse(format!(
                "values of type {kind} are not read; export the model in float32"
            ));
        };
        let mut constant = Self { shape, data };
        if constant.len() != count {
            return refuse(format!(
                "it has {} values, its shape {:?} asks for {count}; the file seems to be cut short",
                constant.len(),
                tensor.dims
            ));
        }
        if let Data::Floats(values) = &mut constant.data
            && values.iter().all(|&v| v == 0.0 || v == f32::NEG_INFINITY)
        {
            // A mask of attention: what is far below everything is as little as nothing.
            values.iter_mut().for_each(|v| *v = v.max(f32::MIN));
        }
        if let Data::Floats(values) = &constant.data
            && let Some(at) = values.iter().position(|v| !v.is_finite())
        {
            return refuse(format!(
                "it holds {} at position {at}; did the training diverge?",
                values[at]
            ));
        }
        Ok(constant)
    }
}

/// The values, from the field of their type or from bytes; `None` for another type.
fn values(tensor: &TensorProto, raw: &[u8]) -> Option<Data> {
    let few = |n: usize| raw.chunks_exact(n);
    let small = || tensor.int32_data.iter().copied();
    let from_raw = !raw.is_empty();
    Some(match DataType::try_from(tensor.data_type).ok()? {
        DataType::Float if from_raw => Data::Floats(
            few(4)
                .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect(),
        ),
        DataType::Float => Data::Floats(tensor.float_data.clone()),
        DataType::Double if from_raw => Data::Floats(
            few(8)
                .map(|b| {
                    f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]) as f32
                })
                .collect(),
        ),
        DataType::Double => Data::Floats(tensor.double_data.iter().map(|&v| v as f32).collect()),
        DataType::Float16 | DataType::Bfloat16 => {
            let bits: Vec<u16> = if from_raw {
                few(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect()
            } else {
                small().map(|bits| bits as u16).collect()
            };
            let half = tensor.data_type == DataType::Float16 as i32;
            Data::Floats(
                bits.into_iter()
                    .map(|bits| {
                        if half {
                            half::f16::from_bits(bits).to_f32()
                        } else {
                            half::bf16::from_bits(bits).to_f32()
                        }
                    })
                    .collect(),
            )
        }
        DataType::Int64 if from_raw => Data::Ints(
            few(8)
                .map(|b| i64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))
                .collect(),
        ),
        DataType::Int64 => Data::Ints(tensor.int64_data.clone()),
        DataType::Int32 if from_raw => Data::Ints(
            few(4)
                .map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]).into())
                .collect(),
        ),
        DataType::Bool if from_raw => Data::Ints(raw.iter().map(|&b| b.into()).collect()),
        DataType::Int32 | DataType::Bool => Data::Ints(small().map(Into::into).collect()),
        _ => return None,
    })
}

/// The bytes of a tensor whose values lie in another file.
fn external(tensor: &TensorProto, external_data: ExternalData) -> Result<Vec<u8>, ImportError> {
    let entry = |key: &str| {
        tensor
            .external_data
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| entry.value.as_str())
    };
    let number = |key: &str| entry(key).map(str::parse::<usize>).transpose();
    let location = entry("location").unwrap_or_default();
    let refuse = |problem: String| ImportError::tensor(&tensor.name, problem);
    let inside = |part: Component| matches!(part, Component::Normal(_));
    if location.is_empty()
        || location.contains('\\')
        || !Path::new(location).components().all(inside)
    {
        return Err(refuse(format!(
            "its values are said to be in {location:?}, which is not beside the ONNX file; export anew into one folder"
        )));
    }
    let bytes = external_data(location).map_err(|problem| {
        refuse(format!(
            "its values are in {location:?}, which has to lie beside the ONNX file: {problem}"
        ))
    })?;
    let (Ok(offset), Ok(length)) = (number("offset"), number("length")) else {
        return Err(refuse("its place in another file is no number".to_owned()));
    };
    let start = offset.unwrap_or(0);
    let end = match length {
        Some(length) => start.checked_add(length),
        None => Some(bytes.len()),
    };
    end.and_then(|end| bytes.get(start..end))
        .map(<[u8]>::to_vec)
        .ok_or_else(|| {
            refuse(format!(
                "{location:?} is too short; is it of another export?"
            ))
        })
}
