//! One-to-one assignment of rows to columns with the largest sum.

/// The column of each row in the one-to-one assignment whose values add up to the most; none for rows that are
/// left over because there are fewer columns. Of equal assignments the result is always the same one.
///
/// `values` has one list for each row, all of one length, and finite numbers. The Hungarian method with potentials
/// (Kuhn 1955, in the form with shortest augmenting paths): rows × rows × columns steps.
#[must_use]
pub fn best_assignment(values: &[Vec<f64>]) -> Vec<Option<usize>> {
    let rows = values.len();
    let columns = values.first().map_or(0, Vec::len);
    if rows <= columns {
        let found = assigned(rows, columns, |row, column| -values[row][column]);
        return found.into_iter().map(Some).collect();
    }
    let mut of_rows = vec![None; rows];
    let found = assigned(columns, rows, |column, row| -values[row][column]);
    for (column, row) in found.into_iter().enumerate() {
        of_rows[row] = Some(column);
    }
    of_rows
}

/// The column of each row with the smallest sum of costs; at least as many columns as rows. Row 0 and column 0 of
/// the lists below stand for *none yet*, so that a path can begin there.
fn assigned(rows: usize, columns: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let mut row_potential = vec![0.0; rows + 1];
    let mut column_potential = vec![0.0; columns + 1];
    let mut row_of = vec![0; columns + 1];
    for row in 1..=rows {
        let mut slack = vec![f64::INFINITY; columns + 1];
        let mut came_from = vec![0; columns + 1];
        let mut visited = vec![false; columns + 1];
        let mut column = 0;
        row_of[0] = row;
        while row_of[column] != 0 {
            visited[column] = true;
            let current = row_of[column];
            let (mut step, mut next) = (f64::INFINITY, 0);
            for other in (1..=columns).filter(|&c| !visited[c]) {
                let reduced =
                    cost(current - 1, other - 1) - row_potential[current] - column_potential[other];
                if reduced < slack[other] {
                    (slack[other], came_from[other]) = (reduced, column);
                }
                if slack[other] < step {
                    (step, next) = (slack[other], other);
                }
            }
            for other in 0..=columns {
                if visited[other] {
                    row_potential[row_of[other]] += step;
                    column_potential[other] -= step;
                } else {
                    slack[other] -= step;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[came_from[column]];
            column = came_from[column];
        }
    }
    let mut column_of = vec![0; rows];
    for (column, &row) in row_of.iter().enumerate().skip(1) {
        if row > 0 {
            column_of[row - 1] = column - 1;
        }
    }
    column_of
}
