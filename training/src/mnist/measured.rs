//! MNIST with measured factors: the digit, and thickness, slant, width, height and area of its strokes.

use std::path::Path;

use anyhow::{Context, Result};
use arrays::f32_as_npy;
use measures::data::digit::DigitFactors;
use measures::upsampling::Size;

use super::fetch::found_or_fetched;
use super::{Mnist, SIDE};
use crate::data::{DataSplit, Dataset};
use crate::shares::in_shares;

/// What the factors are called.
pub const NAMES: [&str; 6] = ["digit", "thickness", "slant", "width", "height", "area"];

/// MNIST with its factors. Pictures, labels and split are those of [`Mnist`].
#[derive(Debug, Clone)]
pub struct MeasuredMnist {
    mnist: Mnist,
    factors: Vec<[f64; NAMES.len()]>,
}

impl MeasuredMnist {
    /// Measures every picture, on all cores.
    ///
    /// # Errors
    /// When a picture has no ink: all of its pixels are the same.
    pub fn new(mnist: Mnist) -> Result<Self> {
        let parts = in_shares(mnist.rows(), |mut rows| {
            rows.try_fold(Vec::new(), |mut all, row| {
                all.push(measured(&mnist, row)?);
                anyhow::Ok(all)
            })
        });
        let parts: Vec<Vec<_>> = parts.into_iter().collect::<Result<_>>()?;
        Ok(Self {
            factors: parts.concat(),
            mnist,
        })
    }
}

/// Measures MNIST in the folder `mnist`, fetched if it is not there, and writes `factors.npy` (f32, rows × 6, in the
/// order of [`NAMES`], training part first) into `out`.
///
/// # Errors
/// When the data cannot be had, a picture has no ink, or the file cannot be written.
pub fn write(mnist: &Path, out: &Path) -> Result<()> {
    let data = MeasuredMnist::new(found_or_fetched(mnist)?)?;
    let values: Vec<f32> = data.factors.iter().flatten().map(|&v| v as f32).collect();
    std::fs::create_dir_all(out).with_context(|| format!("making {}", out.display()))?;
    let path = out.join("factors.npy");
    std::fs::write(
        &path,
        f32_as_npy(&[data.factors.len(), NAMES.len()], &values),
    )
    .with_context(|| format!("writing {}", path.display()))
}

fn measured(mnist: &Mnist, row: usize) -> Result<[f64; NAMES.len()]> {
    let mut picture = vec![0.0_f32; SIDE * SIDE];
    mnist.render(row, &mut picture);
    let grey: Vec<f64> = picture.into_iter().map(f64::from).collect();
    let size = Size {
        height: SIDE,
        width: SIDE,
    };
    let found = DigitFactors::of(&grey, size)
        .with_context(|| format!("picture {row} has no ink: all of its pixels are the same"))?;
    let [thickness, slant, width, height, area] = found.values();
    let digit = mnist.label(row).map_or(0.0, f64::from);
    Ok([digit, thickness, slant, width, height, area])
}

impl Dataset for MeasuredMnist {
    fn rows(&self) -> usize {
        self.mnist.rows()
    }

    fn instance_len(&self) -> usize {
        self.mnist.instance_len()
    }

    fn factor_names(&self) -> &'static [&'static str] {
        &NAMES
    }

    fn factors(&self, row: usize) -> Vec<f64> {
        self.factors[row].to_vec()
    }

    /// The digit.
    fn class_factor(&self) -> Option<usize> {
        Some(0)
    }

    fn render(&self, row: usize, out: &mut [f32]) {
        self.mnist.render(row, out);
    }

    fn split(&self) -> DataSplit {
        self.mnist.split()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mnist::tests::write_synthetic;

    #[test]
    fn every_row_has_its_digit_and_five_measured_factors() {
        let folder = tempfile::tempdir().unwrap();
        write_synthetic(folder.path(), 30, 20);
        let mnist = Mnist::read(folder.path()).unwrap();
        let data = MeasuredMnist::new(mnist.clone()).unwrap();
        assert_eq!(data.rows(), 50);
        assert_eq!(data.split(), mnist.split());
        let measured = mnist.measured().unwrap().unwrap();
        assert_eq!(
            measured.factor_names()[measured.class_factor().unwrap()],
            "digit"
        );
        assert_eq!(measured.factors(7), data.factors(7));
        for row in 0..50 {
            let [digit, thickness, slant, width, height, area] = data.factors(row)[..] else {
                panic!("as many as there are names");
            };
            assert_eq!(digit, (row % 30 % 10) as f64);
            // Two bright columns of 20 rows.
            assert!((thickness - 2.0).abs() < 0.35, "{thickness}");
            assert!(slant.abs() < 1e-9 && (area - 40.0).abs() < 4.0);
            assert!((width - 2.5).abs() < 0.75 && (height - 19.5).abs() < 0.75);
        }
    }

    #[test]
    fn a_picture_without_ink_is_named() {
        let folder = tempfile::tempdir().unwrap();
        write_synthetic(folder.path(), 30, 20);
        let path = folder.path().join(crate::mnist::FILES[0].0);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[16 + 7 * 784..16 + 8 * 784].fill(0);
        std::fs::write(&path, bytes).unwrap();
        let error = MeasuredMnist::new(Mnist::read(folder.path()).unwrap()).unwrap_err();
        assert!(error.to_string().contains("picture 7"), "{error}");
    }

    /// What is kept beside the models of digits is what was measured: a hash of the file, and how often each digit is
    /// there, as everybody's test set of MNIST has it (980 zeros, 1,135 ones and so on).
    #[test]
    fn kept_factors_are_those_that_were_measured() {
        let zoo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/zoo");
        let mut seen = 0;
        for entry in std::fs::read_dir(&zoo).unwrap() {
            let folder = entry.unwrap().path();
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            let file = folder.join("factors.npy");
            if !name.starts_with("mnist-") || !file.exists() {
                continue;
            }
            let bytes = std::fs::read(&file).unwrap();
            // One model's are in half precision, which moves none of its scores.
            let expected = match arrays::npy_type(&bytes).as_deref() {
                Some("<f2") => "3012f61ddc6876c750271d71796f8fe2259c94f86acb4b46691ac147173b96bb",
                _ => "6a5291e889d08ab794a131da32c154325459ce739b399a1d34edfb263ced4b88",
            };
            assert_eq!(models::weights::sha256_hex(&bytes), expected, "{name}");
            let factors = arrays::NumericArray::read(&name, &bytes).unwrap();
            let mut counts = [0; 10];
            factors.iter().for_each(|row| counts[row[0] as usize] += 1);
            assert_eq!(
                counts,
                [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
            );
            seen += 1;
        }
        assert_eq!(seen, 8);
    }
}
