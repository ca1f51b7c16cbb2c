//! What convolution and transposed convolution have in common: a small grid of
//! positions, each of which touches a k×k patch of a large picture.
//!
//! *Columns* are the matrix `[maps·k·k, positions]` of those patches. [`Patches::im2col`]
//! copies them out of a picture, [`Patches::col2im`], its adjoint, adds them up into one.

use std::ops::Range;

use crate::Padding;

/// Sizes of the two sides of a convolution, whichever way it goes.
#[derive(Debug, Clone, Copy)]
pub struct Patches {
    /// Maps of the large picture.
    pub maps: usize,
    /// Rows and columns of the large picture.
    pub large: (usize, usize),
    /// Rows and columns of the grid of positions.
    pub grid: (usize, usize),
    /// Side of a patch.
    pub kernel: usize,
    /// Distance between neighbouring patches.
    pub stride: usize,
    /// How far the first patches reach over the edges of the picture.
    pub padding: Padding,
}

impl Patches {
    /// Rows of the matrix of columns.
    #[must_use]
    pub fn taps(&self) -> usize {
        self.maps * self.kernel * self.kernel
    }

    /// Number of positions.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.grid.0 * self.grid.1
    }

    /// How many patches reach a pixel along an axis, at most.
    #[must_use]
    pub fn reach(&self) -> usize {
        self.kernel.div_ceil(self.stride)
    }

    /// Values in a map of the large picture.
    #[must_use]
    pub fn pixels(&self) -> usize {
        self.large.0 * self.large.1
    }

    /// The positions along one axis whose tap `k` falls inside a picture of `large`
    /// pixels, and the pixel of the first of them.
    #[must_use]
    pub fn span(
        k: usize,
        stride: usize,
        padding: i32,
        grid: usize,
        large: usize,
    ) -> (Range<usize>, usize) {
        // Position i lands on pixel i·stride + k − padding.
        let (above, below) = match usize::try_from(padding) {
            Ok(padding) => (padding, 0),
            Err(_) => (0, padding.unsigned_abs() as usize),
        };
        let k = k + below;
        let first = above.saturating_sub(k).div_ceil(stride);
        let end = (large + above).saturating_sub(k).div_ceil(stride).min(grid);
        let first = first.min(end);
        (first..end, (first * stride + k).saturating_sub(above))
    }

    /// Calls `row(columns, picture, len)` for every run of values that col2im adds
    /// (and im2col copies): `len` neighbours from `columns` on in the matrix of
    /// columns meet those from `picture` on, a stride apart, in the picture.
    fn runs(&self, mut row: impl FnMut(usize, usize, usize)) {
        let (stride, padding) = (self.stride, self.padding);
        for map in 0..self.maps {
            for ky in 0..self.kernel {
                let (ys, first_row) =
                    Self::span(ky, stride, padding.top, self.grid.0, self.large.0);
                for kx in 0..self.kernel {
                    let tap = (map * self.kernel + ky) * self.kernel + kx;
                    let (xs, first_column) =
                        Self::span(kx, stride, padding.left, self.grid.1, self.large.1);
                    if xs.is_empty() {
                        continue;
                    }
                    for (i, y) in ys.clone().enumerate() {
                        let columns = tap * self.positions() + y * self.grid.1 + xs.start;
                        let picture = map * self.pixels()
                            + (first_row + i * stride) * self.large.1
                            + first_column;
                        row(columns, picture, xs.len());
                    }
                }
            }
        }
    }

    /// Adds every patch to the picture at its place.
    pub fn col2im(&self, columns: &[f32], picture: &mut [f32]) {
        self.runs(|from, to, len| {
            let targets = picture[to..].iter_mut().step_by(self.stride);
            for (target, value) in targets.zip(&columns[from..from + len]) {
                *target += value;
            }
        });
    }

    /// Copies every patch out of the picture; zeros where it reaches over an edge.
    pub fn im2col(&self, picture: &[f32], columns: &mut [f32]) {
        columns.fill(0.0);
        self.runs(|to, from, len| {
            let sources = picture[from..].iter().step_by(self.stride);
            for (target, value) in columns[to..to + len].iter_mut().zip(sources) {
                *target = *value;
            }
        });
    }
}
