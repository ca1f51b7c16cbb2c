//! Products of matrices, for what lies between the layers of graphs.

use super::isa::{Isa, dispatch};
use super::product::{ROWS, product};
use super::simd::{LANES, Simd};

/// The right-hand side of a product: panels of [`LANES`] columns, row after row. Zeros fill
/// the last one.
#[derive(Debug, Clone)]
pub struct Panels {
    inner: usize,
    columns: usize,
    values: Vec<f32>,
}

impl Panels {
    /// Packs a matrix of `inner` rows; those of its values that are neighbours in a row or
    /// in a column lie so many values apart in `from`.
    ///
    /// # Panics
    /// When `from` is too short.
    #[must_use]
    pub fn pack(
        from: &[f32],
        [inner, columns]: [usize; 2],
        [row_step, column_step]: [usize; 2],
    ) -> Self {
        let mut values = vec![0.0; columns.next_multiple_of(LANES) * inner];
        for (panel, to) in values.chunks_exact_mut(inner * LANES).enumerate() {
            let first = panel * LANES;
            for lane in 0..LANES.min(columns - first) {
                let column = &from[(first + lane) * column_step..];
                let column = column.iter().step_by(row_step.max(1));
                for (to, &value) in to[lane..].iter_mut().step_by(LANES).zip(column) {
                    *to = value;
                }
            }
        }
        Self {
            inner,
            columns,
            values,
        }
    }

    /// `out` = a·b, for `rows` rows of `a` that lie `a_step` values apart.
    ///
    /// # Panics
    /// When `a` is too short, or `out` does not hold a value for each row and column.
    pub fn multiply(&self, isa: Isa, (a, a_step): (&[f32], usize), rows: usize, out: &mut [f32]) {
        assert_eq!(out.len(), rows * self.columns, "values of a product");
        dispatch!(isa, run(self, a, a_step, rows, out));
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(b: &Panels, a: &[f32], a_step: usize, rows: usize, out: &mut [f32]) {
    run::<super::simd::Avx2>(b, a, a_step, rows, out);
}

#[inline(always)]
fn run<S: Simd>(b: &Panels, a: &[f32], a_step: usize, rows: usize, out: &mut [f32]) {
    let (values, _) = b.values.as_chunks::<LANES>();
    let mut first = 0;
    while first < b.columns {
        let panels = (&values[first / LANES * b.inner..], b.inner);
        let columns = b.columns - first;
        let mut row = 0;
        // Where a vector is one register, two panels share every load of the left-hand side.
        let two = S::WIDE && columns > LANES;
        while row < rows {
            let from = (&a[row * a_step..], a_step);
            let to = &mut out[row * b.columns + first..];
            row += match (two, rows - row) {
                (true, 1) => store(
                    product::<S, 1, 2>(from, panels, b.inner),
                    to,
                    b.columns,
                    columns,
                ),
                (true, 2) => store(
                    product::<S, 2, 2>(from, panels, b.inner),
                    to,
                    b.columns,
                    columns,
                ),
                (true, 3) => store(
                    product::<S, 3, 2>(from, panels, b.inner),
                    to,
                    b.columns,
                    columns,
                ),
                (true, _) => store(
                    product::<S, ROWS, 2>(from, panels, b.inner),
                    to,
                    b.columns,
                    columns,
                ),
                (false, 1) => store(
                    product::<S, 1, 1>(from, panels, b.inner),
                    to,
                    b.columns,
                    columns,
                ),
                (false, 2) => store(
                    product::<S, 2, 1>(from, panels, b.inner),
                    to,
                    b.columns,
                    columns,
                ),
                (false, 3) => store(
                    product::<S, 3, 1>(from, panels, b.inner),
                    to,
                    b.columns,
                    columns,
                ),
                (false, _) => store(
                    product::<S, ROWS, 1>(from, panels, b.inner),
                    to,
                    b.columns,
                    columns,
                ),
            };
        }
        first += if two { 2 * LANES } else { LANES };
    }
}

/// Stores sums of rows that lie `step` values apart, at most `columns` of each; of how many
/// rows they are.
#[inline(always)]
fn store<S: Simd, const ROWS: usize, const PANELS: usize>(
    sums: [[S; PANELS]; ROWS],
    out: &mut [f32],
    step: usize,
    columns: usize,
) -> usize {
    for (row, sums) in sums.into_iter().enumerate() {
        let mut all = [0.0; LANES];
        for (panel, sum) in sums.into_iter().enumerate() {
            let first = panel * LANES;
            let to = &mut out[row * step + first..];
            match to.first_chunk_mut::<LANES>() {
                Some(to) if columns - first >= LANES => sum.store(to),
                _ => {
                    let count = columns - first;
                    sum.store(&mut all);
                    to[..count].copy_from_slice(&all[..count]);
                }
            }
        }
    }
    ROWS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number of rows and columns about the blocks' sizes, either way round in memory,
    /// against sums in f64.
    #[test]
    fn products_are_the_sums_they_stand_for() {
        let value = |i: usize| f32::from(u8::try_from(i * 37 % 101).unwrap_or(0)) / 50.0 - 1.0;
        for isa in [Isa::detect(), Isa::portable()] {
            for (rows, inner, columns) in [
                (1, 1, 1),
                (2, 3, 7),
                (3, 5, 8),
                (4, 8, 9),
                (5, 7, 16),
                (7, 4, 17),
                (9, 16, 25),
            ] {
                let a_step = inner + 3;
                let a: Vec<f32> = (0..rows * a_step).map(value).collect();
                let b: Vec<f32> = (0..inner * columns).map(|i| value(i + 11)).collect();
                for steps in [[columns, 1], [1, inner]] {
                    let panels = Panels::pack(&b, [inner, columns], steps);
                    let mut out = vec![f32::NAN; rows * columns];
                    panels.multiply(isa, (&a, a_step), rows, &mut out);
                    for (at, found) in out.iter().enumerate() {
                        let (row, column) = (at / columns, at % columns);
                        let expected: f64 = (0..inner)
                            .map(|i| {
                                let b = b[i * steps[0] + column * steps[1]];
                                f64::from(a[row * a_step + i]) * f64::from(b)
                            })
                            .sum();
                        assert!((f64::from(*found) - expected).abs() < 1e-5);
                    }
                }
            }
        }
    }
}
