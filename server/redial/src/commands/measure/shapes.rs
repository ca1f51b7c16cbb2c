//! `redial measure shapes`: how well BotCL, k-means and PCA cover the shapes that decide labels (paper 001, figures 7
//! and 8).

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use analysis::numbers::rounded;
use anyhow::{Context as _, ensure};
use clap::Args;
use figures::{CurvePanel, Figure, Matrix};
use import::NumericArray;
use measures::array::Array;
use measures::data::shapes::labels::LABELS;
use measures::data::shapes::{GRID, PICTURES, Scene, ShapePictures};
use measures::experiments::shape_concepts::{
    Concepts, KeptConcepts, KeptFeatures, Method, Point, Reading, shape_concepts, verdicts,
};
use models::kept_shapes::{
    ABOUT_SHAPES_FILE, AboutShapes, FEATURES_FILE, SCALE_FILE, SHAPES_FOLDER, ShapesFiles,
};

use super::files::kept_file;
use super::measure_output::{MeasureOutput, TableOutput};
use crate::progress::Progress;

mod tables;

use tables::{SCORES, Score, coverage_table, covered_by, long, scores_table, shape_name};

/// `redial measure shapes …`
#[derive(Debug, Clone, Args)]
pub struct ShapesArgs {
    /// Numbers of concepts [default: all that are kept]
    #[arg(long, value_name = "K", value_delimiter = ',')]
    concepts: Vec<usize>,
    /// A folder that `training shapes` wrote, in the place of the arrays that ship
    #[arg(long, value_name = "DIR")]
    arrays: Option<PathBuf>,
    #[command(flatten)]
    output: TableOutput,
}

/// Runs `redial measure shapes …`.
///
/// # Errors
/// Arrays that cannot be read or do not agree; a number of concepts that is not kept; a result that cannot be written.
pub fn run(args: &ShapesArgs) -> anyhow::Result<()> {
    let files = Files(args.arrays.as_deref());
    let about = about(&files)?;
    let wanted = if args.concepts.is_empty() {
        about.concepts.clone()
    } else {
        args.concepts.clone()
    };
    for k in &wanted {
        ensure!(
            about.concepts.contains(k),
            "nothing is kept for {k} concepts; there are: {}",
            listed(&about.concepts)
        );
    }
    let pictures = ShapePictures {
        seed: about.seed,
        cell: about.cell,
    };
    let numbers = about.first..about.first + about.pictures;
    let scenes: Vec<Scene> = numbers.map(|number| pictures.scene(number)).collect();
    let concepts = kept(&files, &about, &wanted)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let progress = Progress::counting("tables", Some(Reading::ALL.len() * concepts.len()));
    let points = shape_concepts(&concepts, pictures, &scenes, threads, |_| {
        progress.one_more();
    });
    drop(progress);
    let found = verdicts(&points);
    let mut tables = vec![scores_table(&points, &found, &about)];
    for reading in Reading::ALL {
        tables.push(coverage_table(&points, reading, &about));
    }
    MeasureOutput {
        by: "redial measure shapes",
        tables,
        long: long(&points),
        figures: drawn(&points, &about),
        json: serde_json::json!({ "about": about, "points": points, "verdicts": found }),
    }
    .put_out(&args.output)
}

/// The folder that somebody named, else what ships.
struct Files<'a>(Option<&'a Path>);

impl Files<'_> {
    fn read(&self, name: &str) -> anyhow::Result<Cow<'static, [u8]>> {
        kept_file(self.0, SHAPES_FOLDER, name)
    }

    /// An array of this shape.
    fn array(&self, name: &str, shape: &[usize]) -> anyhow::Result<Array> {
        let read = NumericArray::read(name, &self.read(name)?)?;
        ensure!(
            read.shape == shape,
            "{name} has shape {:?}; with what {ABOUT_SHAPES_FILE} says it is {shape:?}",
            read.shape
        );
        ensure!(
            read.values.iter().all(|value| value.is_finite()),
            "{name} holds what is no number"
        );
        Array::new(read.shape, read.values).with_context(|| format!("{name} holds no numbers"))
    }
}

fn about(files: &Files) -> anyhow::Result<AboutShapes> {
    let text = files.read(ABOUT_SHAPES_FILE)?;
    let about: AboutShapes = serde_json::from_slice(&text).context(ABOUT_SHAPES_FILE)?;
    let last = about.first.checked_add(about.pictures);
    ensure!(
        about.pictures > 0 && last.is_some_and(|last| last <= PICTURES),
        "{ABOUT_SHAPES_FILE}: there are {PICTURES} pictures; {} from number {} on are not among them",
        about.pictures,
        about.first
    );
    ensure!(
        (1..=MOST_PIXELS).contains(&about.cell),
        "{ABOUT_SHAPES_FILE}: a cell has 1 to {MOST_PIXELS} rows of pixels, not {}",
        about.cell
    );
    ensure!(
        !about.concepts.is_empty() && !about.concepts.contains(&0),
        "{ABOUT_SHAPES_FILE}: numbers of concepts are 1 or more, and there is one at least"
    );
    Ok(about)
}

