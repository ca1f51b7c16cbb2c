//! A safe face on the `gemm` crate.
#![allow(unsafe_code)] // the interface of gemm

/// A dense matrix in a slice: `rows` × `columns`, row by row unless transposed.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    values: &'a [f32],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    /// Panics when the slice does not hold exactly `rows` × `columns` values:
    /// what follows relies on it.
    pub(super) fn new(values: &'a [f32], rows: usize, columns: usize) -> Self {
        assert_eq!(values.len(), rows * columns, "a {rows}×{columns} matrix");
        Self {
            values,
            rows,
            columns,
            row_stride: columns,
            column_stride: 1,
        }
    }

    /// The transpose, without moving a value.
    pub(super) fn t(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }
}

/// `out` = a·b, or `out` + a·b when `add`; on the calling thread alone.
pub(super) fn matmul(out: &mut [f32], a: Matrix, b: Matrix, add: bool) {
    assert_eq!(a.columns, b.rows, "inner sizes");
    assert_eq!(out.len(), a.rows * b.columns, "output size");
    let stride = |n: usize| n as isize;
    // SAFETY: `Matrix` holds a slice of rows·columns values and strides that visit
    // each of them once; `out` holds a.rows·b.columns values (asserted above) and,
    // being borrowed mutably, overlaps neither.
    unsafe {
        gemm::gemm(
            a.rows,
            b.columns,
            a.columns,
            out.as_mut_ptr(),
            1,
            stride(b.columns),
            add,
            a.values.as_ptr(),
            stride(a.column_stride),
            stride(a.row_stride),
            b.values.as_ptr(),
            stride(b.column_stride),
            stride(b.row_stride),
            1.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
