//! How well the dimensions of a representation (*codes*) match the true factors of
//! the data: mutual information gap and DCI, as Ross et al. (CHI 2021, section 4.1)
//! report them beside their studies.
//!
//! Codes and factors are rows of numbers, one row for each instance. Every function
//! refuses empty input, rows of unequal length, and numbers that are not finite.

pub mod boosting;
pub mod dci;
pub mod mutual_information;

pub use dci::{Dci, PredictionDirection, Split};
pub use mutual_information::{BINS, Information, InformationGaps};

/// Why a measure cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DisentanglementError {
    /// There are no rows, or the rows have no columns.
    #[error("{what}: there is nothing to measure")]
    Empty {
        /// Codes or factors.
        what: &'static str,
    },
    /// A number is infinite or no number.
    #[error("{what}: row {row}, column {column} is {value}")]
    NotFinite {
        /// Codes or factors.
        what: &'static str,
        /// 0-based row.
        row: usize,
        /// 0-based column.
        column: usize,
        /// What is there.
        value: f64,
    },
    /// Rows differ in length, or there are not as many codes as factors.
    #[error("{what}: row {row} has {found} columns, not {expected}")]
    Ragged {
        /// Codes or factors.
        what: &'static str,
        /// 0-based row.
        row: usize,
        /// Columns it should have.
        expected: usize,
        /// Columns it has.
        found: usize,
    },
    /// There are not as many rows of codes as of factors.
    #[error("{codes} rows of codes and {factors} of factors")]
    Rows {
        /// Rows of codes.
        codes: usize,
        /// Rows of factors.
        factors: usize,
    },
    /// A row of a split does not exist, or one of its halves is empty.
    #[error("the split names row {row} of {rows}")]
    Split {
        /// The row; for an empty half, the number of rows.
        row: usize,
        /// Rows there are.
        rows: usize,
    },
}

/// The columns of some rows, checked.
fn columns(what: &'static str, rows: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, DisentanglementError> {
    let width = rows.first().map_or(0, Vec::len);
    if width == 0 {
        return Err(DisentanglementError::Empty { what });
    }
    let mut columns = vec![Vec::with_capacity(rows.len()); width];
    for (row, values) in rows.iter().enumerate() {
        if values.len() != width {
            return Err(DisentanglementError::Ragged {
                what,
                row,
                expected: width,
                found: values.len(),
            });
        }
        for (column, (&value, into)) in values.iter().zip(&mut columns).enumerate() {
            if !value.is_finite() {
                return Err(DisentanglementError::NotFinite {
                    what,
                    row,
                    column,
                    value,
                });
            }
            into.push(value);
        }
    }
    Ok(columns)
}

/// One vector for each column.
type Columns = Vec<Vec<f64>>;

/// Checked columns of codes and of as many rows of factors.
fn both(
    codes: &[Vec<f64>],
    factors: &[Vec<f64>],
) -> Result<(Columns, Columns), DisentanglementError> {
    let checked = (columns("codes", codes)?, columns("factors", factors)?);
    if codes.len() != factors.len() {
        return Err(DisentanglementError::Rows {
            codes: codes.len(),
            factors: factors.len(),
        });
    }
    Ok(checked)
}
