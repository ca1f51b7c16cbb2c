//! The cost of a surrogate, as the paper's appendix A.3 counts it.

use crate::array::Array;
use crate::outcome::Table;

/// Sizes of an explanation and of the layer that it explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// K: concepts of each output.
    pub concepts: u64,
    /// C: outputs.
    pub outputs: u64,
    /// D: codes.
    pub codes: u64,
}

impl Sizes {
    /// Those of concept vectors, outputs × concepts × codes.
    #[must_use]
    pub fn of(directions: &Array) -> Self {
        Self {
            concepts: directions.columns() as u64,
            outputs: directions.rows() as u64,
            codes: directions.depth() as u64,
        }
    }
}

/// The cost of a surrogate, as a table beside its losses: the numbers that it learns, and the operations for one input.
pub(super) fn table(parameters: u64, flops: u64) -> Table {
    Table {
        title: "What the surrogate costs",
        columns: vec!["parameters learnt".to_owned(), "FLOPs".to_owned()],
        row_names: vec!["for one input".to_owned()],
        rows: vec![vec![Some(parameters as f64), Some(flops as f64)]],
    }
}

/// Operations of SURF's surrogate: 2KC.
#[must_use]
pub fn surf_flops(sizes: Sizes) -> u64 {
    2 * sizes.concepts * sizes.outputs
}

/// Operations of ICE's surrogate as printed: CD(2K + 1). With multiplying and adding as two operations, which the
/// appendix says it counts, it would be 2CD(K + 1).
#[must_use]
pub fn ice_flops(sizes: Sizes) -> u64 {
    sizes.outputs * sizes.codes * (2 * sizes.concepts + 1)
}

/// Operations of C-SHAP's surrogate with `hidden` units: 2C(HK + HD + D).
#[must_use]
pub fn cshap_flops(sizes: Sizes, hidden: u64) -> u64 {
    2 * sizes.outputs * (hidden * sizes.concepts + hidden * sizes.codes + sizes.codes)
}

/// Numbers that C-SHAP's surrogate learns: weights and biases of a network of `hidden` units from concepts to codes.
/// SURF's and ICE's learn none.
#[must_use]
pub fn cshap_parameters(sizes: Sizes, hidden: u64) -> u64 {
    sizes.concepts * hidden + hidden + hidden * sizes.codes + sizes.codes
}
