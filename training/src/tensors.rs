//! Tensors of rows, and networks with fresh parameters.

use std::collections::BTreeMap;

use candle_core::{DType, Device, Result, Tensor, Var};
use models::architecture::Layer;
use rand::{Rng, RngExt};

use crate::data::Rows;
use crate::mnist::DIGITS;
use crate::net::Net;

/// The rows' instances as `[n, values]`.
pub(crate) fn instances(rows: &Rows) -> Result<Tensor> {
    let values = rows.instances.len() / rows.len.max(1);
    Tensor::from_slice(&rows.instances, (rows.len, values), &Device::Cpu)
}

/// Digits as rows of ten with a single one.
pub(crate) fn one_hot(digits: impl ExactSizeIterator<Item = usize>) -> Result<Tensor> {
    let rows = digits.len();
    let mut values = vec![0.0_f32; rows * DIGITS];
    for (row, digit) in values.chunks_exact_mut(DIGITS).zip(digits) {
        match row.get_mut(digit) {
            Some(value) => *value = 1.0,
            None => candle_core::bail!("{digit} is no digit"),
        }
    }
    Tensor::from_vec(values, (rows, DIGITS), &Device::Cpu)
}

/// A network with fresh parameters, which go into `parameters` by name.
pub(crate) fn net(
    layers: Vec<Layer>,
    parameters: &mut BTreeMap<String, Var>,
    rng: &mut impl Rng,
) -> Result<Net> {
    Net::new(layers, |name, shape| {
        let var = Var::from_tensor(&initial(name, shape, rng)?)?;
        parameters.insert(name.to_owned(), var.clone());
        Ok(var)
    })
}

fn initial(name: &str, shape: &[usize], rng: &mut impl Rng) -> Result<Tensor> {
    let &[first, second, ref kernel @ ..] = shape else {
        // One number for each unit: batch normalisation begins with scale and variance 1.
        let one = name.ends_with(".weight") || name.ends_with(".running_var");
        return if one {
            Tensor::ones(shape, DType::F32, &Device::Cpu)
        } else {
            Tensor::zeros(shape, DType::F32, &Device::Cpu)
        };
    };
    // Each input of a convolution reaches `taps` outputs of every map, and back.
    let taps: usize = kernel.iter().product();
    let limit = (6.0 / ((first + second) * taps) as f32).sqrt();
    let values: Vec<f32> = (0..first * second * taps)
        .map(|_| limit * (2.0 * rng.random::<f32>() - 1.0))
        .collect();
    Tensor::from_vec(values, shape, &Device::Cpu)
}
