//! Arrays of numbers that labs keep: `.npy` of numpy, and CSV.
//!
//! What is wrong with a file is said with its place. Deliberately absent: files themselves, which whoever
//! asks reads; pickled objects, which a program would have to run.

mod numeric_array;

pub use numeric_array::{ArrayError, NumericArray, bytes_as_npy, f16_as_npy, f32_as_npy, npy_type};
