//! Arrays of numbers with a shape, as numpy keeps them.

use crate::problem::Problem;

/// How many places of an array are named that have the same fault.
const NAMED: usize = 10;

/// Numbers in row-major order. The first axis counts rows: samples, images, people.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    shape: Vec<usize>,
    values: Vec<f64>,
}

impl Array {
    /// An array of `values` in row-major order; none when their number is not the product of `shape`, or the
    /// shape has no axis.
    #[must_use]
    pub fn new(shape: Vec<usize>, values: Vec<f64>) -> Option<Self> {
        let wanted = shape
            .iter()
            .try_fold(1_usize, |product, &length| product.checked_mul(length))?;
        (!shape.is_empty() && wanted == values.len()).then_some(Self { shape, values })
    }

    /// An array of two axes from its rows; none when they differ in length or there is none.
    #[must_use]
    pub fn from_rows(rows: &[Vec<f64>]) -> Option<Self> {
        let width = rows.first()?.len();
        rows.iter().all(|row| row.len() == width).then(|| Self {
            shape: vec![rows.len(), width],
            values: rows.concat(),
        })
    }

    /// The same without the second axis, where it has two and the second is one long: files hold a list as a column,
    /// too.
    #[must_use]
    pub fn column_as_list(mut self) -> Self {
        if let [_, 1] = self.shape[..] {
            self.shape.truncate(1);
        }
        self
    }

    /// The length of each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// All numbers, in row-major order.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The length of the first axis.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.shape[0]
    }

    /// The length of the second axis; 1 for an array of one axis.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.shape.get(1).copied().unwrap_or(1)
    }

    /// How many numbers stand at one row and column: the product of all axes after the second. 1 for an array of
    /// two axes.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.shape.iter().skip(2).product()
    }

    /// All numbers of a row. Panics when there is no such row, as indexing a slice does.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f64] {
        let width = self.columns() * self.depth();
        &self.values[row * width..][..width]
    }

    /// The numbers at one row and column, as many as [`Self::depth`]. Panics when there is no such place.
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> &[f64] {
        let depth = self.depth();
        &self.row(row)[column * depth..][..depth]
    }

    /// One column of an array whose depth is 1: a number for each row.
    #[must_use]
    pub fn column(&self, column: usize) -> Vec<f64> {
        (0..self.rows())
            .map(|row| self.at(row, column)[0])
            .collect()
    }

    /// One list for each place of a row, in the order of a row: columns, and entries within them.
    #[must_use]
    pub fn by_column(&self) -> Vec<Vec<f64>> {
        let width = self.columns() * self.depth();
        // A clone of an empty vector would forget its capacity.
        let empty = || Vec::with_capacity(self.rows());
        let mut columns: Vec<Vec<f64>> = std::iter::repeat_with(empty).take(width).collect();
        for row in self.values.chunks_exact(width.max(1)) {
            for (column, &value) in columns.iter_mut().zip(row) {
                column.push(value);
            }
        }
        columns
    }

    /// The rows named, in that order.
    #[must_use]
    pub fn pick(&self, rows: &[usize]) -> Self {
        let mut shape = self.shape.clone();
        shape[0] = rows.len();
        Self {
            shape,
            values: rows
                .iter()
                .flat_map(|&row| self.row(row))
                .copied()
                .collect(),
        }
    }

    /// The problems that make the array unfit for any measure: no rows, no columns, numbers that are not finite, up to
    /// ten of them and how many more.
    #[must_use]
    pub fn problems(&self, name: &'static str) -> Vec<Problem> {
        if self.values.is_empty() {
            return vec![Problem::Empty { array: name }];
        }
        let wrong = |value: f64| !value.is_finite();
        self.wrong_places(name, wrong, |row, column, value| Problem::NotFinite {
            array: name,
            row,
            column,
            value,
        })
    }

    /// A problem for each of the first ten places whose numbers are `wrong`, and one that says how many more there are.
    pub(crate) fn wrong_places(
        &self,
        name: &'static str,
        wrong: impl Fn(f64) -> bool,
        problem: impl Fn(usize, usize, f64) -> Problem,
    ) -> Vec<Problem> {
        let all = || {
            let places = self.values.iter().enumerate();
            places.filter(|(_, value)| wrong(**value))
        };
        let (width, depth) = (self.columns() * self.depth(), self.depth());
        let named = all().take(NAMED);
        let mut problems: Vec<Problem> = named
            .map(|(place, &value)| problem(place / width, place % width / depth, value))
            .collect();
        let count = all().count().saturating_sub(NAMED);
        problems.extend((count > 0).then_some(Problem::More { array: name, count }));
        problems
    }

    /// The same array with 0 in the place of each number that is not finite.
    #[must_use]
    pub(crate) fn made_finite(&self) -> Self {
        let finite = |value: &f64| if value.is_finite() { *value } else { 0.0 };
        Self {
            shape: self.shape.clone(),
            values: self.values.iter().map(finite).collect(),
        }
    }
}
