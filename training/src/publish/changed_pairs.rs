//! Keeping codes of pairs that differ in one factor beside a bundle, for data that are drawn from factors: what
//! perturbation selectivity is computed from (`redial measure selectivity --model NAME`).

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use arrays::{f16_as_npy, f32_as_npy};
use models::Bundle;
use models::kept_codes::{BEFORE_CODES_FILE, CHANGED_CODES_FILE, CHANGED_FACTOR_FILE};

use crate::data::{Dataset, Rows};
use crate::encoder;
use crate::model::Trained;
use crate::recipe::{Objective, Recipe, sinelines_task};
use crate::run::{Run, Schedule};

/// Pairs for each factor: a mean of them is known to about 1/√200 = 7 % of its spread.
pub const PAIRS: usize = 200;
/// Half of the encodings that are made at once: a batch of pictures.
const CHUNK: usize = 200;

/// Factors of rows, and the same with one of them changed.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedPairs {
    /// Factors before.
    pub before: Vec<Vec<f64>>,
    /// Factors after.
    pub after: Vec<Vec<f64>>,
    /// The factor that was changed in each, by its place.
    pub factor: Vec<usize>,
}

/// [`PAIRS`] pairs for each factor: of held-out rows in their order, the factor of each taken from the next held-out row in
/// which it is another. So changes are as large as the data's own differences.
#[must_use]
pub fn pairs(dataset: &dyn Dataset) -> ChangedPairs {
    let rows = dataset.split().held_out;
    let factors = |at: usize| dataset.factors(rows[at % rows.len()] as usize);
    let mut found = ChangedPairs {
        before: Vec::new(),
        after: Vec::new(),
        factor: Vec::new(),
    };
    for factor in 0..dataset.factor_names().len() {
        for at in 0..PAIRS.min(rows.len()) {
            let before = factors(at);
            let others = (at + 1..at + rows.len()).map(factors);
            let other = others.map(|row| row[factor]);
            let Some(value) = other.into_iter().find(|value| *value != before[factor]) else {
                continue;
            };
            let mut after = before.clone();
            after[factor] = value;
            found.before.push(before);
            found.after.push(after);
            found.factor.push(factor);
        }
    }
    found
}

/// Codes of the pictures with these factors.
fn codes(dataset: &dyn Dataset, trained: &Trained, factors: &[Vec<f64>]) -> Result<Vec<Vec<f32>>> {
    let size = dataset.instance_len();
    let mut codes = Vec::with_capacity(factors.len());
    for chunk in factors.chunks(CHUNK) {
        let mut instances = vec![0.0; chunk.len() * size];
        for (factors, instance) in chunk.iter().zip(instances.chunks_exact_mut(size)) {
            ensure!(
                dataset.render_factors(factors, instance),
                "these data are not drawn from factors, so that nothing can be changed in them"
            );
        }
        let rows = Rows {
            len: chunk.len(),
            factors: chunk.iter().flatten().map(|&v| v as f32).collect(),
            labels: Vec::new(),
            instances,
        };
        codes.extend(trained.encode(&rows)?.mean.to_vec2::<f32>()?);
    }
    Ok(codes)
}

