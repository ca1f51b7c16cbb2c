//! Functions of each value that graphs have and layers have not, and softmax.

use super::isa::{Isa, dispatch};
use super::simd::{LANES, Simd};

/// A function of each value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointwise {
    /// e^x; arguments below −87 count as −87, above 88 as 88.
    Exp,
    /// x times the standard normal distribution at x.
    Gelu,
    /// The same by a hyperbolic tangent.
    GeluTanh,
    /// x · sigmoid(x)
    Silu,
}

impl Pointwise {
    /// Changes the values in place.
    pub fn apply(self, isa: Isa, values: &mut [f32]) {
        #[cfg(target_arch = "x86_64")]
        use each_avx2 as avx2;
        dispatch!(isa, each(self, values));
    }
}

/// e^x over the sum of all e^x, in each row of `len` values. Changes them in place.
pub fn softmax(isa: Isa, values: &mut [f32], len: usize) {
    #[cfg(target_arch = "x86_64")]
    use rows_avx2 as avx2;
    dispatch!(isa, rows(values, len));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn each_avx2(function: Pointwise, values: &mut [f32]) {
    each::<super::simd::Avx2>(function, values);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn rows_avx2(values: &mut [f32], len: usize) {
    rows::<super::simd::Avx2>(values, len);
}

#[inline(always)]
fn each<S: Simd>(function: Pointwise, values: &mut [f32]) {
    let (chunks, rest) = values.as_chunks_mut::<LANES>();
    for chunk in chunks {
        of::<S>(function, S::load(chunk)).store(chunk);
    }
    let mut last = [0.0; LANES];
    last[..rest.len()].copy_from_slice(rest);
    of::<S>(function, S::load(&last)).store(&mut last);
    rest.copy_from_slice(&last[..rest.len()]);
}

// No closures here: they would be compiled without the instructions of the caller.
#[inline(always)]
fn of<S: Simd>(function: Pointwise, x: S) -> S {
    let (zero, one) = (S::splat(0.0), S::splat(1.0));
    match function {
        Pointwise::Exp => x.exp(),
        Pointwise::Silu => x.div(one.add(zero.sub(x).exp())),
        // (1 + tanh u) / 2 is the sigmoid of 2u, here u = √(2/π)·(x + 0.044715·x³).
        Pointwise::GeluTanh => {
            let cubic = x.mul(x).mul(S::splat(0.044_715 * 1.595_769));
            let twice = x.mul(cubic.add(S::splat(1.595_769)));
            x.div(one.add(zero.sub(twice).exp()))
        }
        Pointwise::Gelu => {
            let outside = erfc(x.abs().mul(S::splat(std::f32::consts::FRAC_1_SQRT_2)));
            let outside = outside.mul(S::splat(0.5));
            // The part below x: `outside` for x < 0, 1 − outside above; step is 0 or 1.
            let step = x.mul(S::splat(1e38)).max(zero).min(one);
            x.mul(outside.add_product(step, one.sub(outside.add(outside))))
        }
    }
}

/// What the error function is short of 1, for z ≥ 0, to a relative 1.2e-7: Chebyshev's
/// approximation of Press et al. (Numerical Recipes, 6.2).
#[inline(always)]
#[allow(clippy::excessive_precision)] // as published
fn erfc<S: Simd>(z: S) -> S {
    let one = S::splat(1.0);
    let t = one.div(one.add_product(z, S::splat(0.5)));
    let mut sum = S::splat(0.170_872_77);
    for coefficient in [
        -0.822_152_23,
        1.488_515_87,
        -1.135_203_98,
        0.278_868_07,
        -0.186_288_06,
        0.096_784_18,
        0.374_091_96,
        1.000_023_68,
        -1.265_512_23,
    ] {
        sum = S::splat(coefficient).add_product(sum, t);
    }
    t.mul(sum.sub(z.mul(z)).exp())
}

#[inline(always)]
fn rows<S: Simd>(values: &mut [f32], len: usize) {
    for row in values.chunks_exact_mut(len.max(1)) {
        let largest = row.iter().fold(f32::NEG_INFINITY, |m, &v| m.max(v));
        let (shift, mut sums) = (S::splat(largest), S::splat(0.0));
        let (chunks, rest) = row.as_chunks_mut::<LANES>();
        for chunk in chunks {
            let value = S::load(chunk).sub(shift).exp();
            sums = sums.add(value);
            value.store(chunk);
        }
        let mut last = [0.0; LANES];
        last[..rest.len()].copy_from_slice(rest);
        S::load(&last).sub(shift).exp().store(&mut last);
        rest.copy_from_slice(&last[..rest.len()]);
        let mut lanes = [0.0; LANES];
        sums.store(&mut lanes);
        let sum = lanes.iter().sum::<f32>() + rest.iter().sum::<f32>();
        let factor = 1.0 / sum;
        row.iter_mut().for_each(|v| *v *= factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn isas() -> [Isa; 2] {
        [Isa::detect(), Isa::portable()]
    }

    /// python3 -c "
    /// from math import *
    /// for x in (-6., -2.5, -0.3, 0., 0.7, 3., 40.):
    ///     print([exp(x), x * erfc(-x / sqrt(2)) / 2,
    ///         x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))), x / (1 + exp(-x))])"
    #[test]
    fn functions_have_their_textbook_values() {
        let xs = [-6.0, -2.5, -0.3, 0.0, 0.7, 3.0, 40.0];
        let table: [(Pointwise, [f64; 7]); 4] = [
            (
                Pointwise::Exp,
                [
                    0.002_478_752_2,
                    0.082_084_998_6,
                    0.740_818_220_7,
                    1.0,
                    2.013_752_707_5,
                    20.085_536_923_2,
                    2.353_852_668_370_2e17,
                ],
            ),
            (
                Pointwise::Gelu,
                [
                    -5.919_525_87e-9,
                    -0.015_524_163_3,
                    -0.114_626_573_3,
                    0.0,
                    0.530_625_443_4,
                    2.995_950_303_6,
                    40.0,
                ],
            ),
            (
                Pointwise::GeluTanh,
                [
                    -8.439_648_98e-11,
                    -0.015_084_266_1,
                    -0.114_629_077_5,
                    0.0,
                    0.530_570_134_7,
                    2.996_362_607_9,
                    40.0,
                ],
            ),
            (
                Pointwise::Silu,
                [
                    -0.014_835_738_9,
                    -0.189_645_450_1,
                    -0.127_667_245_0,
                    0.0,
                    0.467_731_440_5,
                    2.857_722_380_5,
                    40.0,
                ],
            ),
        ];
        for isa in isas() {
            for (function, expected) in table {
                let mut found: Vec<f32> = xs.to_vec();
                function.apply(isa, &mut found);
                for ((found, expected), x) in found.iter().zip(expected).zip(xs) {
                    let off = (f64::from(*found) - expected).abs();
                    assert!(
                        off <= 5e-7 * expected.abs().max(1e-2),
                        "{function:?} at {x}: {found}, not {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_stays_none() {
        for isa in isas() {
            for function in [
                Pointwise::Exp,
                Pointwise::Gelu,
                Pointwise::GeluTanh,
                Pointwise::Silu,
            ] {
                let mut found = [f32::NAN; 11];
                function.apply(isa, &mut found);
                assert!(found.iter().all(|v| v.is_nan()), "{function:?} {found:?}");
            }
            let mut found = [[1.0; 10], [2.0; 10]].concat();
            found[13] = f32::NAN;
            softmax(isa, &mut found, 10);
            assert!(found[..10].iter().all(|v| v.is_finite()));
            assert!(found[10..].iter().all(|v| v.is_nan()), "{found:?}");
        }
    }

    /// Against the formula in f64.
    #[test]
    fn rows_of_a_softmax_add_up_to_one() {
        let rows = [1.0, 2.0, 3.0, -100.0, 5.0, 0.0, 0.0, 1.0, 2.0, 4.0];
        for isa in isas() {
            let mut found = [rows, [7.0; 10]].concat();
            softmax(isa, &mut found, 10);
            let whole: f64 = rows.iter().map(|&v| f64::from(v).exp()).sum();
            for (found, v) in found.iter().zip(rows) {
                assert!((f64::from(*found) - f64::from(v).exp() / whole).abs() < 2e-7);
            }
            assert!(found[10..].iter().all(|v| (v - 0.1).abs() < 1e-7));
        }
    }
}
