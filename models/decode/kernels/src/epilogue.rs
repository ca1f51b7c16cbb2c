//! Epilogues: changes of a layer's outputs before the next one takes them.

use super::isa::{Isa, dispatch};
use super::simd::{LANES, Simd};
use crate::Activation;

/// An activation, then a scale and a shift (a batch norm that could not go into the
/// weights before it). Either may be missing.
#[derive(Debug, Clone, Default)]
pub struct Epilogue {
    /// The activation.
    pub function: Option<Activation>,
    /// Scales and shifts, repeated as often as they fit.
    pub affine: Option<(Vec<f32>, Vec<f32>)>,
}

impl Epilogue {
    /// Whether values stay as they are.
    pub fn is_nothing(&self) -> bool {
        self.function.is_none() && self.affine.is_none()
    }

    /// Takes out an activation that only changes the slope below zero, for a kernel
    /// that does this itself: the slope, 1 if there is none.
    pub fn take_slope(&mut self) -> f32 {
        let slope = match self.function {
            Some(Activation::Relu) => 0.0,
            Some(Activation::LeakyRelu { slope }) => slope as f32,
            _ => return 1.0,
        };
        self.function = None;
        slope
    }

    /// Changes the values in place.
    pub fn apply(&self, isa: Isa, values: &mut [f32]) {
        if let Some(function) = self.function {
            dispatch!(isa, activate(function, values));
        }
        if let Some((scales, shifts)) = &self.affine {
            for values in values.chunks_mut(scales.len().max(1)) {
                for ((value, scale), shift) in values.iter_mut().zip(scales).zip(shifts) {
                    *value = *value * scale + shift;
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(function: Activation, values: &mut [f32]) {
    activate::<super::simd::Avx2>(function, values);
}

#[inline(always)]
fn activate<S: Simd>(function: Activation, values: &mut [f32]) {
    let (chunks, rest) = values.as_chunks_mut::<LANES>();
    for chunk in chunks {
        activated::<S>(function, chunk);
    }
    let mut last = [0.0; LANES];
    last[..rest.len()].copy_from_slice(rest);
    activated::<S>(function, &mut last);
    rest.copy_from_slice(&last[..rest.len()]);
}

// No closures here: they would be compiled without the instructions of the caller.
#[inline(always)]
fn activated<S: Simd>(function: Activation, values: &mut [f32; LANES]) {
    let (zero, one) = (S::splat(0.0), S::splat(1.0));
    let x = S::load(values);
    let y = match function {
        Activation::Relu => x.max(zero),
        Activation::LeakyRelu { slope } => {
            x.max(zero).add_product(x.min(zero), S::splat(slope as f32))
        }
        // The exponential's argument is at most zero, so nothing overflows.
        Activation::Sigmoid => {
            let small = zero.sub(x.abs()).exp();
            let below = small.div(one.add(small));
            // below for x < 0, 1 − below above: step is 0 or 1.
            let step = x.mul(S::splat(1e38)).max(zero).min(one);
            below.add_product(step, one.sub(below.add(below)))
        }
        Activation::Tanh => {
            let small = zero.sub(x.abs().add(x.abs())).exp();
            let magnitude = one.sub(small).div(one.add(small));
            let sign = x.mul(S::splat(1e38)).max(zero.sub(one)).min(one);
            magnitude.mul(sign)
        }
        Activation::Elu { alpha } => {
            let below = x.min(zero).exp().sub(one);
            x.max(zero).add_product(S::splat(alpha as f32), below)
        }
        Activation::Softplus => {
            for value in values {
                *value = value.max(0.0) + (-value.abs()).exp().ln_1p();
            }
            return;
        }
    };
    y.store(values);
}

#[cfg(test)]
mod tests {
    use super::*;

    type Formula = fn(f64) -> f64;

    #[test]
    fn what_is_no_number_stays_none() {
        for isa in [Isa::detect(), Isa::portable()] {
            for function in [
                Activation::Relu,
                Activation::LeakyRelu { slope: 0.2 },
                Activation::Sigmoid,
                Activation::Tanh,
                Activation::Elu { alpha: 0.5 },
                Activation::Softplus,
            ] {
                let epilogue = Epilogue {
                    function: Some(function),
                    affine: None,
                };
                // In a whole vector and behind it.
                let mut found = [[0.0; 8], [f32::NAN; 8], [f32::NAN; 8]].concat();
                found.truncate(19);
                epilogue.apply(isa, &mut found);
                assert!(found[..8].iter().all(|v| v.is_finite()), "{function:?}");
                assert!(
                    found[8..].iter().all(|v| v.is_nan()),
                    "{function:?} {found:?}"
                );
            }
        }
    }

    /// Against the formulas in f64, far out too.
    #[test]
    fn activations_are_accurate_to_a_millionth() {
        let values: Vec<f32> = (-4000..=4003i16)
            .map(|i| f32::from(i) / 100.0)
            .chain([0.0, -0.0, 1e-20, -1e-20, 300.0, -300.0])
            .collect();
        let table: [(Activation, Formula); 6] = [
            (Activation::Relu, |x| x.max(0.0)),
            (Activation::LeakyRelu { slope: 0.2 }, |x| {
                if x > 0.0 { x } else { 0.2 * x }
            }),
            (Activation::Sigmoid, |x| 1.0 / (1.0 + (-x).exp())),
            (Activation::Tanh, f64::tanh),
            (Activation::Elu { alpha: 0.5 }, |x| {
                if x > 0.0 { x } else { 0.5 * x.exp_m1() }
            }),
            (Activation::Softplus, |x| {
                x.max(0.0) + (-x.abs()).exp().ln_1p()
            }),
        ];
        for isa in [Isa::detect(), Isa::portable()] {
            for (function, expected) in table {
                let mut found = values.clone();
                let epilogue = Epilogue {
                    function: Some(function),
                    affine: None,
                };
                epilogue.apply(isa, &mut found);
                for (found, &x) in found.iter().zip(&values) {
                    let expected = expected(f64::from(x));
                    let off = (f64::from(*found) - expected).abs();
                    assert!(
                        off <= 3e-7 * expected.abs().max(1.0),
                        "{function:?} at {x}: {off}"
                    );
                }
            }
        }
    }
}
