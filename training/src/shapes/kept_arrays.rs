//! The arrays that tables are made from: attention and features of held-out pictures, clusters, components, classifiers.

use std::path::Path;

use anyhow::{Context, Result};
use arrays::{f16_as_npy, f32_as_npy};
use measures::array::Array;
use measures::data::shapes::labels::{LABELS, LabelTable, labels};
use measures::data::shapes::{GRID, PICTURES, TRAIN};
use measures::discovered::attention::activations;
use measures::discovered::baselines::{cluster_attention, component_attention};
use measures::experiments::shape_concepts::right_labels;
use models::kept_shapes::{ABOUT_SHAPES_FILE, AboutShapes, FEATURES_FILE, SCALE_FILE, ShapesFiles};

use super::baselines::{all_positions, classifier, clusters, of_picture, principal};
use super::networks::WIDTH;
use super::pictures::DATA;
use super::run::{ShapesRun, Stage};

/// How much of the data is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extents {
    /// Training pictures whose features are clustered, and whose components are taken.
    pub clustered: usize,
    /// Training pictures that linear classifiers are fitted to.
    pub fitted: usize,
    /// Held-out pictures that accuracies are of.
    pub held_out: usize,
    /// Held-out pictures, the first ones, of which features and attention are kept.
    pub kept: usize,
}

impl Extents {
    /// What the shipped arrays are of.
    pub const SHIPPED: Self = Self {
        clustered: 1_000,
        fitted: TRAIN,
        held_out: PICTURES - TRAIN,
        kept: 240,
    };
}

/// A folder of files with what they hold.
pub type Files = Vec<(String, Vec<u8>)>;

/// Makes the files of finished runs: the classifier's, and BotCL's in order of their numbers of concepts.
///
/// # Errors
/// When something cannot be computed, or a run is not what it should be.
pub fn files(
    plain: &ShapesRun,
    botcl: &[ShapesRun],
    extents: Extents,
    trained: Vec<String>,
) -> Result<Files> {
    let training: Vec<usize> = (0..extents.fitted.max(extents.clustered)).collect();
    let held_out: Vec<usize> = (TRAIN..TRAIN + extents.held_out).collect();
    let rows = plain.features(&training)?;
    let held_out_rows = plain.features(&held_out)?;
    let all = all_positions(&rows[..extents.clustered], WIDTH)?;
    let most = botcl.iter().map(concepts_of).max().unwrap_or(1);
    let components = principal(&all, most)?;
    let scale = [components.mean.clone(), components.deviations.clone()];

    let mut files = Files::new();
    let mut accuracy = Vec::new();
    for run in botcl {
        let k = concepts_of(run);
        let names = ShapesFiles::of(k);
        let centres = clusters(&all, k, plain.schedule.seed)?;
        let first: Vec<usize> = (0..k).collect();
        let directions = components.directions.pick(&first);
        let of_clusters = |features: &Array| cluster_attention(features, &centres);
        let of_components =
            |features: &Array| component_attention(features, &components.mean, &directions);
        let (fitted, numbers) = (&rows[..extents.fitted], &training[..extents.fitted]);
        let by_clusters = classifier(fitted, numbers, WIDTH, of_clusters)?;
        let by_components = classifier(fitted, numbers, WIDTH, of_components)?;
        accuracy.push([
            run.accuracy(&held_out)?,
            share_right(&by_clusters, &held_out_rows, &held_out, of_clusters)?,
            share_right(&by_components, &held_out_rows, &held_out, of_components)?,
        ]);
        let maps = run.responses(&held_out[..extents.kept])?.maps;
        let shape = [extents.kept, k, GRID, GRID];
        files.push((names.maps, f16_as_npy(&shape, &maps)));
        files.push((names.centres, table(&rows_of(&centres))));
        files.push((names.components, table(&rows_of(&directions))));
        let [of_botcl, of_k_means, of_pca] = names.classifiers;
        let own: Vec<Vec<f64>> = run.classes()?.iter().map(|row| wide(row)).collect();
        files.push((of_botcl, table(&own)));
        files.push((of_k_means, table(&by_clusters)));
        files.push((of_pca, table(&by_components)));
    }
    let shape = [extents.kept, GRID * GRID, WIDTH];
    let kept = held_out_rows[..extents.kept].concat();
    files.push((FEATURES_FILE.to_owned(), f16_as_npy(&shape, &kept)));
    files.push((SCALE_FILE.to_owned(), table(&scale)));
    let about = AboutShapes {
        seed: DATA.seed,
        cell: DATA.cell,
        first: TRAIN,
        pictures: extents.kept,
        concepts: botcl.iter().map(concepts_of).collect(),
        trained,
        held_out: extents.held_out,
        classifier_accuracy: plain.accuracy(&held_out)?,
        accuracy,
    };
    let mut text = serde_json::to_vec_pretty(&about)?;
    text.push(b'\n');
    files.push((ABOUT_SHAPES_FILE.to_owned(), text));
    Ok(files)
}

/// Writes files into a folder.
///
/// # Errors
/// When one cannot be written.
pub fn write(files: &Files, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

fn concepts_of(run: &ShapesRun) -> usize {
    match run.stage {
        Stage::Classifier => 0,
        Stage::Concepts(k) => k,
    }
}

/// The share of labels that a linear classifier of activations gets right.
fn share_right(
    weights: &[Vec<f64>],
    rows: &[Vec<f32>],
    numbers: &[usize],
    attention: impl Fn(&Array) -> Array,
) -> Result<f64> {
    let weights = Array::from_rows(weights).context("a weight for each concept")?;
    let mut right = 0_u32;
    for (row, &number) in rows.iter().zip(numbers) {
        let t = activations(&attention(&of_picture(row, WIDTH)?));
        let truth = labels(DATA.scene(number).of_interest(), LabelTable::Printed);
        right += right_labels(&weights, &t, &truth);
    }
    Ok(f64::from(right) / (numbers.len() * LABELS).max(1) as f64)
}

fn rows_of(array: &Array) -> Vec<Vec<f64>> {
    (0..array.rows())
        .map(|row| array.row(row).to_vec())
        .collect()
}

fn wide(row: &[f32]) -> Vec<f64> {
    row.iter().map(|&v| f64::from(v)).collect()
}

/// A table of numbers as f32.
fn table(rows: &[Vec<f64>]) -> Vec<u8> {
    let width = rows.first().map_or(0, Vec::len);
    let values: Vec<f32> = rows.iter().flatten().map(|&v| v as f32).collect();
    f32_as_npy(&[rows.len(), width], &values)
}
