//! Outputs of surrogates.
//!
//! Codes are inputs × codes, or inputs × positions × codes, whose contributions are summed over positions. Directions
//! are outputs × concepts × codes, importances outputs × concepts, weights codes × outputs, bias one number for each
//! output or none. A concept's part of a code is their product, P(h; V)_k = h · v_k, unless a function says
//! otherwise. All functions panic when the arrays do not agree.

use crate::array::Array;
use nalgebra::{DMatrix, DVector};

/// The outputs of the model's last layer itself: codes · weights + bias.
#[must_use]
pub fn last_layer(codes: &Array, weights: &Array, bias: &[f64]) -> Array {
    let vectors: Vec<Vec<f64>> = (0..weights.columns())
        .map(|output| weights.column(output))
        .collect();
    each_output(codes, &vectors, bias)
}

/// SURF's surrogate (equation 10): ŷ_i = Σ over positions and concepts of α_ik P(h_j; V_i)_k, plus the bias.
#[must_use]
pub fn surf(codes: &Array, directions: &Array, importances: &Array, bias: &[f64]) -> Array {
    assert_eq!(directions.shape()[..2], importances.shape()[..2]);
    // α_k (h · v_k) summed over k is h · Σ α_k v_k: one product for each output, however many concepts it has.
    let combined: Vec<Vec<f64>> = (0..directions.rows())
        .map(|output| {
            let mut sum = vec![0.0; directions.depth()];
            for concept in 0..directions.columns() {
                let importance = importances.at(output, concept)[0];
                for (sum, v) in sum.iter_mut().zip(directions.at(output, concept)) {
                    *sum += importance * v;
                }
            }
            sum
        })
        .collect();
    each_output(codes, &combined, bias)
}

/// SURF's surrogate where the explanation has a projection of its own, such as NMF's: `projections` are inputs ×
/// outputs × concepts, summed over positions.
#[must_use]
pub fn surf_of_projections(projections: &Array, importances: &Array, bias: &[f64]) -> Array {
    assert_eq!(projections.shape()[1..], importances.shape()[..2]);
    let (inputs, outputs) = (projections.rows(), projections.columns());
    let mut values = Vec::with_capacity(inputs * outputs);
    for input in 0..inputs {
        for output in 0..outputs {
            let pairs = projections
                .at(input, output)
                .iter()
                .zip(importances.row(output));
            let sum: f64 = pairs.map(|(p, a)| p * a).sum();
            values.push(sum + bias.get(output).unwrap_or(&0.0));
        }
    }
    Array::new(vec![inputs, outputs], values).expect("a number for each output")
}

/// P(h; V)_k = h · v_k, summed over positions: inputs × outputs × concepts.
#[must_use]
pub fn project(codes: &Array, directions: &Array) -> Array {
    let (outputs, concepts) = (directions.rows(), directions.columns());
    let vectors: Vec<Vec<f64>> = (0..outputs * concepts)
        .map(|place| directions.at(place / concepts, place % concepts).to_vec())
        .collect();
    let each = each_output(codes, &vectors, &[]);
    Array::new(
        vec![codes.rows(), outputs, concepts],
        each.values().to_vec(),
    )
    .expect("a number for each concept")
}

/// ICE's surrogate (equation 13): the code is put together again from its concepts, ŷ_i = f_iᵀ Σ_k p_ik v_ik + b_i,
/// so that importances play no part. For explanations without an inverse of their own.
#[must_use]
pub fn ice(codes: &Array, weights: &Array, directions: &Array, bias: &[f64]) -> Array {
    let importances = products(weights, directions);
    surf(codes, directions, &importances, bias)
}

/// The product f_i · v_ik of each output's weights and its concept vectors, outputs × concepts: MCD's importances.
#[must_use]
pub fn products(weights: &Array, directions: &Array) -> Array {
    let (outputs, concepts) = (directions.rows(), directions.columns());
    assert_eq!(weights.shape(), [directions.depth(), outputs]);
    let mut values = Vec::with_capacity(outputs * concepts);
    for output in 0..outputs {
        let weights = weights.column(output);
        for concept in 0..concepts {
            values.push(dot(directions.at(output, concept), &weights));
        }
    }
    Array::new(vec![outputs, concepts], values).expect("a number for each concept")
}

/// MCD's surrogate: the code is taken apart along the vectors of all of the output's concepts (their *basis*, which
/// need not be orthogonal) and what they leave over; α = f · v, and what is left over counts nothing.
///
/// `bases` are outputs × vectors × codes.
///
/// # Errors
/// The output whose vectors depend on each other: then there is no share of each.
pub fn mcd(codes: &Array, weights: &Array, bases: &Array, bias: &[f64]) -> Result<Array, usize> {
    let importances = products(weights, bases);
    let (vectors, entries) = (bases.columns(), bases.depth());
    let mut combined = Vec::with_capacity(bases.rows());
    for output in 0..bases.rows() {
        let basis = DMatrix::from_row_slice(vectors, entries, bases.row(output));
        let alpha = DVector::from_column_slice(importances.row(output));
        // p = (B Bᵀ)⁻¹ B h, and so αᵀ p = (Bᵀ (B Bᵀ)⁻¹ α) · h.
        let gram = &basis * basis.transpose();
        let largest = gram.diagonal().max();
        let factors = gram.cholesky().ok_or(output)?;
        if factors.l().diagonal().min().powi(2) <= DEPENDENT * largest {
            return Err(output);
        }
        let solved: DVector<f64> = basis.transpose() * factors.solve(&alpha);
        combined.push(solved.as_slice().to_vec());
    }
    Ok(each_output(codes, &combined, bias))
}

/// Vectors whose Gram matrix has a smaller pivot than this, against its largest entry, depend on each other up to
/// rounding.
const DEPENDENT: f64 = 1e-12;

/// ŷ_i = Σ over positions of h_j · vector_i, plus the bias.
fn each_output(codes: &Array, vectors: &[Vec<f64>], bias: &[f64]) -> Array {
    assert!(bias.is_empty() || bias.len() == vectors.len());
    let width = vectors.first().map_or(0, Vec::len);
    let mut values = Vec::with_capacity(codes.rows() * vectors.len());
    let mut sum = vec![0.0; width];
    for row in 0..codes.rows() {
        sum.fill(0.0);
        for position in codes.row(row).chunks(width.max(1)) {
            assert_eq!(position.len(), width, "an entry for each code");
            for (sum, h) in sum.iter_mut().zip(position) {
                *sum += h;
            }
        }
        for (output, vector) in vectors.iter().enumerate() {
            values.push(dot(vector, &sum) + bias.get(output).unwrap_or(&0.0));
        }
    }
    Array::new(vec![codes.rows(), vectors.len()], values).expect("a number for each output")
}

/// Σ a b in four sums side by side, which a processor adds up at once, and then their sum: always in this order.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a
        .remainder()
        .iter()
        .zip(b.remainder())
        .map(|(a, b)| a * b)
        .sum();
    let mut sums = [0.0; 4];
    for (a, b) in a.zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
