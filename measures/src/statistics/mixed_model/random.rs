//! The random effects' part of a mixed model: which rows share an intercept, and the sparse
//! triangular factor of ΛZ'WZΛ + I.

use super::super::{Defined, SampleUnit, at_least};
use super::RandomTerm;

/// Random terms, their levels counted, the largest term first: levels of a nested term are
/// then eliminated before those of the term around it, which leaves little fill-in.
pub(super) struct Random {
    /// For each term of the model, in its order: its first column, and its levels.
    pub spans: Vec<(usize, usize)>,
    /// All levels of all terms.
    pub columns: usize,
    /// For each row the column of each term, ascending; `terms` long each.
    pub rows: Vec<usize>,
    /// For each row and place in `rows` the term it belongs to: the same for all rows.
    pub order: Vec<usize>,
    /// Upper triangle, column by column: row indices, ascending, the diagonal last.
    pattern: Vec<Vec<usize>>,
    /// Where each column's entries start among all.
    starts: Vec<usize>,
    /// For each row, for each pair of its columns (a ≤ b), which entry they add to.
    entries: Vec<usize>,
    /// Elimination tree: the parent of each column.
    parent: Vec<Option<usize>>,
}

impl Random {
    pub(super) fn of(terms: &[RandomTerm]) -> Defined<Self> {
        let n = terms.first().map_or(0, |term| term.level.len());
        let mut coded: Vec<(usize, Vec<usize>, usize)> = Vec::new();
        for (index, term) in terms.iter().enumerate() {
            let mut names = term.level.clone();
            names.sort_unstable();
            names.dedup();
            at_least(SampleUnit::Groups, names.len(), 2)?;
            let code = |level: &usize| names.partition_point(|name| name < level);
            coded.push((index, term.level.iter().map(code).collect(), names.len()));
        }
        coded.sort_by_key(|(_, _, levels)| std::cmp::Reverse(*levels));
        let mut spans = vec![(0, 0); terms.len()];
        let mut columns = 0;
        for (index, _, levels) in &coded {
            spans[*index] = (columns, *levels);
            columns += levels;
        }
        let order: Vec<usize> = coded.iter().map(|(index, _, _)| *index).collect();
        let rows: Vec<usize> = (0..n)
            .flat_map(|row| {
                coded
                    .iter()
                    .map(|(index, codes, _)| spans[*index].0 + codes[row])
                    .collect::<Vec<_>>()
            })
            .collect();
        let t = terms.len();
        let mut pattern: Vec<Vec<usize>> = (0..columns).map(|column| vec![column]).collect();
        for row in rows.chunks(t.max(1)) {
            for (b, &column) in row.iter().enumerate() {
                pattern[column].extend(&row[..b]);
            }
        }
        for column in &mut pattern {
            column.sort_unstable();
            column.dedup();
        }
        let mut starts = Vec::with_capacity(columns + 1);
        let mut start = 0;
        for column in &pattern {
            starts.push(start);
            start += column.len();
        }
        starts.push(start);
        let entries = rows
            .chunks(t.max(1))
            .flat_map(|row| {
                let mut found = Vec::new();
                for (b, &column) in row.iter().enumerate() {
                    for &above in &row[..=b] {
                        found
                            .push(starts[column] + pattern[column].partition_point(|&r| r < above));
                    }
                }
                found
            })
            .collect();
        let parent = elimination_tree(&pattern);
        Ok(Self {
            spans,
            columns,
            rows,
            order,
            pattern,
            starts,
            entries,
            parent,
        })
    }

    /// The scale of each column, from that of each term.
    pub(super) fn spread(&self, scale: &[f64]) -> Vec<f64> {
        let mut of_columns = vec![0.0; self.columns];
        for ((start, levels), scale) in self.spans.iter().zip(scale) {
            of_columns[*start..start + levels].fill(*scale);
        }
        of_columns
    }

    /// Zv: for each row the sum of its columns' values.
    pub(super) fn row_sums(&self, values: &[f64], rows: usize) -> Vec<f64> {
        if self.columns == 0 {
            return vec![0.0; rows];
        }
        let of_row = |row: &[usize]| row.iter().map(|&column| values[column]).sum();
        self.rows.chunks(self.order.len()).map(of_row).collect()
    }

