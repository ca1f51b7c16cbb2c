//! Two vectors of four, in WebAssembly with simd128; products are added in one
//! instruction where the module may use relaxed SIMD.

use core::arch::wasm32::*;

use super::{LANES, Simd};

/// Two vectors of four.
#[derive(Clone, Copy)]
pub(crate) struct Wasm(v128, v128);

// Closures below: functions of a target feature are no `Fn`.
impl Wasm {
    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(v128, v128) -> v128) -> Self {
        Self(f(self.0, other.0), f(self.1, other.1))
    }

    #[inline(always)]
    fn map(self, f: impl Fn(v128) -> v128) -> Self {
        Self(f(self.0), f(self.1))
    }
}

impl Simd for Wasm {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        let all = f32x4_splat(value);
        Self(all, all)
    }

    #[inline(always)]
    fn load(values: &[f32; LANES]) -> Self {
        let from: *const v128 = values.as_ptr().cast();
        // SAFETY: eight values are read, wherever they lie.
        unsafe { Self(v128_load(from), v128_load(from.add(1))) }
    }

    #[inline(always)]
    fn load_i8(values: &[i8; LANES]) -> Self {
        // SAFETY: eight bytes are read, wherever they lie.
        let wide = unsafe { i16x8_load_extend_i8x8(values.as_ptr()) };
        Self(
            f32x4_convert_i32x4(i32x4_extend_low_i16x8(wide)),
            f32x4_convert_i32x4(i32x4_extend_high_i16x8(wide)),
        )
    }

    #[inline(always)]
    fn load_f16(bits: &[u16; LANES]) -> Self {
        // SAFETY: sixteen bytes are read, wherever they lie.
        let bits = unsafe { v128_load(bits.as_ptr().cast()) };
        // The sign repeated over the upper bits, all but one of which are cut off.
        Self(i32x4_extend_low_i16x8(bits), i32x4_extend_high_i16x8(bits))
            .map(|wide| v128_and(i32x4_shl(wide, 13), u32x4_splat(0x8fff_e000)))
    }

    #[inline(always)]
    fn store(self, values: &mut [f32; LANES]) {
        let to: *mut v128 = values.as_mut_ptr().cast();
        // SAFETY: eight values are written, wherever they lie.
        unsafe {
            v128_store(to, self.0);
            v128_store(to.add(1), self.1);
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| f32x4_add(a, b))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| f32x4_sub(a, b))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| f32x4_mul(a, b))
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.with(other, |a, b| f32x4_div(a, b))
    }

    #[inline(always)]
    #[cfg(not(target_feature = "relaxed-simd"))]
    fn add_product(self, a: Self, b: Self) -> Self {
        self.add(a.mul(b))
    }

    #[inline(always)]
    #[cfg(target_feature = "relaxed-simd")]
    fn add_product(self, a: Self, b: Self) -> Self {
        Self(
            f32x4_relaxed_madd(a.0, b.0, self.0),
            f32x4_relaxed_madd(a.1, b.1, self.1),
        )
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.with(other, |a, b| f32x4_pmin(a, b))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.with(other, |a, b| f32x4_pmax(a, b))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(|a| f32x4_abs(a))
    }

    #[inline(always)]
    fn round(self) -> Self {
        self.map(|a| f32x4_nearest(a))
    }

    #[inline(always)]
    fn pow2(self) -> Self {
        self.map(|n| {
            let exponent = i32x4_add(i32x4_trunc_sat_f32x4(n), i32x4_splat(127));
            i32x4_shl(exponent, 23)
        })
    }
}
