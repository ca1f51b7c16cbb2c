//! One vector of eight, on x86 processors with AVX2 and FMA.

use std::arch::x86_64::*;

use super::{LANES, Simd};

/// Eight lanes of a register. Values of this type are only ever made where the
/// processor is known to have AVX2 and FMA ([`Isa`](crate::Isa)).
#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256);

impl Simd for Avx2 {
    const WIDE: bool = true;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: AVX2 and FMA are there, as for all of this type.
        Self(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    fn load(values: &[f32; LANES]) -> Self {
        // SAFETY: as above; eight values are read, wherever they lie.
        Self(unsafe { _mm256_loadu_ps(values.as_ptr()) })
    }

    #[inline(always)]
    fn load_i8(values: &[i8; LANES]) -> Self {
        // SAFETY: as above; eight bytes are read, wherever they lie.
        Self(unsafe {
            _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(
                values.as_ptr().cast(),
            )))
        })
    }

    #[inline(always)]
    fn load_f16(bits: &[u16; LANES]) -> Self {
        // SAFETY: as above; sixteen bytes are read, wherever they lie.
        Self(unsafe {
            // The sign repeated over the upper bits, all but one of which are cut off.
            let wide = _mm256_cvtepi16_epi32(_mm_loadu_si128(bits.as_ptr().cast()));
            let mask = _mm256_set1_epi32(0x8fff_e000u32.cast_signed());
            _mm256_castsi256_ps(_mm256_and_si256(_mm256_slli_epi32(wide, 13), mask))
        })
    }

    #[inline(always)]
    fn store(self, values: &mut [f32; LANES]) {
        // SAFETY: as above; eight values are written, wherever they lie.
        unsafe { _mm256_storeu_ps(values.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: AVX2 and FMA are there, as for all of this type.
        Self(unsafe { _mm256_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: AVX2 and FMA are there, as for all of this type.
        Self(unsafe { _mm256_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: AVX2 and FMA are there, as for all of this type.
        Self(unsafe { _mm256_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: AVX2 and FMA are there, as for all of this type.
        Self(unsafe { _mm256_div_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn add_product(self, a: Self, b: Self) -> Self {
        // SAFETY: AVX2 and FMA are there, as for all of this type.
        Self(unsafe { _mm256_fmadd_ps(a.0, b.0, self.0) })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: AVX2 and FMA are there, as for all of this type. The second argument is given
        // back where either is no number.
        Self(unsafe { _mm256_min_ps(other.0, self.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: as for the smaller.
        Self(unsafe { _mm256_max_ps(other.0, self.0) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: AVX2 and FMA are there, as for all of this type.
        Self(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }

    #[inline(always)]
    fn round(self) -> Self {
        // SAFETY: AVX2 and FMA are there, as for all of this type.
        Self(unsafe {
            _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0)
        })
    }

    #[inline(always)]
    fn pow2(self) -> Self {
        // SAFETY: AVX2 and FMA are there, as for all of this type.
        Self(unsafe {
            let exponent = _mm256_add_epi32(_mm256_cvtps_epi32(self.0), _mm256_set1_epi32(127));
            _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23))
        })
    }
}
