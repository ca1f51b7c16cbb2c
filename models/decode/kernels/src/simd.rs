//! Eight f32 at a time, whatever the machine: two vectors of four in the browser, one
//! of eight with AVX2, eight numbers for the compiler to make vectors of elsewhere.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;
pub(super) use portable::Portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) use wasm::Wasm;

/// Values in a vector.
pub(super) const LANES: usize = 8;

/// A vector of [`LANES`] values. Everything is `#[inline(always)]`, so that it is
/// compiled for the instructions that its caller may use.
pub(super) trait Simd: Copy {
    /// Whether it is one register, so that twice as many sums fit.
    const WIDE: bool = false;

    /// All lanes the same.
    fn splat(value: f32) -> Self;
    /// From memory.
    fn load(values: &[f32; LANES]) -> Self;
    /// From whole numbers.
    fn load_i8(values: &[i8; LANES]) -> Self;
    /// From the bits of half precision, times 2^−112: exact, and cheaper than the number
    /// itself. Finite numbers only.
    fn load_f16(bits: &[u16; LANES]) -> Self;
    /// To memory.
    fn store(self, values: &mut [f32; LANES]);
    /// self + other
    fn add(self, other: Self) -> Self;
    /// self − other
    fn sub(self, other: Self) -> Self;
    /// self · other
    fn mul(self, other: Self) -> Self;
    /// self / other
    fn div(self, other: Self) -> Self;
    /// self + a·b, rounded once or twice.
    fn add_product(self, a: Self, b: Self) -> Self;
    /// The smaller, lane by lane; where self is no number, it stays none.
    fn min(self, other: Self) -> Self;
    /// The larger, lane by lane; where self is no number, it stays none.
    fn max(self, other: Self) -> Self;
    /// Absolute values.
    fn abs(self) -> Self;
    /// To the nearest whole number.
    fn round(self) -> Self;
    /// 2 to the power of whole numbers from −126 to 127.
    fn pow2(self) -> Self;

    /// e^self, to within two units in the last place; arguments below −87 count as
    /// −87, above 88 as 88.
    #[inline(always)]
    fn exp(self) -> Self {
        let x = self.max(Self::splat(-87.0)).min(Self::splat(88.0));
        let n = x.mul(Self::splat(std::f32::consts::LOG2_E)).round();
        // x − n·ln 2, with ln 2 in two parts, the first of which has few enough bits
        // for the product to be exact.
        let r = x
            .add_product(n, Self::splat(-0.693_359_4))
            .add_product(n, Self::splat(2.121_944_4e-4));
        // Taylor's series up to r⁷/7!: |r| ≤ ln 2 / 2, so the rest is below 6e-9.
        let mut sum = Self::splat(1.0 / 5040.0);
        for coefficient in [
            1.0 / 720.0,
            1.0 / 120.0,
            1.0 / 24.0,
            1.0 / 6.0,
            0.5,
            1.0,
            1.0,
        ] {
            sum = Self::splat(coefficient).add_product(sum, r);
        }
        sum.mul(n.pow2())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation against the same in plain f32.
    fn agrees<S: Simd>() {
        let (a, b) = (
            [-2.5f32, -1.0, -0.3, 0.0, 0.7, 1.5, 2.5, 60.0],
            [3.0f32, -2.0, 0.5, 1.0, -4.0, 1.5, 0.25, 7.0],
        );
        let check = |found: S, expected: fn(f32, f32) -> f32| {
            let mut values = [0.0; LANES];
            found.store(&mut values);
            for ((value, a), b) in values.iter().zip(a).zip(b) {
                let expected = expected(a, b);
                assert!(
                    (value - expected).abs() <= 2e-7 * expected.abs(),
                    "{value} is not {expected}"
                );
            }
        };
        let (va, vb) = (S::load(&a), S::load(&b));
        check(va.add(vb), |a, b| a + b);
        check(va.sub(vb), |a, b| a - b);
        check(va.mul(vb), |a, b| a * b);
        check(va.div(vb), |a, b| a / b);
        check(va.min(vb), f32::min);
        check(va.max(vb), f32::max);
        check(va.abs(), |a, _| a.abs());
        check(va.round(), |a, _| a.round_ties_even());
        check(va.round().pow2(), |a, _| a.round_ties_even().exp2());
        check(S::splat(2.0).add_product(va, vb), |a, b| a.mul_add(b, 2.0));
        check(va.exp(), |a, _| f64::from(a).exp() as f32);
        let whole = [-128i8, -127, -1, 0, 1, 5, 126, 127];
        let mut values = [0.0; LANES];
        S::load_i8(&whole).store(&mut values);
        assert_eq!(values, whole.map(f32::from));
        // As in the tests of `weights`: 1, −2, 1/3, the smallest, the largest numbers.
        let halves = [
            0x3c00, 0xc000, 0x3555, 0x0001, 0x83ff, 0x7bff, 0x8000, 0x0400,
        ];
        S::load_f16(&halves).store(&mut values);
        for (value, bits) in values.iter().zip(halves) {
            let expected = half::f16::from_bits(bits).to_f32();
            assert_eq!(value * 2f32.powi(112), expected);
        }
    }

    #[test]
    fn every_implementation_agrees_with_plain_f32() {
        agrees::<Portable>();
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
        {
            agrees::<Avx2>();
        }
    }

    /// What is no number stays none, whatever it is compared with: as in WebAssembly's `pmin` and
    /// `pmax`, whose first argument is given back unless the second is smaller or larger.
    fn keeps_what_is_no_number<S: Simd>() {
        let (none, one) = (S::splat(f32::NAN), S::splat(1.0));
        for found in [none.max(one), none.min(one), none.exp(), none.abs()] {
            let mut values = [0.0; LANES];
            found.store(&mut values);
            assert!(values.iter().all(|v| v.is_nan()), "{values:?}");
        }
    }

    #[test]
    fn no_implementation_loses_what_is_no_number() {
        keeps_what_is_no_number::<Portable>();
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
        {
            keeps_what_is_no_number::<Avx2>();
        }
    }

    #[test]
    fn exponentials_are_right_over_their_whole_range() {
        for i in -8700..=8800i16 {
            let x = f32::from(i) / 100.0;
            let mut values = [0.0; LANES];
            Portable::splat(x).exp().store(&mut values);
            let expected = f64::from(x).exp();
            let relative = (f64::from(values[0]) - expected).abs() / expected;
            assert!(relative < 2.5e-7, "e^{x}: {relative}");
        }
    }
}