/// Keeps pairs beside models of a folder.
///
/// # Errors
/// When no model is named, a model has no encoder or its data are not drawn from factors, or a file cannot be written.
pub fn keep(names: &[String], zoo: &Path, data: &Path) -> Result<()> {
    ensure!(
        !names.is_empty(),
        "name the models: pairs can be kept of those whose data are drawn from factors"
    );
    for name in names {
        let folder = zoo.join(name);
        let files = of_model(&folder, data).with_context(|| name.clone())?;
        let bytes: usize = files.iter().map(|(_, contents)| contents.len()).sum();
        for (file, contents) in files {
            let path = folder.join(file);
            std::fs::write(&path, contents)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        eprintln!("{name}: pairs that differ in one factor, {bytes} bytes");
    }
    Ok(())
}

fn of_model(folder: &Path, data: &Path) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let bundle = Bundle::read(folder).with_context(|| folder.display().to_string())?;
    let card = bundle.card();
    let narrow = |rows: &[Vec<f64>]| -> Vec<Vec<f32>> {
        let row = |row: &Vec<f64>| row.iter().map(|&v| v as f32).collect();
        rows.iter().map(row).collect()
    };
    let (pairs, before, after) = match Recipe::named(&card.facts.name) {
        Some(recipe) if recipe.objective != Objective::InfoGan => {
            let run = Run::new(recipe, Schedule::of(recipe), data)?;
            if !recipe.encoder_layers().is_empty() {
                encoder::read(&run, card, folder)?;
            }
            let (trained, dataset) = (run.model.trained()?, &*run.task.dataset);
            let pairs = pairs(dataset);
            let before = codes(dataset, &trained, &pairs.before)?;
            let after = codes(dataset, &trained, &pairs.after)?;
            (pairs, before, after)
        }
        None if card.facts.name == "sinelines-gt5" => {
            // A formula whose dials are the factors of its data.
            let pairs = pairs(&*sinelines_task(Path::new(""))?.dataset);
            let (before, after) = (narrow(&pairs.before), narrow(&pairs.after));
            (pairs, before, after)
        }
        _ => bail!("it has no encoder, so that there are no codes"),
    };
    let shape = [before.len(), before.first().map_or(0, Vec::len)];
    let factors: Vec<f32> = pairs.factor.iter().map(|&factor| factor as f32).collect();
    Ok(vec![
        (BEFORE_CODES_FILE, f32_as_npy(&shape, &before.concat())),
        (CHANGED_CODES_FILE, f32_as_npy(&shape, &after.concat())),
        // Whole numbers below 2,048 are exact.
        (CHANGED_FACTOR_FILE, f16_as_npy(&[factors.len()], &factors)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsprites::DSprites;

    #[test]
    fn each_pair_differs_in_one_factor() {
        let found = pairs(&DSprites);
        assert_eq!(found.factor.len(), 5 * PAIRS);
        for ((before, after), &factor) in found.before.iter().zip(&found.after).zip(&found.factor) {
            let differ: Vec<usize> = (0..5).filter(|&at| before[at] != after[at]).collect();
            assert_eq!(differ, [factor]);
        }
        assert_eq!(found, pairs(&DSprites));
    }

    #[test]
    fn what_is_drawn_from_a_rows_factors_is_the_row() {
        let (mut row, mut drawn) = (vec![0.0; 64 * 64], vec![0.0; 64 * 64]);
        DSprites.render(123_456, &mut row);
        assert!(DSprites.render_factors(&DSprites.factors(123_456), &mut drawn));
        assert_eq!(row, drawn);
    }

    #[test]
    fn kept_pairs_are_those_of_the_data() {
        let zoo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/zoo");
        let read = |name: &str, file: &str| {
            let bytes = std::fs::read(zoo.join(name).join(file)).unwrap();
            arrays::NumericArray::read(file, &bytes).unwrap()
        };
        let expected = pairs(&DSprites);
        for name in ["dsprites-ae5", "dsprites-vae5", "dsprites-gt5"] {
            let factors = read(name, CHANGED_FACTOR_FILE).values;
            let factors: Vec<usize> = factors.iter().map(|&factor| factor as usize).collect();
            assert_eq!(factors, expected.factor, "{name}");
            for file in [BEFORE_CODES_FILE, CHANGED_CODES_FILE] {
                assert_eq!(read(name, file).shape, [5 * PAIRS, 5], "{name}");
            }
        }
        // A model that is given the factors has them as codes.
        let before = read("dsprites-gt5", BEFORE_CODES_FILE).values;
        let apart = before.iter().zip(expected.before.iter().flatten());
        assert!(apart.into_iter().all(|(a, b)| (a - b).abs() < 1e-6));
    }
}
