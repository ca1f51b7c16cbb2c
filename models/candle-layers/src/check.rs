//! What the tests of convolutions share: comparing with candle's own operations.
#![allow(clippy::unwrap_used)]

use candle_core::{DType, Device, Tensor, Var};

/// A variable of standard normal values.
pub(crate) fn random(shape: &[usize]) -> Var {
    Var::randn_f64(0.0, 1.0, shape, DType::F32, &Device::Cpu).unwrap()
}

/// The largest difference between any two values.
pub(crate) fn largest_difference(a: &Tensor, b: &Tensor) -> f32 {
    assert_eq!(a.dims(), b.dims());
    (a - b)
        .unwrap()
        .abs()
        .unwrap()
        .flatten_all()
        .unwrap()
        .max(0)
        .unwrap()
        .to_scalar()
        .unwrap()
}

/// Asserts that two ways to compute the same agree, and so do their gradients.
pub(crate) fn assert_same_gradients(ours: &Tensor, theirs: &Tensor, vars: &[&Var]) {
    assert!(largest_difference(ours, theirs) < 1e-4);
    // A loss that weighs every output differently.
    let weight = random(ours.dims());
    let grads_of = |y: &Tensor| {
        (y.sqr().unwrap() * weight.as_tensor())
            .unwrap()
            .sum_all()
            .unwrap()
            .backward()
            .unwrap()
    };
    let (ours, theirs) = (grads_of(ours), grads_of(theirs));
    for var in vars {
        assert!(largest_difference(ours.get(var).unwrap(), theirs.get(var).unwrap()) < 1e-2);
    }
}
