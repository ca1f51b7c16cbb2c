//! Arrays from the files of numpy, pandas, polars and spreadsheets.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use import::NumericArray;
use measures::array::Array;
use measures::inputs::{Inputs, Need};
use measures::problem::Problem;
use models::Zoo;

use super::called::Called;
use super::{in_words, parquet_columns};

/// Arrays that were read, by what they are.
pub type Arrays = Vec<(Need, Array)>;

/// A file of kept arrays: of the folder that somebody named, else the one that ships in `shipped`.
///
/// # Errors
/// When it cannot be read, or none of that name ships.
pub fn kept_file(
    folder: Option<&Path>,
    shipped: &str,
    name: &str,
) -> anyhow::Result<Cow<'static, [u8]>> {
    match folder {
        Some(folder) => {
            let path = folder.join(name);
            let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
            Ok(Cow::Owned(bytes))
        }
        None => Zoo::shipped_file(&format!("{shipped}/{name}"))
            .with_context(|| format!("{name} does not ship")),
    }
}

/// Reads every file of an array. All files that cannot be read are named at once, with what is wrong in the others; numbers
/// that are not finite are refused by measures, or by [`finite`].
///
/// # Errors
/// Names each file with what is wrong in it.
pub fn arrays(files: &[(Need, PathBuf)]) -> anyhow::Result<Arrays> {
    let (mut arrays, mut problems) = (Arrays::new(), Vec::new());
    for (need, path) in files.iter().filter(|(need, _)| !need.is_called()) {
        match array(path) {
            Ok(array) => arrays.push((*need, array)),
            Err(why) => problems.push(format!("--{}: {why:#}", need.name())),
        }
    }
    if problems.is_empty() {
        return Ok(arrays);
    }
    problems.extend(unfit(&arrays).iter().map(ToString::to_string));
    bail!("{}", problems.join("\n"))
}

/// Refuses arrays that are empty or hold numbers that are not finite.
///
/// # Errors
/// All of that, with array, row and column.
pub fn finite(arrays: &Arrays) -> anyhow::Result<()> {
    let problems = unfit(arrays);
    if problems.is_empty() {
        return Ok(());
    }
    Err(in_words(problems))
}

fn unfit(arrays: &Arrays) -> Vec<Problem> {
    let each = arrays.iter();
    each.flat_map(|(need, array)| array.problems(need.name()))
        .collect()
}

/// What a measure is computed from: each array takes the place of the one of that name among `kept`.
pub fn inputs<'a>(kept: Inputs<'a>, arrays: Arrays, called: &'a Called) -> Inputs<'a> {
    let with = |inputs: Inputs<'a>, (need, array)| inputs.with(need, array);
    let mut inputs = arrays.into_iter().fold(kept, with);
    inputs.model = called.get(Need::Model);
    inputs.explainer = called.get(Need::Explainer);
    inputs
}

/// Reads the array of one file, whatever its numbers are.
///
/// # Errors
/// Names the file with what is wrong in it.
pub fn array(path: &Path) -> anyhow::Result<Array> {
    let place = path.display().to_string();
    let mut file = File::open(path).with_context(|| place.clone())?;
    let mut begins = [0; parquet_columns::MAGIC.len()];
    let is_parquet = file.read_exact(&mut begins).is_ok() && begins == parquet_columns::MAGIC;
    let (shape, values) = if is_parquet {
        parquet_columns::read(file).with_context(|| place.clone())?
    } else {
        let bytes = std::fs::read(path).with_context(|| place.clone())?;
        let NumericArray { shape, values } = NumericArray::read_unchecked(&place, &bytes)?;
        (shape, values)
    };
    Array::new(shape, values).with_context(|| format!("{place}: it holds no numbers"))
}
