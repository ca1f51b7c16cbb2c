//! Logistic regression of two or more classes, for measures that ask what a straight cut can tell.
//!
//! The loss is convex, and is brought to its minimum by L-BFGS (Nocedal and Wright 2006, algorithms 7.4 and 7.5) on
//! standardised columns. Sums have a fixed order, and exponentials come from `libm`, so that the same rows give the
//! same bits on every machine.

mod lbfgs;

/// What is added to the sum of the losses.
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
    /// The logits of one row of `columns`.
    #[must_use]
    pub fn logits(&self, columns: &[Vec<f64>], row: usize) -> Vec<f64> {
        let logit = |of: &Vec<f64>| {
            let products = of[1..]
                .iter()
                .zip(columns)
                .map(|(b, column)| b * column[row]);
            products.fold(of[0], |sum, product| sum + product)
        };
        self.coefficients.iter().map(logit).collect()
    }

    /// The natural logarithm of each class's probability in one row of `columns`.
    #[must_use]
    pub fn log_probabilities(&self, columns: &[Vec<f64>], row: usize) -> Vec<f64> {
        let mut logits = self.logits(columns, row);
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

/// Columns of the rows fitted to, standardised, with what takes them back.
struct Standardised {
    columns: Vec<Vec<f64>>,
    /// Mean and standard deviation of each column; a constant one has the deviation 1.
    scales: Vec<(f64, f64)>,
}

fn standardise(columns: &[Vec<f64>], rows: &[usize]) -> Standardised {
    let n = rows.len() as f64;
    let (mut found, mut scales) = (Vec::new(), Vec::new());
    for column in columns {
        let mut values: Vec<f64> = rows.iter().map(|&row| column[row]).collect();
        let mean = values.iter().sum::<f64>() / n;
        values.iter_mut().for_each(|v| *v -= mean);
        let deviation = (values.iter().map(|v| v * v).sum::<f64>() / n).sqrt();
        let deviation = if deviation > 0.0 { deviation } else { 1.0 };
        values.iter_mut().for_each(|v| *v /= deviation);
        found.push(values);
        scales.push((mean, deviation));
    }
    Standardised {
        columns: found,
        scales,
    }
}

/// Fits the classes (below `classes`) of the rows named. `weights` has a number for each class that its rows'
/// losses are multiplied by; without it all count alike.
///
/// Without rows, or with one class, all coefficients are 0.
#[must_use]
pub fn fit(
    columns: &[Vec<f64>],
    rows: &[usize],
    targets: &[usize],
    classes: usize,
    weights: Option<&[f64]>,
    penalty: Penalty,
) -> Regression {
    let logits = if classes <= 2 { 1 } else { classes };
    let width = columns.len() + 1;
    if rows.is_empty() || classes < 2 {
        return Regression {
            coefficients: vec![vec![0.0; width]; logits],
            settled: true,
        };
    }
    let standardised = standardise(columns, rows);
    let loss = Loss {
        data: &standardised,
        targets,
        weights,
        penalty,
        logits,
    };
    let found = lbfgs::minimise(|at, slope| loss.at(at, slope), vec![0.0; width * logits]);
    let back = |of: &[f64]| {
        let mut coefficients = of.to_vec();
        for (b, (mean, deviation)) in of[1..].iter().zip(&standardised.scales) {
            coefficients[0] -= b * mean / deviation;
        }
        for (b, (_, deviation)) in coefficients[1..].iter_mut().zip(&standardised.scales) {
            *b /= deviation;
        }
        coefficients
    };
    Regression {
        coefficients: found.at.chunks(width).map(back).collect(),
        settled: found.settled,
    }
}

struct Loss<'a> {
    data: &'a Standardised,
    targets: &'a [usize],
    weights: Option<&'a [f64]>,
    penalty: Penalty,
    logits: usize,
}

impl Loss<'_> {
    /// The mean loss at some coefficients; writes its slope.
    fn at(&self, coefficients: &[f64], slope: &mut [f64]) -> f64 {
        let n = self.targets.len();
        let columns = &self.data.columns;
        let width = columns.len() + 1;
        let mut logits: Vec<Vec<f64>> = coefficients
            .chunks(width)
            .map(|of| {
                let mut sums = vec![of[0]; n];
                for (b, column) in of[1..].iter().zip(columns) {
                    sums.iter_mut()
                        .zip(column)
                        .for_each(|(sum, x)| *sum += b * x);
                }
                sums
            })
            .collect();
        let mut loss = self.to_residuals(&mut logits);
        for (residuals, slope) in logits.iter().zip(slope.chunks_mut(width)) {
            slope[0] = residuals.iter().sum::<f64>() / n as f64;
            for (column, slope) in columns.iter().zip(&mut slope[1..]) {
                let products = column.iter().zip(residuals).map(|(x, r)| x * r);
                *slope = products.sum::<f64>() / n as f64;
            }
        }
        loss /= n as f64;
        if let Penalty::Ridge(weight) = self.penalty {
            // The penalty is on the coefficients of the columns as they came: those found here, divided by the
            // columns' deviations.
            let weight = weight / n as f64;
            for (of, slope) in coefficients.chunks(width).zip(slope.chunks_mut(width)) {
                for (place, (_, deviation)) in self.data.scales.iter().enumerate() {
                    let b = of[place + 1] / deviation;
                    loss += 0.5 * weight * b * b;
                    slope[place + 1] += weight * b / deviation;
                }
            }
        }
        loss
    }

    /// The sum of the losses; puts the slope of each row's loss into the place of its logits.
    fn to_residuals(&self, logits: &mut [Vec<f64>]) -> f64 {
        let mut loss = 0.0;
        let mut of_row = vec![0.0; self.logits.max(2)];
        for (row, &target) in self.targets.iter().enumerate() {
            let weight = self.weights.map_or(1.0, |weights| weights[target]);
            let offset = of_row.len() - self.logits;
            of_row[0] = 0.0;
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
