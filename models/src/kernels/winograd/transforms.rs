//! The transforms of F(4, 2): four neighbouring outputs of a filter with two taps from
//! five products instead of eight.
//!
//! With outputs yᵢ = dᵢ·g₀ + dᵢ₊₁·g₁, y = Aᵀ((G g) ⊙ (Bᵀ d)), by Toom and Cook's
//! interpolation at 0, −1, ½, 2 and infinity (Winograd, *Arithmetic Complexity of
//! Computations*, 1980; Lavin and Gray, arXiv 1509.09308, for convolutional networks).
//! With these points rounding adds up to two thirds of what 0, ±1 and 2 make.

use crate::kernels::simd::Simd;

/// Outputs of a tile along an axis.
pub(super) const TILE: usize = 4;
/// Products of a tile along an axis, which is also how many inputs it reads.
pub(super) const POINTS: usize = 5;

/// G g.
pub(super) fn taps([g0, g1]: [f64; 2]) -> [f64; POINTS] {
    [
        g0,
        (g1 - g0) / 4.5,
        -(g0 + g1 / 2.0) / 1.125,
        (g0 + 2.0 * g1) / 9.0,
        g1,
    ]
}

/// Bᵀ d.
#[inline(always)]
pub(super) fn inputs<S: Simd>([d0, d1, d2, d3, d4]: [S; POINTS]) -> [S; POINTS] {
    let times = S::splat;
    [
        d0.add(d3).add_product(times(-1.5), d1.add(d2)),
        d1.add(d3).add_product(times(-2.5), d2),
        d3.sub(d2).sub(d1.add(d1)),
        d3.add_product(times(0.5), d2.sub(d1)),
        d1.add(d4).add_product(times(-1.5), d2.add(d3)),
    ]
}

/// Aᵀ m.
#[inline(always)]
pub(super) fn outputs<S: Simd>([m0, m1, m2, m3, m4]: [S; POINTS]) -> [S; TILE] {
    let times = S::splat;
    let last = m4.sub(m1);
    [
        m0.add(m1).add(m2.add(m3)),
        m3.add(m3).sub(m1).add_product(times(0.5), m2),
        m1.add_product(times(0.25), m2).add_product(times(4.0), m3),
        last.add_product(times(0.125), m2)
            .add_product(times(8.0), m3),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::simd::{LANES, Portable};

    #[test]
    fn tiles_are_those_of_the_filter() {
        let d = [0.5f32, -1.25, 3.0, 2.5, -0.75];
        let g = [1.5f32, -0.625];
        let products = inputs(d.map(Portable::splat));
        let weights = taps(g.map(f64::from));
        #[allow(clippy::cast_possible_truncation)]
        let products = std::array::from_fn(|i| products[i].mul(Portable::splat(weights[i] as f32)));
        for (i, y) in outputs(products).into_iter().enumerate() {
            let mut lanes = [0.0; LANES];
            y.store(&mut lanes);
            let expected = d[i] * g[0] + d[i + 1] * g[1];
            assert!((lanes[0] - expected).abs() < 1e-5, "{i}: {}", lanes[0]);
        }
    }
}
