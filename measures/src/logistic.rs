//! Logistic regression of two or more classes, for measures that ask what a straight cut can tell.
//!
//! The loss is convex, and is brought to its minimum by L-BFGS (Nocedal and Wright 2006, algorithms 7.4 and 7.5) on
//! standardised columns. Sums have a fixed order, and exponentials come from `libm`, so that the same rows give the
//! same bits on every machine.

mod lbfgs;

use crate::array::Array;
use crate::statistics::is_constant;

/// The penalty that is added to the sum of the losses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Penalty {
    /// Nothing. Classes that a straight cut separates then have no finite optimum, and the fit does not settle.
    None,
    /// This weight times half the squared norm of the coefficients, intercepts left out.
    Ridge(f64),
}

/// A fitted regression.
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    /// For each logit the intercept and then a coefficient for each column. Two classes have one logit, for the
    /// second class; more have one each.
    pub coefficients: Vec<Vec<f64>>,
    /// Whether the slope of the loss came to rest.
    pub settled: bool,
}

impl Regression {
    /// The logits of one row.
    #[must_use]
    pub fn logits(&self, row: &[f64]) -> Vec<f64> {
        let logit = |of: &Vec<f64>| {
            let products = of[1..].iter().zip(row).map(|(b, x)| b * x);
            products.fold(of[0], |sum, product| sum + product)
        };
        self.coefficients.iter().map(logit).collect()
    }

    /// The natural logarithm of each class's probability in one row.
    #[must_use]
    pub fn log_probabilities(&self, row: &[f64]) -> Vec<f64> {
        let mut logits = self.logits(row);
        if logits.len() == 1 {
            logits.insert(0, 0.0);
        }
        let total = log_sum(&logits);
        logits.iter().map(|logit| logit - total).collect()
    }
}

/// ln Σ exp, without overflow.
fn log_sum(logits: &[f64]) -> f64 {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logits.iter().map(|v| libm::exp(v - largest)).sum();
    largest + libm::log(sum)
}

/// Rows to fit to, with columns standardised, for any number of regressions on them.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    rows: usize,
    /// Blocks of rows; within a block the values of a column stand together.
    blocks: Vec<Vec<f64>>,
    /// Mean and standard deviation of each column; one that does not vary has the deviation 1.
    scales: Vec<(f64, f64)>,
}

/// Rows of a block: their values fit into the cache.
const BLOCK: usize = 512;

impl Design {
    /// Some rows of an array, in that order.
    ///
    /// # Panics
    /// When a row is not there.
    #[must_use]
    pub fn new(array: &Array, rows: &[usize]) -> Self {
        let width = array.columns() * array.depth();
        let n = rows.len().max(1) as f64;
        let sum = |of: &dyn Fn(f64, usize) -> f64| -> Vec<f64> {
            let mut sums = vec![0.0; width];
            for &row in rows {
                for (column, (sum, &x)) in sums.iter_mut().zip(array.row(row)).enumerate() {
                    *sum += of(x, column);
                }
            }
            sums
        };
        let means: Vec<f64> = sum(&|x, _| x).iter().map(|sum| sum / n).collect();
        let squares = sum(&|x, column| (x - means[column]) * (x - means[column]));
        // A rounding error in a column that does not vary is no deviation.
        let deviation = |(square, mean): (&f64, &f64)| {
            if is_constant(*square, n, *mean) {
                1.0
            } else {
                (square / n).sqrt()
            }
        };
        let deviations = squares.iter().zip(&means).map(deviation);
        let scales: Vec<(f64, f64)> = means.iter().copied().zip(deviations).collect();
        let block = |rows: &[usize]| -> Vec<f64> {
            let values = scales
                .iter()
                .enumerate()
                .flat_map(|(column, (mean, deviation))| {
                    let values = rows.iter().map(move |&row| array.row(row)[column]);
                    values.map(move |x| (x - mean) / deviation)
                });
            values.collect()
        };
        Self {
            rows: rows.len(),
            blocks: rows.chunks(BLOCK).map(block).collect(),
            scales,
        }
    }

