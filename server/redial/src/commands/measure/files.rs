//! Arrays from the files of numpy, pandas, polars and spreadsheets.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use import::NumericArray;
use measures::array::Array;
use measures::inputs::{Inputs, Need};

use super::called::Called;
use super::parquet_columns;

/// Reads every file; each takes the place of the array of that name among `kept`. All that cannot be read are named at once.
///
/// # Errors
/// Names each file with what is wrong in it.
pub fn read<'a>(
    files: &[(Need, PathBuf)],
    kept: Inputs<'a>,
    called: &'a Called,
) -> anyhow::Result<Inputs<'a>> {
    let (mut inputs, mut problems) = (kept, Vec::new());
    inputs.model = called.get(Need::Model);
    inputs.explainer = called.get(Need::Explainer);
    for (need, path) in files.iter().filter(|(need, _)| !need.is_called()) {
        match array(path) {
            Ok(array) => inputs = inputs.with(*need, array),
            Err(why) => problems.push(format!("--{}: {why:#}", need.name())),
        }
    }
    anyhow::ensure!(problems.is_empty(), "{}", problems.join("\n"));
    Ok(inputs)
}

fn array(path: &Path) -> anyhow::Result<Array> {
    let place = path.display().to_string();
    let mut file = File::open(path).with_context(|| place.clone())?;
    let mut begins = [0; parquet_columns::MAGIC.len()];
    let is_parquet = file.read_exact(&mut begins).is_ok() && begins == parquet_columns::MAGIC;
    let (shape, values) = if is_parquet {
        parquet_columns::read(file).with_context(|| place.clone())?
    } else {
        let bytes = std::fs::read(path).with_context(|| place.clone())?;
        let NumericArray { shape, values } = NumericArray::read(&place, &bytes)?;
        (shape, values)
    };
    Array::new(shape, values).with_context(|| format!("{place}: it holds no numbers"))
}
