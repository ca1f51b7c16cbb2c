//! The transforms of F(4, 2) and F(3, 3): neighbouring outputs of a filter with two or
//! three taps from five products, instead of eight or nine.
//!
//! With outputs yᵢ = Σₖ dᵢ₊ₖ·gₖ, y = Aᵀ((G g) ⊙ (Bᵀ d)), by Toom and Cook's interpolation
//! at 0, −1, ½, 2 and infinity (Winograd, *Arithmetic Complexity of Computations*, 1980;
//! Lavin and Gray, arXiv 1509.09308, for convolutional networks). B depends on the points
//! alone, so that both read their inputs alike. With these points rounding adds up to two
//! thirds of what 0, ±1 and 2 make.

use crate::simd::Simd;

/// Products of a tile along an axis, which is also how many inputs it reads.
pub(super) const POINTS: usize = 5;

/// Outputs of the largest tile along an axis.
pub(super) const LARGEST_TILE: usize = 4;

/// Outputs of a tile along an axis, for a filter of this many taps.
pub(super) const fn tile(taps: usize) -> usize {
    POINTS + 1 - taps
}

/// Taps of the longest filter.
const MOST_TAPS: usize = 3;

/// G g, for two or three taps.
fn taps(g: &[f64]) -> [f64; POINTS] {
    // The filter as a polynomial, at a point.
    let at = |point: f64| g.iter().rev().fold(0.0, |sum, g| sum * point + g);
    [
        at(0.0),
        at(-1.0) / -4.5,
        at(0.5) / -1.125,
        at(2.0) / 9.0,
        g.last().copied().unwrap_or_default(),
    ]
}

/// G g Gᵀ of a square filter; `at(row, column)` is its tap.
pub(super) fn kernel(count: usize, at: impl Fn(usize, usize) -> f64) -> [[f64; POINTS]; POINTS] {
    let mut rows = [[0.0; POINTS]; MOST_TAPS];
    for (row, to) in rows.iter_mut().enumerate().take(count) {
        let g: [f64; MOST_TAPS] =
            std::array::from_fn(|column| if column < count { at(row, column) } else { 0.0 });
        *to = taps(&g[..count]);
    }
    let mut all = [[0.0; POINTS]; POINTS];
    for column in 0..POINTS {
        let g = rows.map(|row| row[column]);
        for (to, value) in all.iter_mut().zip(taps(&g[..count])) {
            to[column] = value;
        }
    }
    all
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

/// Aᵀ m, for a tile of three or four outputs; the fourth of three means nothing.
#[inline(always)]
pub(super) fn outputs<S: Simd, const TILE: usize>(
    [m0, m1, m2, m3, m4]: [S; POINTS],
) -> [S; LARGEST_TILE] {
    const { assert!(TILE == 3 || TILE == LARGEST_TILE) };
    let times = S::splat;
    let third = m1.add_product(times(0.25), m2).add_product(times(4.0), m3);
    [
        m0.add(m1).add(m2.add(m3)),
        m3.add(m3).sub(m1).add_product(times(0.5), m2),
        // Only the last output has the product at infinity.
        if TILE == 3 { third.add(m4) } else { third },
        m4.sub(m1)
            .add_product(times(0.125), m2)
            .add_product(times(8.0), m3),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{LANES, Portable};

    /// The largest difference of a tile's outputs from the sums they stand for.
    fn off<const TILE: usize>(d: [f32; POINTS], g: &[f32]) -> f32 {
        let products = inputs(d.map(Portable::splat));
        let weights = taps(&g.iter().copied().map(f64::from).collect::<Vec<_>>());
        let products = std::array::from_fn(|i| products[i].mul(Portable::splat(weights[i] as f32)));
        let found = outputs::<Portable, TILE>(products);
        let off = found.into_iter().take(TILE).enumerate().map(|(i, y)| {
            let mut lanes = [0.0; LANES];
            y.store(&mut lanes);
            let expected: f32 = d[i..].iter().zip(g).map(|(d, g)| d * g).sum();
            (lanes[0] - expected).abs()
        });
        off.fold(0.0, f32::max)
    }

    #[test]
    fn tiles_are_those_of_the_filter() {
        let d = [0.5f32, -1.25, 3.0, 2.5, -0.75];
        assert_eq!([tile(2), tile(3)], [4, 3]);
        assert!(off::<4>(d, &[1.5, -0.625]) < 1e-5);
        assert!(off::<3>(d, &[1.5, -0.625, 0.875]) < 1e-5);
    }
}
