//! Classes from what is true of samples, for measures that read whole numbers.

use crate::array::Array;

/// A column with no more different values than this keeps each of them as a class.
pub const MOST_VALUES: usize = 10;
/// Into so many classes other columns are cut.
pub const PARTS: usize = 4;

/// The class of each row in each column, as whole numbers from 0 on.
///
/// A column of at most [`MOST_VALUES`] different values has a class for each, in ascending order. Any other is cut
/// at its quartiles into [`PARTS`] classes of about equally many rows; equal values stay together, and a value at a
/// quartile belongs to the class above. Entries of a row beyond the second axis count as columns. An array without
/// numbers stays as it is. Numbers must be finite.
///
/// ```
/// # use measures::{array::Array, classes::classes};
/// let shapes = Array::new(vec![4, 1], vec![3.0, 1.0, 3.0, 2.0]).unwrap();
/// assert_eq!(classes(&shapes).values(), [2.0, 0.0, 2.0, 1.0]);
/// ```
#[must_use]
pub fn classes(truth: &Array) -> Array {
    let columns: Vec<Vec<f64>> = truth.by_column().iter().map(|c| of_column(c)).collect();
    let rows = (0..truth.rows()).flat_map(|row| columns.iter().map(move |column| column[row]));
    Array::new(vec![truth.rows(), columns.len()], rows.collect()).unwrap_or_else(|| truth.clone())
}

fn of_column(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut different = sorted.clone();
    different.dedup();
    let cuts: Vec<f64> = if different.len() <= MOST_VALUES {
        different.split_off(1.min(different.len()))
    } else {
        let at = |part: usize| sorted[sorted.len() * part / PARTS];
        (1..PARTS).map(at).collect()
    };
    let class = |value: &f64| cuts.iter().filter(|cut| *cut <= value).count() as f64;
    values.iter().map(class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_values_are_cut_into_quarters_and_few_are_kept() {
        let rows: Vec<Vec<f64>> = (0..100)
            .map(|row| vec![f64::from(row), f64::from(row % 3) / 2.0, 5.0])
            .collect();
        let found = classes(&Array::from_rows(&rows).unwrap());
        let counts = |column: usize| {
            let mut counts = [0; 4];
            for class in found.column(column) {
                counts[class as usize] += 1;
            }
            counts
        };
        assert_eq!(counts(0), [25; 4]);
        assert_eq!(counts(1), [34, 33, 33, 0]);
        assert_eq!(counts(2), [100, 0, 0, 0]);
        assert_eq!(found.at(25, 0), [1.0]);
    }

    #[test]
    fn equal_values_stay_in_one_class() {
        let values: Vec<f64> = (0..60).map(|row| f64::from(row.max(40))).collect();
        let found = of_column(&values);
        assert!(
            found[..41].iter().all(|class| *class == found[0]),
            "{found:?}"
        );
        // Two of the cuts lie among the equal ones.
        assert!(found[59] > found[0]);
    }
}