/// Rows of a cell, at most: a picture has as many pixels as one of the paper's, or a few more.
const MOST_PIXELS: usize = 64;

fn kept(files: &Files, about: &AboutShapes, wanted: &[usize]) -> anyhow::Result<Vec<Concepts>> {
    let read = NumericArray::read(FEATURES_FILE, &files.read(FEATURES_FILE)?)?;
    let width = read.shape.last().copied().unwrap_or_default();
    ensure!(width > 0, "{FEATURES_FILE} holds no numbers");
    let positions = GRID * GRID;
    let scale = files.array(SCALE_FILE, &[2, width])?;
    let features = KeptFeatures {
        features: files.array(FEATURES_FILE, &[about.pictures, positions, width])?,
        mean: scale.row(0).to_vec(),
        deviations: scale.row(1).to_vec(),
    };
    let mut all = Vec::new();
    for &k in wanted {
        let names = ShapesFiles::of(k);
        let classes = |name: &String| files.array(name, &[LABELS, 1 + k]);
        let [botcl, k_means, pca] = &names.classifiers;
        all.extend(features.concepts(&KeptConcepts {
            maps: files.array(&names.maps, &[about.pictures, k, GRID, GRID])?,
            centres: files.array(&names.centres, &[k, width])?,
            components: files.array(&names.components, &[k, width])?,
            classifiers: [classes(botcl)?, classes(k_means)?, classes(pca)?],
        }));
    }
    Ok(all)
}

/// Figure 7 for the largest number of concepts in both readings, and figure 8 in both.
fn drawn(points: &[Point], about: &AboutShapes) -> Vec<Figure> {
    let mut all = Vec::new();
    let most = points.iter().map(|point| point.concepts).max();
    for reading in Reading::ALL {
        let here: Vec<&Point> = points.iter().filter(|p| p.reading == reading).collect();
        let caption = format!(
            "Coverage of five shapes by {} concepts, {} ({} pictures). A concept that is matched with shapes carries their \
             names. No test.",
            most.unwrap_or_default(),
            reading.title(),
            about.pictures
        );
        let largest = here.iter().filter(|point| Some(point.concepts) == most);
        let matrices: Vec<Matrix> = largest.map(|point| matrix(point)).collect();
        let name = format!("coverage-of-shapes-{}", reading.title());
        all.extend(figures::heat_maps(&name, &caption, &matrices, (0.0, 1.0)));
        let caption = format!(
            "Accuracy, completeness, purity and distinctiveness by number of concepts, coverage as {} ({} pictures, one run \
             each). Accuracy is of activations as printed. No test.",
            reading.title(),
            about.pictures
        );
        let panels: Vec<CurvePanel> = SCORES.iter().map(|score| panel(&here, score)).collect();
        let name = format!("concepts-of-shapes-{}", reading.title());
        all.extend(figures::curves(&name, &caption, &panels));
    }
    all
}

/// Concepts × shapes.
fn matrix(point: &Point) -> Matrix {
    let concept = |concept: usize| {
        let shapes = covered_by(point, concept).into_iter().map(shape_name);
        let names: Vec<String> = std::iter::once(format!("{}", concept + 1))
            .chain(shapes)
            .collect();
        names.join(" ")
    };
    let value = |shape: &Option<Vec<f64>>, concept: usize| shape.as_ref().map(|row| row[concept]);
    Matrix {
        title: point.method.title().to_owned(),
        rows: (0..point.concepts).map(concept).collect(),
        columns: (0..point.coverage.len()).map(shape_name).collect(),
        values: (0..point.concepts)
            .map(|concept| {
                let shapes = point.coverage.iter();
                shapes.map(|shape| value(shape, concept)).collect()
            })
            .collect(),
    }
}

fn panel(points: &[&Point], score: &Score) -> CurvePanel {
    let curve = |method: Method| {
        let of = points.iter().filter(|point| point.method == method);
        let points = of.map(|point| (point.concepts as f64, (score.value)(point)));
        (method.title().to_owned(), points.collect())
    };
    CurvePanel {
        title: score.title.to_owned(),
        across: "concepts".to_owned(),
        curves: Method::ALL.map(curve).to_vec(),
    }
}

fn listed(numbers: &[usize]) -> String {
    let words: Vec<String> = numbers.iter().map(usize::to_string).collect();
    words.join(", ")
}

/// A number for people; a dash for none.
fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| rounded(value, 3))
}
