//! People who have all values, and those who are left out for want of one.

use serde::{Deserialize, Serialize};

/// The rows without a missing value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompleteCases {
    /// Their values, one row for each person.
    pub rows: Vec<Vec<f64>>,
    /// Where they stood among all rows, 0-based.
    pub kept: Vec<usize>,
    /// Rows that are left out, 0-based: a value is missing, or is not finite.
    pub left_out: Vec<usize>,
}

impl CompleteCases {
    /// The values of one column; empty for a column that there is not.
    #[must_use]
    pub fn column(&self, index: usize) -> Vec<f64> {
        let values = self.rows.iter();
        values.filter_map(|row| row.get(index).copied()).collect()
    }
}

/// Leaves out whoever has a missing value (listwise deletion), and says who that is.
///
/// # Examples
/// ```
/// use measures::statistics::complete::complete_cases;
/// let found = complete_cases(&[vec![Some(1.0), Some(2.0)], vec![Some(1.0), None]]);
/// assert_eq!((found.rows.len(), found.left_out), (1, vec![1]));
/// ```
#[must_use]
pub fn complete_cases(rows: &[Vec<Option<f64>>]) -> CompleteCases {
    let mut found = CompleteCases {
        rows: Vec::new(),
        kept: Vec::new(),
        left_out: Vec::new(),
    };
    for (index, row) in rows.iter().enumerate() {
        let values: Option<Vec<f64>> = row
            .iter()
            .map(|value| value.filter(|v| v.is_finite()))
            .collect();
        match values {
            Some(values) => {
                found.rows.push(values);
                found.kept.push(index);
            }
            None => found.left_out.push(index),
        }
    }
    found
}