    /// Fits the classes (below `classes`) of the rows, one for each in `targets`. `weights` has a number for each
    /// class that its rows' losses are multiplied by; without it all count alike.
    ///
    /// Without rows, or with one class, all coefficients are 0.
    #[must_use]
    pub fn fit(
        &self,
        targets: &[usize],
        classes: usize,
        weights: Option<&[f64]>,
        penalty: Penalty,
    ) -> Regression {
        let logits = if classes <= 2 { 1 } else { classes };
        let width = self.scales.len() + 1;
        if self.rows == 0 || classes < 2 {
            return Regression {
                coefficients: vec![vec![0.0; width]; logits],
                settled: true,
            };
        }
        let loss = Loss {
            design: self,
            targets,
            weights,
            penalty,
            logits,
        };
        let found = lbfgs::minimise(|at, slope| loss.at(at, slope), vec![0.0; width * logits]);
        // Back to the columns as they came.
        let back = |of: &[f64]| {
            let mut coefficients = of.to_vec();
            for (place, (mean, deviation)) in self.scales.iter().enumerate() {
                coefficients[place + 1] /= deviation;
                coefficients[0] -= coefficients[place + 1] * mean;
            }
            coefficients
        };
        Regression {
            coefficients: found.at.chunks(width).map(back).collect(),
            settled: found.settled,
        }
    }
}

struct Loss<'a> {
    design: &'a Design,
    targets: &'a [usize],
    weights: Option<&'a [f64]>,
    penalty: Penalty,
    logits: usize,
}

impl Loss<'_> {
    /// The mean loss at some coefficients; writes its slope.
    fn at(&self, coefficients: &[f64], slope: &mut [f64]) -> f64 {
        let width = self.design.scales.len() + 1;
        slope.fill(0.0);
        let mut loss = 0.0;
        for (block, targets) in self.design.blocks.iter().zip(self.targets.chunks(BLOCK)) {
            let columns = || block.chunks_exact(targets.len());
            let mut logits: Vec<Vec<f64>> = coefficients
                .chunks(width)
                .map(|of| {
                    let mut sums = vec![of[0]; targets.len()];
                    for (b, column) in of[1..].iter().zip(columns()) {
                        sums.iter_mut()
                            .zip(column)
                            .for_each(|(sum, x)| *sum += b * x);
                    }
                    sums
                })
                .collect();
            loss += self.to_residuals(&mut logits, targets);
            for (residuals, slope) in logits.iter().zip(slope.chunks_mut(width)) {
                slope[0] += residuals.iter().sum::<f64>();
                for (column, slope) in columns().zip(&mut slope[1..]) {
                    *slope += sum_of_products(column, residuals);
                }
            }
        }
        let n = self.design.rows as f64;
        slope.iter_mut().for_each(|s| *s /= n);
        loss /= n;
        if let Penalty::Ridge(weight) = self.penalty {
            // The penalty is on the coefficients of the columns as they came: those found here, divided by the
            // columns' deviations.
            let weight = weight / n;
            for (of, slope) in coefficients.chunks(width).zip(slope.chunks_mut(width)) {
                for (place, (_, deviation)) in self.design.scales.iter().enumerate() {
                    let b = of[place + 1] / deviation;
                    loss += 0.5 * weight * b * b;
                    slope[place + 1] += weight * b / deviation;
                }
            }
        }
        loss
    }

    /// The sum of the losses of some rows; puts the slope of each row's loss into the place of its logits.
    fn to_residuals(&self, logits: &mut [Vec<f64>], targets: &[usize]) -> f64 {
        let mut loss = 0.0;
        let mut of_row = vec![0.0; self.logits.max(2)];
        let offset = of_row.len() - self.logits;
        for (row, &target) in targets.iter().enumerate() {
            let weight = self.weights.map_or(1.0, |weights| weights[target]);
            for (to, from) in of_row[offset..].iter_mut().zip(logits.iter()) {
                *to = from[row];
            }
            let total = log_sum(&of_row);
            loss += weight * (total - of_row[target]);
            for (class, logits) in logits.iter_mut().enumerate() {
                let class = class + offset;
                let is = f64::from(u8::from(class == target));
                logits[row] = weight * (libm::exp(of_row[class] - total) - is);
            }
        }
        loss
    }
}

/// Σ a · b: four sums side by side, then their sum.
fn sum_of_products(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = a.remainder().iter().zip(b.remainder());
    let rest = rest.fold(0.0, |sum, (a, b)| sum + a * b);
    for (a, b) in a.zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
