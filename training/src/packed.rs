//! A dataset as plain files, for programs in other languages.
//!
//! | file | holds |
//! | --- | --- |
//! | `pictures.bits` | every picture in the order of the rows, one bit a pixel, the most significant bit first |
//! | `factors.f32` | the factors of every row, f32 |
//! | `train.u32`, `held_out.u32` | the numbers of the rows of either part of the split |
//!
//! All numbers are little-endian. The training twin in Python reads them, so that
//! both trainers see the same pictures and hold out the same rows.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result};

use crate::data::Dataset;
use crate::shares::in_shares;

/// Writes the files of a dataset of black and white pictures into `folder`.
///
/// # Errors
/// When the folder or a file cannot be written.
pub fn write(dataset: &dyn Dataset, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let split = dataset.split();
    let numbers = |rows: &[u32]| rows.iter().flat_map(|n| n.to_le_bytes()).collect();
    let (pictures, factors) = pictures_and_factors(dataset);
    for (name, bytes) in [
        ("pictures.bits", pictures),
        ("factors.f32", factors),
        ("train.u32", numbers(&split.train)),
        ("held_out.u32", numbers(&split.held_out)),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

/// Packed pictures and factors of all rows, rendered on every core.
fn pictures_and_factors(dataset: &dyn Dataset) -> (Vec<u8>, Vec<u8>) {
    let rows = dataset.rows();
    let part = |part: Range<usize>| {
        let mut pictures = Vec::new();
        let mut factors = Vec::new();
        let mut picture = vec![0.0; dataset.instance_len()];
        for row in part {
            dataset.render(row, &mut picture);
            pictures.extend(picture.chunks(8).map(pack));
            let of_row = dataset.factors(row);
            factors.extend(of_row.iter().flat_map(|&f| (f as f32).to_le_bytes()));
        }
        (pictures, factors)
    };
    let (pictures, factors): (Vec<_>, Vec<_>) = in_shares(rows, part).into_iter().unzip();
    (pictures.concat(), factors.concat())
}

/// Up to eight pixels, the first in the most significant bit.
fn pack(pixels: &[f32]) -> u8 {
    let bits = pixels.iter().enumerate();
    bits.fold(0, |byte, (i, &p)| byte | (u8::from(p > 0.5) << (7 - i)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DataSplit;

    /// Eleven pictures of 12 pixels; picture i has pixel i on, and pixel 11.
    struct Dots;

    impl Dataset for Dots {
        fn rows(&self) -> usize {
            11
        }
        fn instance_len(&self) -> usize {
            12
        }
        fn factors(&self, row: usize) -> Vec<f64> {
            vec![row as f64]
        }
        fn factor_names(&self) -> &'static [&'static str] {
            &["pixel"]
        }
        fn render(&self, row: usize, out: &mut [f32]) {
            out.fill(0.0);
            out[row] = 1.0;
            out[11] = 1.0;
        }
    }

    #[test]
    fn files_hold_every_row_in_order() {
        let folder = tempfile::tempdir().unwrap();
        write(&Dots, &folder.path().join("dots")).unwrap();
        let read = |name: &str| std::fs::read(folder.path().join("dots").join(name)).unwrap();
        let pictures = read("pictures.bits");
        assert_eq!(pictures.len(), 22);
        // import numpy as np; a = np.zeros((11, 12)); a[range(11), range(11)] = 1; a[:, 11] = 1
        // print(np.packbits(a.astype(bool), axis=1)[[0, 3, 9]].tolist())
        assert_eq!(
            [&pictures[0..2], &pictures[6..8], &pictures[18..20]],
            [[128, 16], [16, 16], [0, 80]]
        );
        let factors = read("factors.f32");
        assert_eq!(factors.len(), 44);
        assert_eq!(factors[40..], 10f32.to_le_bytes());
        let split = DataSplit::of(11);
        assert_eq!(read("train.u32").len(), 4 * split.train.len());
        assert_eq!(read("held_out.u32"), split.held_out[0].to_le_bytes());
    }
}
