//! The sanity check of faithfulness measures: an explanation that is made worse step by step must score worse at
//! each step.

use crate::array::Array;
use crate::random::Random;

/// An explanation of a layer: concept vectors and how much each counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Outputs × concepts × codes.
    pub directions: Array,
    /// Outputs × concepts.
    pub importances: Array,
}

/// The names of the steps, as in the paper's table 3.
pub const STEPS: [&str; 3] = ["Perfect", "Rand Imp", "Full Rand"];

/// The explanation that is the layer itself, then with random importances, then with random vectors, too; one concept
/// for each output.
///
/// Perfect: v = f/‖f‖, α = ‖f‖, for the weights f of an output (`weights` are codes × outputs). Rand Imp: α uniform
/// in 0…1. Full Rand: the same α, and v with normal entries, divided by its norm. An output whose weights are all 0
/// has a vector of zeros.
#[must_use]
pub fn steps(weights: &Array, random: &mut Random) -> [Explanation; 3] {
    let (codes, outputs) = (weights.rows(), weights.columns());
    let rows: Vec<Vec<f64>> = (0..outputs).map(|output| weights.column(output)).collect();
    let norms: Vec<f64> = rows.iter().map(|row| norm(row)).collect();
    let drawn: Vec<f64> = (0..outputs).map(|_| random.uniform()).collect();
    let vectors: Vec<Vec<f64>> = (0..outputs)
        .map(|_| (0..codes).map(|_| random.normal()).collect())
        .collect();
    let explanation = |rows: &[Vec<f64>], importances: &[f64]| Explanation {
        directions: Array::new(vec![outputs, 1, codes], unit(rows))
            .expect("a vector for each output"),
        importances: Array::new(vec![outputs, 1], importances.to_vec())
            .expect("one for each output"),
    };
    [
        explanation(&rows, &norms),
        explanation(&rows, &drawn),
        explanation(&vectors, &drawn),
    ]
}

/// Vectors of norm 1, one behind the other.
fn unit(rows: &[Vec<f64>]) -> Vec<f64> {
    let divided = |row: &Vec<f64>| {
        let norm = norm(row);
        let by = if norm > 0.0 { norm } else { 1.0 };
        row.iter().map(|v| v / by).collect::<Vec<f64>>()
    };
    rows.iter().flat_map(divided).collect()
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|v| v * v).sum::<f64>().sqrt()
}
