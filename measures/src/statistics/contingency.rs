//! Tests of tables of counts: is the share of people who stay the same in every cell?

use serde::{Deserialize, Serialize};
use statrs::function::gamma::ln_gamma;

use super::distribution::chi_squared_sf;
use super::{Defined, SampleUnit, Undefined, at_least, real};

/// Pearson's chi-squared test of independence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChiSquaredTest {
    /// All counts together.
    pub n: usize,
    /// Σ (observed − expected)² / expected, without Yates's correction.
    pub chi_squared: f64,
    /// (rows − 1) (columns − 1).
    pub df: f64,
    /// P(χ² > statistic), asymptotic: trust Fisher's where `smallest_expected` is below 5.
    pub p: f64,
    /// The smallest expected count.
    pub smallest_expected: f64,
    /// Cramér's V, 0 to 1.
    pub cramers_v: f64,
}

/// Pearson's chi-squared test of a table of counts, one row for each group.
///
/// # Errors
/// [`Undefined::EmptyMargin`] if a row or a column has no counts; fewer than two rows or
/// columns; rows of unequal length.
pub fn chi_squared(table: &[Vec<usize>]) -> Defined<ChiSquaredTest> {
    let columns = table.first().map_or(0, Vec::len);
    at_least(SampleUnit::Groups, table.len(), 2)?;
    at_least(SampleUnit::Conditions, columns, 2)?;
    for row in table {
        if row.len() != columns {
            return Err(Undefined::Lengths {
                found: row.len(),
                expected: columns,
            });
        }
    }
    let of_rows: Vec<usize> = table.iter().map(|row| row.iter().sum()).collect();
    let of_columns: Vec<usize> = (0..columns)
        .map(|c| table.iter().map(|row| row[c]).sum())
        .collect();
    if of_rows.iter().chain(&of_columns).any(|&sum| sum == 0) {
        return Err(Undefined::EmptyMargin);
    }
    let n: usize = of_rows.iter().sum();
    let (mut statistic, mut smallest) = (0.0, f64::INFINITY);
    for (row, &row_sum) in table.iter().zip(&of_rows) {
        for (&observed, &column_sum) in row.iter().zip(&of_columns) {
            let expected = real(row_sum) * real(column_sum) / real(n);
            statistic += (real(observed) - expected).powi(2) / expected;
            smallest = smallest.min(expected);
        }
    }
    let df = real((table.len() - 1) * (columns - 1));
    Ok(ChiSquaredTest {
        n,
        chi_squared: statistic,
        df,
        p: chi_squared_sf(statistic, df),
        smallest_expected: smallest,
        cramers_v: (statistic / (real(n) * real(table.len().min(columns) - 1))).sqrt(),
    })
}

/// Fisher's exact test of groups with a yes and a no each, two-sided: the probability, with
/// all margins fixed, of tables that are no more likely than the one observed.
///
/// `table` has `[yes, no]` for each group. Tables count as equally likely up to 1e-7 of
/// their probability, as in R's `fisher.test`. Groups are gone through one after the other;
/// what the rest can still add is known in closed form, so most branches end early
/// (Mehta and Patel's network algorithm, 1983).
///
/// # Errors
/// - [`Undefined::EmptyMargin`] if a group is empty, or nobody or everybody is a yes.
/// - [`Undefined::TooLarge`] after 10 million branches; use [`chi_squared`] then.
/// - Fewer than two groups.
pub fn fisher(table: &[[usize; 2]]) -> Defined<f64> {
    at_least(SampleUnit::Groups, table.len(), 2)?;
    let sizes: Vec<usize> = table.iter().map(|[yes, no]| yes + no).collect();
    let yes: usize = table.iter().map(|[yes, _]| yes).sum();
    let all: usize = sizes.iter().sum();
    if sizes.contains(&0) || yes == 0 || yes == all {
        return Err(Undefined::EmptyMargin);
    }
    // ln of the ways to get a yes from each group: a table's probability, but for a constant.
    let ways = |size: usize, yes: usize| ln_choose(size, yes);
    let observed: f64 = table.iter().map(|[yes, no]| ways(yes + no, *yes)).sum();
    let limit = observed + 1e-7;
    let rest = Rest::of(&sizes, yes);

    // Branches: how many yeses so far → the sums of ln ways so far, and how much they weigh.
    let mut open: Vec<Vec<(f64, f64)>> = vec![Vec::new(); yes + 1];
    open[0].push((0.0, 1.0));
    let total = ln_choose(all, yes);
    let (mut p, mut steps) = (0.0, 0_usize);
    for (group, &size) in sizes.iter().enumerate() {
        let mut next: Vec<Vec<(f64, f64)>> = vec![Vec::new(); yes + 1];
        for (so_far, branches) in open.iter().enumerate() {
            for taken in 0..=size.min(yes - so_far) {
                let now = so_far + taken;
                let Some((least, most)) = rest.bounds(group + 1, yes - now) else {
                    continue;
                };
                for (sum, weight) in branches {
                    steps += 1;
                    let sum = sum + ways(size, taken);
                    if sum + most <= limit {
                        // Whatever comes, the table is no more likely than the observed one.
                        let remaining = rest.sizes[group + 1];
                        p += weight * (sum + ln_choose(remaining, yes - now) - total).exp();
                    } else if sum + least <= limit {
                        next[now].push((sum, *weight));
                    }
                }
            }
        }
        if steps > 10_000_000 {
            return Err(Undefined::TooLarge);
        }
        for branches in &mut next {
            merge(branches);
        }
        open = next;
    }
    Ok(p.min(1.0))
}

/// Puts branches together whose sums are equal up to rounding.
fn merge(branches: &mut Vec<(f64, f64)>) {
    branches.sort_by(|a, b| a.0.total_cmp(&b.0));
    branches.dedup_by(|next, first| {
        let same = next.0 - first.0 <= 1e-11 * first.0.abs().max(1.0);
        if same {
            first.1 += next.1;
        }
        same
    });
}

/// The smallest and largest sum of ln ways that groups from one on can add.
struct Rest {
    /// People in groups from this one on.
    sizes: Vec<usize>,
    /// Bounds by group and yeses left; `None` where they do not fit in.
    bounds: Vec<Vec<Option<(f64, f64)>>>,
}

impl Rest {
    fn of(sizes: &[usize], yes: usize) -> Self {
        let mut bounds = vec![vec![None; yes + 1]; sizes.len() + 1];
        bounds[sizes.len()][0] = Some((0.0, 0.0));
        let mut left = vec![0; sizes.len() + 1];
        for (group, &size) in sizes.iter().enumerate().rev() {
            left[group] = left[group + 1] + size;
            for count in 0..=yes {
                let options = (0..=size.min(count)).filter_map(|taken| {
                    let (least, most) = bounds[group + 1][count - taken]?;
                    let own = ln_choose(size, taken);
                    Some((least + own, most + own))
                });
                bounds[group][count] =
                    options.reduce(|a: (f64, f64), b| (a.0.min(b.0), a.1.max(b.1)));
            }
        }
        Self {
            sizes: left,
            bounds,
        }
    }

    fn bounds(&self, group: usize, yes: usize) -> Option<(f64, f64)> {
        self.bounds[group][yes]
    }
}

/// ln of n over k; k ≤ n.
fn ln_choose(n: usize, k: usize) -> f64 {
    ln_gamma(real(n) + 1.0) - ln_gamma(real(k) + 1.0) - ln_gamma(real(n - k) + 1.0)
}
