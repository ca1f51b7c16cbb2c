//! Arrays of numbers that labs keep beside a model: `.npy` of numpy, and CSV.

mod csv;
mod npy;
mod npy_written;

/// Largest number of values read: far above any set of latents or pictures for a study.
const MAX_VALUES: usize = 1 << 28;

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
    /// Says what is wrong, and where.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, ArrayError> {
        let table = if bytes.starts_with(npy::MAGIC) {
            npy::read(bytes)
        } else if bytes.starts_with(b"PK\x03\x04") {
            Err("this is an .npz archive; save one array with numpy.save(\"z.npy\", z)".to_owned())
        } else {
            csv::read(bytes)
        };
        let table = table.and_then(|table| {
            let bad = table.values.iter().position(|v| !v.is_finite());
            match bad {
                Some(at) => Err(format!(
                    "value {} of row {} is {}",
                    at % table.width() + 1,
                    at / table.width() + 1,
                    table.values[at]
                )),
                None if table.rows() == 0 || table.width() == 0 => {
                    Err("it holds no numbers".to_owned())
                }
                None => Ok(table),
            }
        });
        table.map_err(|problem| ArrayError {
            name: name.to_owned(),
            problem,
        })
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