    /// Z'v: for each column the sum of its rows' values.
    pub(super) fn column_sums(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.columns];
        if self.columns > 0 {
            for (row, value) in self.rows.chunks(self.order.len()).zip(values) {
                for &column in row {
                    sums[column] += value;
                }
            }
        }
        sums
    }

    /// The triangular factor of ΛZ'WZΛ + I, Λ being `scale` by term; `None` if it is not
    /// positive definite.
    pub(super) fn factor(&self, weights: &[f64], scale: &[f64]) -> Option<LowerTriangular> {
        let t = self.order.len();
        let mut values = vec![0.0; self.starts.last().copied().unwrap_or(0)];
        let pairs = t * (t + 1) / 2;
        let mut products = Vec::with_capacity(pairs);
        for b in 0..t {
            for a in 0..=b {
                products.push(scale[self.order[a]] * scale[self.order[b]]);
            }
        }
        if t > 0 {
            for (entries, weight) in self.entries.chunks(pairs).zip(weights) {
                for (&entry, product) in entries.iter().zip(&products) {
                    values[entry] += weight * product;
                }
            }
        }
        let mut factor = LowerTriangular {
            diagonal: Vec::with_capacity(self.columns),
            below: vec![Vec::new(); self.columns],
        };
        let mut work = vec![0.0; self.columns];
        let mut seen = vec![usize::MAX; self.columns];
        for column in 0..self.columns {
            let found = &values[self.starts[column]..self.starts[column + 1]];
            for (&row, value) in self.pattern[column].iter().zip(found) {
                work[row] = *value;
            }
            let mut pivot = work[column] + 1.0;
            work[column] = 0.0;
            for row in self.reach(column, &mut seen) {
                let share = work[row] / factor.diagonal[row];
                work[row] = 0.0;
                for &(below, value) in &factor.below[row] {
                    work[below] -= value * share;
                }
                pivot -= share * share;
                factor.below[row].push((column, share));
            }
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            factor.diagonal.push(pivot.sqrt());
        }
        Some(factor)
    }

    /// The columns that a row of the factor has entries in, ascending in the tree.
    fn reach(&self, column: usize, seen: &mut [usize]) -> Vec<usize> {
        seen[column] = column;
        let mut found = Vec::new();
        for &start in &self.pattern[column] {
            let mut at = start;
            while seen[at] != column {
                seen[at] = column;
                found.push(at);
                match self.parent[at] {
                    Some(parent) => at = parent,
                    None => break,
                }
            }
        }
        // A child's index is below its parent's: ascending order is an order of elimination.
        found.sort_unstable();
        found
    }
}

/// The elimination tree (Liu 1986) of an upper triangle.
fn elimination_tree(pattern: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut parent = vec![None; pattern.len()];
    let mut ancestor: Vec<Option<usize>> = vec![None; pattern.len()];
    for (column, rows) in pattern.iter().enumerate() {
        for &row in rows {
            let mut at = Some(row);
            while let Some(node) = at.filter(|node| *node < column) {
                let next = ancestor[node];
                ancestor[node] = Some(column);
                if next.is_none() {
                    parent[node] = Some(column);
                }
                at = next;
            }
        }
    }
    parent
}

/// A lower triangular factor L of LL'.
pub(super) struct LowerTriangular {
    diagonal: Vec<f64>,
    /// For each column its entries below the diagonal: row and value.
    below: Vec<Vec<(usize, f64)>>,
}

impl LowerTriangular {
    /// ln |LL'|.
    pub(super) fn ln_determinant(&self) -> f64 {
        2.0 * self.diagonal.iter().map(|d| d.ln()).sum::<f64>()
    }

    /// Solves Lx = b in place.
    pub(super) fn forward(&self, b: &mut [f64]) {
        for (column, below) in self.below.iter().enumerate() {
            b[column] /= self.diagonal[column];
            for &(row, value) in below {
                b[row] -= value * b[column];
            }
        }
    }

    /// Solves L'x = b in place.
    pub(super) fn backward(&self, b: &mut [f64]) {
        for (column, below) in self.below.iter().enumerate().rev() {
            for &(row, value) in below {
                b[column] -= value * b[row];
            }
            b[column] /= self.diagonal[column];
        }
    }
}

/// The weights of a model without weights.
pub(super) fn ones(count: usize) -> Vec<f64> {
    vec![1.0; count]
}
