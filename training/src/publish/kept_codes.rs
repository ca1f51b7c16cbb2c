//! Keeping codes of held-out rows beside a bundle, with what is true of these rows.

use std::path::Path;

use anyhow::{Context, Result, bail};
use arrays::{f16_as_npy, f32_as_npy};
use models::kept_codes::{ABOUT_CODES_FILE, AboutCodes, CODES_FILE, FACTORS_FILE};
use models::{Bundle, Card, Zoo};

use super::disentangle::{ROWS, disentanglement};
use super::wide;
use crate::data::Dataset;
use crate::encoder;
use crate::recipe::{Objective, Recipe, sinelines_task};
use crate::run::{Run, Schedule};

/// How far storing numbers in half precision may move a score of the card.
const TOLERANCE: f64 = 0.001;
/// What the class of a row is called where it is no factor.
const LABEL: &str = "label";

/// Codes of a model, and what is true of the same rows.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptCodes {
    /// What they are.
    pub about: AboutCodes,
    /// A row of codes for each row of the data.
    pub codes: Vec<Vec<f64>>,
    /// A row of factors for each.
    pub factors: Vec<Vec<f64>>,
}

impl KeptCodes {
    /// The three files by name. Numbers are in half precision, unless that would move a score that cards have by
    /// more than 0.001; then they are f32.
    ///
    /// # Errors
    /// When a score cannot be computed.
    pub fn files(&self) -> Result<Vec<(&'static str, Vec<u8>)>> {
        let half = self.half_is_enough()?;
        let array = |rows: &[Vec<f64>]| {
            let shape = [rows.len(), rows.first().map_or(0, Vec::len)];
            npy(&shape, rows, half)
        };
        let mut about = serde_json::to_vec_pretty(&self.about)?;
        about.push(b'\n');
        Ok(vec![
            (CODES_FILE, array(&self.codes)),
            (FACTORS_FILE, array(&self.factors)),
            (ABOUT_CODES_FILE, about),
        ])
    }

    fn half_is_enough(&self) -> Result<bool> {
        let halved = |rows: &[Vec<f64>]| -> Result<Vec<Vec<f64>>> {
            let width = rows.first().map_or(0, Vec::len);
            let file = npy(&[rows.len(), width], rows, true);
            let read = arrays::NumericArray::read("codes", &file)?;
            Ok(read.iter().map(<[f64]>::to_vec).collect())
        };
        // A single factor has no DCI, and so no scores on a card.
        if self.about.factors.len() < 2 {
            return Ok(halved(&self.codes).is_ok() && halved(&self.factors).is_ok());
        }
        let (Ok(codes), Ok(factors)) = (halved(&self.codes), halved(&self.factors)) else {
            return Ok(false);
        };
        let names: Vec<&str> = self.about.factors.iter().map(String::as_str).collect();
        let scores = |codes: &[Vec<f64>], factors: &[Vec<f64>]| -> Result<[f64; 3]> {
            let found = disentanglement(codes, factors, &names, None)?;
            let found = found.context("there are factors")?;
            Ok([
                found.mig.unwrap_or_default(),
                found.dci,
                found.dci_as_published,
            ])
        };
        let (whole, half) = (
            scores(&self.codes, &self.factors)?,
            scores(&codes, &factors)?,
        );
        let mut pairs = whole.iter().zip(&half);
        Ok(pairs.all(|(a, b)| (a - b).abs() <= TOLERANCE))
    }
}

/// Rows as an `.npy` file, in half precision or as f32.
fn npy(shape: &[usize], rows: &[Vec<f64>], half: bool) -> Vec<u8> {
    let values: Vec<f32> = rows.iter().flatten().map(|&v| v as f32).collect();
    if half {
        f16_as_npy(shape, &values)
    } else {
        f32_as_npy(shape, &values)
    }
}

/// The codes of the model in `folder`, of the rows that its card's scores are of, with the encoder that was kept
/// beside it, or the true factors of a model that is given them, on the data sets in the folder `data`. None for a
/// model without an encoder, and without data.
///
/// # Errors
/// When the bundle cannot be read, the encoder was not kept or is another's, or the data cannot be had.
pub fn codes(folder: &Path, data: &Path) -> Result<Option<KeptCodes>> {
    let bundle = Bundle::read(folder).with_context(|| folder.display().to_string())?;
    let card = bundle.card();
    let Some(recipe) = Recipe::named(&card.facts.name) else {
        // A formula whose dials are the factors of its data.
        return Ok(factors_as_codes(&card.facts.name)?.map(|dataset| {
            let rows = first(&dataset.split().held_out);
            let codes = rows.iter().map(|&row| dataset.factors(row as usize));
            kept(card, &*dataset, &rows, codes.collect())
        }));
    };
    if recipe.objective == Objective::InfoGan {
        return Ok(None);
    }
    let run = Run::new(recipe, Schedule::of(recipe), data)?;
    if !recipe.encoder_layers().is_empty() {
        encoder::read(&run, card, folder)?;
    }
    let trained = run.model.trained()?;
    let rows = first(&run.split.held_out);
    let codes = wide(&encoder::encode(&run, &trained, &rows)?);
    let measured = run.task.dataset.measured()?;
    let dataset = measured.as_deref().unwrap_or(&*run.task.dataset);
    Ok(Some(kept(card, dataset, &rows, codes)))
}

/// The rows that the scores of a card are of.
fn first(rows: &[u32]) -> Vec<u32> {
    rows[..ROWS.min(rows.len())].to_vec()
}

