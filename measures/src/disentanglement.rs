//! How well the dimensions of a representation (*codes*) match the true factors of the data: mutual information gap
//! and DCI, as Ross et al. (CHI 2021, section 4.1) report them beside their studies, and the other measures of single
//! codes in table 1 of Espinosa Zarlenga et al. (concept quality).
//!
//! Codes and factors are arrays of samples × columns, one number at each place. Every function refuses empty
//! arrays, arrays of unequal length, and numbers that are not finite, and names all such problems at once.

pub mod alignment;
pub mod boosting;
pub mod dci;
pub mod explicitness;
pub mod infomec;
pub mod modularity;
pub mod mutual_information;
pub mod sap;

pub use crate::split::Split;
pub use dci::{Dci, PredictionDirection};
pub use mutual_information::{BINS, Information, InformationGaps};

use crate::array::Array;
use crate::checks::Checks;
use crate::problem::Checked;

/// One vector for each column.
type Columns = Vec<Vec<f64>>;

/// Columns of codes and of as many rows of factors.
fn both(codes: &Array, factors: &Array) -> Checked<(Columns, Columns)> {
    agree(Checks::default(), codes, factors)?;
    Ok((codes.by_column(), factors.by_column()))
}

/// Codes and factors of as many rows, with one number at each row and column.
fn agree(mut checks: Checks, codes: &Array, factors: &Array) -> Checked<()> {
    checks
        .finite(codes, "codes")
        .finite(factors, "labels")
        .flat(codes, "codes")
        .flat(factors, "labels")
        .rows((factors, "labels"), (codes, "codes"))
        .done()
}
