//! Entropies from counts: each share of the rows is taken for a probability. Few rows make information look larger
//! than it is, by about (cells − 1) / (2 rows) nats.

/// ln, with the same bits on every machine.
fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// −Σ p ln p of the values below `sizes` that `column` holds. Of nothing, 0.
///
/// # Panics
/// When a value is not below `size`.
#[must_use]
pub fn entropy(column: &[u32], size: usize) -> f64 {
    information((column, size), (column, size))
}

/// Σ p(a, b) ln p(a, b) / (p(a) p(b)) of two columns with the number of values that each can have. Not below 0. Of
/// nothing, 0.
///
/// # Panics
/// When a value is not below its size.
#[must_use]
pub fn information(a: (&[u32], usize), b: (&[u32], usize)) -> f64 {
    information_in(a, b, ln)
}

/// The same with another logarithm: that to the base 2 gives bits.
pub(crate) fn information_in(
    (a, rows): (&[u32], usize),
    (b, columns): (&[u32], usize),
    log: fn(f64) -> f64,
) -> f64 {
    let joint = joint(a, b, rows * columns, columns);
    let n = a.len() as f64;
    let p = |count: u32| f64::from(count) / n;
    let of_rows: Vec<f64> = joint
        .chunks(columns.max(1))
        .map(|row| p(row.iter().sum()))
        .collect();
    let of_columns: Vec<f64> = (0..columns)
        .map(|c| p(joint.iter().skip(c).step_by(columns).sum()))
        .collect();
    joint
        .iter()
        .enumerate()
        .filter(|&(_, &count)| count > 0)
        .map(|(i, &count)| {
            p(count) * log(p(count) / (of_rows[i / columns] * of_columns[i % columns]))
        })
        .sum::<f64>()
        // Independent columns can end a rounding error below zero.
        .max(0.0)
}

/// How many rows have each pair of values. Small tables are counted four at a time, since adding to a number that was
/// just added to has to wait.
fn joint(a: &[u32], b: &[u32], cells: usize, columns: usize) -> Vec<u32> {
    let cell = |a: u32, b: u32| a as usize * columns + b as usize;
    let mut counts = vec![0_u32; cells];
    if cells > 4096 {
        for (&a, &b) in a.iter().zip(b) {
            counts[cell(a, b)] += 1;
        }
        return counts;
    }
    let mut tables = vec![0_u32; 4 * cells];
    for (a, b) in a.chunks(4).zip(b.chunks(4)) {
        for (table, (&a, &b)) in a.iter().zip(b).enumerate() {
            tables[table * cells + cell(a, b)] += 1;
        }
    }
    for table in tables.chunks_exact(cells.max(1)) {
        counts
            .iter_mut()
            .zip(table)
            .for_each(|(sum, count)| *sum += count);
    }
    counts
}

/// The bin of each value between quantiles: of `bins` bins, bin i holds the values from the i / `bins` quantile on
/// (interpolated linearly, as numpy does) and below the next. Values that are equal share a bin, so that bins of a
/// column with ties are not equally full, or empty.
///
/// # Panics
/// When there are values and one is no number.
#[must_use]
pub fn quantile_bins(values: &[f64], bins: usize) -> Vec<u32> {
    if values.is_empty() {
        return Vec::new();
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let edges: Vec<f64> = (1..bins)
        .map(|bin| quantile(&sorted, bin as f64 / bins as f64))
        .collect();
    let bin = |value: &f64| edges.partition_point(|edge| edge <= value) as u32;
    values.iter().map(bin).collect()
}

/// numpy's linear quantile of sorted values, rounded as numpy rounds it.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let below = place.floor();
    let t = place - below;
    let a = sorted[below as usize];
    let b = sorted[(below as usize + 1).min(sorted.len() - 1)];
    if t >= 0.5 {
        b - (b - a) * (1.0 - t)
    } else {
        a + (b - a) * t
    }
}
