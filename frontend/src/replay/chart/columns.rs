//! A curve of many points in as few as its drawing has columns of pixels.

use domain::lanes::Point;

/// The part of a curve in one column of pixels, from top to bottom as values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column {
    /// Where it begins, in pixels.
    pub x: f64,
    /// The first value in it.
    pub first: f64,
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// The last, which stays until the next column.
    pub last: f64,
}

/// The columns of a curve whose points hold until the next one, between two ends in pixels. Points left of them give
/// the value that the curve comes in with.
#[must_use]
pub fn columns(points: &[Point], x: impl Fn(u64) -> f64, ends: (f64, f64)) -> Vec<Column> {
    let mut found: Vec<Column> = Vec::new();
    for point in points {
        let at = x(point.at_ms);
        if at > ends.1 {
            break;
        }
        let at = at.max(ends.0);
        let value = point.value;
        match found.last_mut() {
            Some(column) if at.floor() <= column.x.floor() => {
                if at <= ends.0 {
                    // Only where it comes in with counts.
                    *column = alone(at, value);
                } else {
                    column.least = column.least.min(value);
                    column.most = column.most.max(value);
                    column.last = value;
                }
            }
            _ => found.push(alone(at, value)),
        }
    }
    found
}

fn alone(x: f64, value: f64) -> Column {
    Column {
        x,
        first: value,
        least: value,
        most: value,
        last: value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[(u64, f64)]) -> Vec<Point> {
        let point = |&(at_ms, value): &(u64, f64)| Point { at_ms, value };
        values.iter().map(point).collect()
    }

    #[test]
    fn a_column_keeps_what_stands_out() {
        let curve = points(&[(0, 1.0), (10, 5.0), (20, -3.0), (30, 2.0), (250, 4.0)]);
        // A hundred milliseconds a pixel.
        let found = columns(&curve, |ms| ms as f64 / 100.0, (0.0, 10.0));
        assert_eq!(found.len(), 2);
        assert_eq!((found[1].x, found[1].last), (2.5, 4.0));
        let found = columns(&curve, |ms| 3.0 + ms as f64 / 100.0, (0.0, 10.0));
        let first = found[0];
        assert_eq!(
            (first.first, first.least, first.most, first.last),
            (1.0, -3.0, 5.0, 2.0)
        );
    }

    #[test]
    fn what_is_out_of_sight_costs_nothing() {
        let curve = points(&[(0, 1.0), (100, 2.0), (500, 3.0), (900, 4.0)]);
        let found = columns(&curve, |ms| ms as f64 - 200.0, (0.0, 400.0));
        let seen: Vec<(f64, f64)> = found.iter().map(|it| (it.x, it.last)).collect();
        assert_eq!(seen, [(0.0, 2.0), (300.0, 3.0)]);
        assert!(columns(&[], |ms| ms as f64, (0.0, 9.0)).is_empty());
    }

    #[test]
    fn there_are_no_more_columns_than_pixels() {
        let curve: Vec<Point> = (0..36_000)
            .map(|n| Point {
                at_ms: n * 100,
                value: (n % 7) as f64,
            })
            .collect();
        let found = columns(&curve, |ms| ms as f64 / 6_000.0, (0.0, 600.0));
        assert!(found.len() <= 601, "{}", found.len());
        assert_eq!((found[5].least, found[5].most), (0.0, 6.0));
    }
}
