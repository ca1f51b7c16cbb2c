//! Small matrix products, with all their sums in registers.
//!
//! The right-hand side lies in *panels*: [`LANES`] columns, row after row. Several rows
//! of the left-hand side share every load of a panel.

use super::simd::{LANES, Simd};

/// Rows of the left-hand side that are multiplied together, where there are as many.
pub(super) const ROWS: usize = 4;

/// `ROWS` rows, `a_step` apart, of `inner` values each, times `PANELS` panels, `b_step`
/// rows apart.
#[inline(always)]
pub(super) fn product<S: Simd, const ROWS: usize, const PANELS: usize>(
    (a, a_step): (&[f32], usize),
    (b, b_step): (&[[f32; LANES]], usize),
    inner: usize,
) -> [[S; PANELS]; ROWS] {
    assert!(a.len() >= (ROWS - 1) * a_step + inner);
    assert!(b.len() >= (PANELS - 1) * b_step + inner);
    let mut sums = [[S::splat(0.0); PANELS]; ROWS];
    for i in 0..inner {
        // SAFETY: `i` is below `inner`, for which both sides are long enough, as
        // asserted.
        let row = |panel: usize| unsafe { b.get_unchecked(panel * b_step + i) };
        let panels: [S; PANELS] = std::array::from_fn(|panel| S::load(row(panel)));
        for (at, sums) in sums.iter_mut().enumerate() {
            // SAFETY: as above.
            let value = S::splat(*unsafe { a.get_unchecked(at * a_step + i) });
            for (sum, panel) in sums.iter_mut().zip(panels) {
                *sum = sum.add_product(panel, value);
            }
        }
    }
    sums
}
