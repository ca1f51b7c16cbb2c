//! Arrays of numbers that labs keep beside a model: `.npy` of numpy, and CSV.

mod csv;
mod npy;
mod npy_written;

/// Largest number of values read: far above any set of latents or pictures for a study.
const MAX_VALUES: usize = 1 << 28;

/// How many numbers that are not finite are named.
const NAMED: usize = 10;

pub use npy::npy_type;
pub use npy_written::{bytes_as_npy, f16_as_npy, f32_as_npy};

/// Why a file is no array of numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {problem}")]
pub struct ArrayError {
    /// What the file is called.
    pub name: String,
    /// What is wrong, and where.
    pub problem: String,
}

/// Numbers row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct NumericArray {
    /// Shape: rows, then the shape of one row.
    pub shape: Vec<usize>,
    /// The numbers, the last axis fastest.
    pub values: Vec<f64>,
}

impl NumericArray {
    /// Reads an array of numbers: `.npy` by how it begins, else CSV. `name` is what the
    /// file is called in errors.
    ///
    /// # Errors
    /// Says what is wrong, and where: all numbers that are not finite, up to ten of them, with how many more there are.
    /// Rows and columns count from 0.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, ArrayError> {
        let table = Self::read_unchecked(name, bytes)?;
        match table.not_finite() {
            Some(problem) => Err(ArrayError {
                name: name.to_owned(),
                problem,
            }),
            None => Ok(table),
        }
    }

    /// The same, for those who look for numbers that are not finite themselves.
    ///
    /// # Errors
    /// Says why the file holds no array of numbers.
    pub fn read_unchecked(name: &str, bytes: &[u8]) -> Result<Self, ArrayError> {
        let table = if bytes.starts_with(npy::MAGIC) {
            npy::read(bytes)
        } else if bytes.starts_with(b"PK\x03\x04") {
            Err("this is an .npz archive; save one array with numpy.save(\"z.npy\", z)".to_owned())
        } else {
            csv::read(bytes)
        };
        let table = table.and_then(|table| {
            if table.rows() == 0 || table.width() == 0 {
                return Err("it holds no numbers".to_owned());
            }
            Ok(table)
        });
        table.map_err(|problem| ArrayError {
            name: name.to_owned(),
            problem,
        })
    }

    /// The numbers that are not finite, with their places, in one sentence; none when all are.
    fn not_finite(&self) -> Option<String> {
        let bad = || {
            self.values
                .iter()
                .enumerate()
                .filter(|(_, v)| !v.is_finite())
        };
        let depth: usize = self.shape.iter().skip(2).product();
        let place = |(at, value): (usize, &f64)| {
            let (row, column) = (at / self.width(), at % self.width() / depth);
            format!("row {row}, column {column} is {value}")
        };
        let mut places: Vec<String> = bad().take(NAMED).map(place).collect();
        match bad().count().saturating_sub(NAMED) {
            0 => {}
            more => places.push(format!("{more} more numbers are not finite")),
        }
        (!places.is_empty()).then(|| places.join("; "))
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(0)
    }

    /// Number of values of a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.shape.iter().skip(1).product()
    }

    /// The rows, each flattened.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.width().max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_that_are_not_finite_are_named_from_0_on() {
        let no = |text: &str| NumericArray::read("z.csv", text.as_bytes()).unwrap_err();
        assert_eq!(
            no("1,nan,3\n4,5,-inf\n").to_string(),
            "z.csv: row 0, column 1 is NaN; row 1, column 2 is -inf"
        );
        let many = no(&"nan,1\n".repeat(12)).problem;
        assert!(
            many.starts_with("row 0, column 0 is NaN; row 1, column 0"),
            "{many}"
        );
        assert!(
            many.ends_with("row 9, column 0 is NaN; 2 more numbers are not finite"),
            "{many}"
        );
        let found = NumericArray::read_unchecked("z.csv", b"1,nan\n").unwrap();
        assert!(found.values[1].is_nan());
    }

    #[test]
    fn a_place_of_an_array_of_three_axes_is_its_row_and_column() {
        let mut values = vec![0.0; 24];
        values[17] = f64::INFINITY;
        let array = NumericArray {
            shape: vec![2, 3, 4],
            values,
        };
        // python3 -c "import numpy as np; print(np.unravel_index(17, (2, 3, 4)))": 1, 1, 1
        assert_eq!(array.not_finite().unwrap(), "row 1, column 1 is inf");
    }
}