fn kept(card: &Card, dataset: &dyn Dataset, rows: &[u32], codes: Vec<Vec<f64>>) -> KeptCodes {
    let labelled = rows
        .first()
        .is_some_and(|&row| dataset.label(row as usize).is_some());
    let label = labelled.then(|| LABEL.to_owned());
    let names = dataset.factor_names().iter().map(|&name| name.to_owned());
    let factors: Vec<String> = label.iter().cloned().chain(names).collect();
    let class = dataset.class_factor();
    let task = label.or_else(|| factors.get(class?).cloned());
    let measured = card.measured.as_ref();
    let of_row = |&row: &u32| {
        let label = dataset.label(row as usize).map(f64::from);
        label
            .into_iter()
            .chain(dataset.factors(row as usize))
            .collect()
    };
    KeptCodes {
        about: AboutCodes {
            rows: rows.len(),
            factors,
            task,
            weights_sha256: card.facts.weights_sha256.clone(),
            encoder_sha256: measured.and_then(|measured| measured.encoder_sha256.clone()),
        },
        codes,
        factors: rows.iter().map(of_row).collect(),
    }
}

/// Keeps the codes of models of a folder beside them: of those named, or of all.
///
/// # Errors
/// When a model that was named has no codes, or a file cannot be written.
pub fn keep(names: &[String], zoo: &Path, data: &Path) -> Result<()> {
    let all: Vec<String> = Zoo::each(zoo)?.into_iter().map(|(name, _)| name).collect();
    let asked = if names.is_empty() { &all } else { names };
    for name in asked {
        let folder = zoo.join(name);
        match codes(&folder, data)? {
            Some(kept) => {
                let mut bytes = 0;
                for (file, contents) in kept.files()? {
                    bytes += contents.len();
                    let path = folder.join(file);
                    std::fs::write(&path, contents)
                        .with_context(|| format!("cannot write {}", path.display()))?;
                }
                eprintln!("{name}: codes of {} rows, {bytes} bytes", kept.about.rows);
            }
            None if names.is_empty() => eprintln!("{name}: no encoder, so no codes"),
            None => bail!("{name} has no encoder, so that there are no codes to keep"),
        }
    }
    Ok(())
}

/// The data whose true factors are the dials of a formula; none where there are no such data.
///
/// # Errors
/// When the data cannot be had.
fn factors_as_codes(name: &str) -> Result<Option<Box<dyn Dataset>>> {
    Ok(match name {
        "sinelines-gt5" => Some(sinelines_task(Path::new(""))?.dataset),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn zoo() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/zoo")
    }

    fn rows(path: &Path) -> Vec<Vec<f64>> {
        let bytes = std::fs::read(path).unwrap();
        let array = arrays::NumericArray::read("array", &bytes).unwrap();
        array.iter().map(<[f64]>::to_vec).collect()
    }

    #[test]
    fn kept_codes_give_the_scores_of_the_cards() {
        let mut compared = 0;
        for (name, bundle) in Zoo::each(&zoo()).unwrap() {
            let folder = zoo().join(&name);
            let Ok(about) = std::fs::read(folder.join(ABOUT_CODES_FILE)) else {
                continue;
            };
            let about: AboutCodes = serde_json::from_slice(&about).unwrap();
            let bundle = bundle.unwrap();
            assert!(about.is_of(bundle.card()), "{name}: of other weights");
            let (codes, factors) = (
                rows(&folder.join(CODES_FILE)),
                rows(&folder.join(FACTORS_FILE)),
            );
            assert_eq!(
                (codes.len(), factors.len()),
                (about.rows, about.rows),
                "{name}"
            );
            let Some(card) = &bundle.card().disentanglement else {
                continue;
            };
            let names: Vec<&str> = about.factors.iter().map(String::as_str).collect();
            let found = disentanglement(&codes, &factors, &names, None)
                .unwrap()
                .unwrap();
            assert_eq!(found.factors, card.factors, "{name}");
            for (score, found, card) in [
                ("MIG", found.mig.unwrap(), card.mig.unwrap()),
                ("DCI", found.dci, card.dci),
                (
                    "DCI as published",
                    found.dci_as_published,
                    card.dci_as_published,
                ),
            ] {
                assert!(
                    (found - card).abs() <= TOLERANCE,
                    "{name}, {score}: {found} {card}"
                );
            }
            compared += 1;
        }
        assert!(
            compared >= 6,
            "only {compared} models have codes and scores"
        );
    }

    /// Factors as codes, some of them too large for half precision.
    fn made_up(scale: f64) -> KeptCodes {
        let rows: Vec<Vec<f64>> = (0..400)
            .map(|row| vec![f64::from(row % 20) * scale, f64::from(row / 20) / 7.0])
            .collect();
        KeptCodes {
            about: AboutCodes {
                rows: rows.len(),
                factors: vec!["a".to_owned(), "b".to_owned()],
                task: None,
                weights_sha256: String::new(),
                encoder_sha256: None,
            },
            codes: rows.clone(),
            factors: rows,
        }
    }

    #[test]
    fn numbers_are_halved_only_where_scores_stay() {
        for (scale, descr) in [(0.5, "<f2"), (1e4, "<f4")] {
            let kept = made_up(scale);
            let files = kept.files().unwrap();
            let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, [CODES_FILE, FACTORS_FILE, ABOUT_CODES_FILE]);
            assert_eq!(arrays::npy_type(&files[0].1).as_deref(), Some(descr));
            let about: AboutCodes = serde_json::from_slice(&files[2].1).unwrap();
            assert_eq!(about, kept.about);
        }
    }
}
