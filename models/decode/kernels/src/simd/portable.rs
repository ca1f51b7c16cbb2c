//! Eight numbers, in plain Rust.

use super::{LANES, Simd};

/// Eight numbers for the compiler to make vectors of.
#[derive(Clone, Copy)]
pub(crate) struct Portable([f32; LANES]);

impl Portable {
    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Simd for Portable {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn load(values: &[f32; LANES]) -> Self {
        Self(*values)
    }

    #[inline(always)]
    fn load_i8(values: &[i8; LANES]) -> Self {
        Self(values.map(f32::from))
    }

    #[inline(always)]
    fn load_f16(bits: &[u16; LANES]) -> Self {
        Self(bits.map(|bits| {
            // The sign repeated over the upper bits, all but one of which are cut off.
            let wide = i32::from(bits.cast_signed()).cast_unsigned() << 13;
            f32::from_bits(wide & 0x8fff_e000)
        }))
    }

    #[inline(always)]
    fn store(self, values: &mut [f32; LANES]) {
        *values = self.0;
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.with(other, |a, b| a / b)
    }

    #[inline(always)]
    fn add_product(self, a: Self, b: Self) -> Self {
        self.add(a.mul(b))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.with(other, |a, b| if b < a { b } else { a })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.with(other, |a, b| if a < b { b } else { a })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f32::abs))
    }

    #[inline(always)]
    fn round(self) -> Self {
        Self(self.0.map(f32::round_ties_even))
    }

    #[inline(always)]
    // −126 to 127
    fn pow2(self) -> Self {
        Self(
            self.0
                .map(|n| f32::from_bits(((n as i32 + 127) as u32) << 23)),
        )
    }
}
