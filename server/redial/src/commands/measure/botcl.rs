//! `redial measure botcl`: what the concepts of a BotCL do on held-out pictures: accuracy, activations, top samples
//! (paper 001, figures 1a and 1b).

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use analysis::numbers::rounded;
use analysis::table::{ColumnKind, Table, TableCell, TableColumn};
use anyhow::{Context as _, ensure};
use clap::Args;
use figures::{Figure, GreyPicture, Matrix, PictureRow};
use import::NumericArray;
use measures::array::Array;
use measures::discovered::activity::{ConceptActivity, active, activity, linear_accuracy};
use models::Zoo;
use models::kept_concepts::{
    ACTIVATIONS_FILE, BIAS_FILE, CONCEPTS_FOLDER, LABELS_FILE, MAPS_FILE, PICTURES_FILE,
    WEIGHTS_FILE,
};

use super::made::{Made, TableOutput};

/// How many pictures of each concept are drawn, as in the paper's figure 1.
const TOP: usize = 10;

/// The share of a concept's largest attention in a picture above which a cell is outlined.
const MARKED: f64 = 0.5;

/// `redial measure botcl …`
#[derive(Debug, Clone, Args)]
pub struct BotclArgs {
    /// A folder that `training concepts` wrote (its part `held_out`), in the place of the arrays that ship
    #[arg(long, value_name = "DIR")]
    arrays: Option<PathBuf>,
    #[command(flatten)]
    output: TableOutput,
}

/// Runs `redial measure botcl …`.
///
/// # Errors
/// Arrays that cannot be read or do not agree; a result that cannot be written.
pub fn run(args: &BotclArgs) -> anyhow::Result<()> {
    let kept = Kept::read(args.arrays.as_deref())?;
    let classes = kept.bias.len();
    let all = activity(&kept.activations, &kept.labels, classes);
    let order = active(&all);
    let accuracy = linear_accuracy(&kept.activations, &kept.labels, &kept.weights, &kept.bias);
    Made {
        by: "redial measure botcl",
        tables: vec![table(&all, accuracy, &kept)],
        long: vec![long(&all)],
        figures: drawn(&all, &order, &kept),
        json: serde_json::json!({
            "accuracy": accuracy, "pictures": kept.labels.len(), "active": order, "concepts": all,
        }),
    }
    .put_out(&args.output)
}

/// The arrays, of one number of concepts.
struct Kept {
    activations: Array,
    labels: Vec<usize>,
    weights: Array,
    bias: Vec<f64>,
    /// Pictures × pixels, and rows and columns of a picture.
    pictures: (Array, (usize, usize)),
    /// Pictures × concepts × cells, and rows and columns of cells.
    maps: (Array, (usize, usize)),
}

impl Kept {
    fn read(folder: Option<&Path>) -> anyhow::Result<Self> {
        let read = |name: &str, axes: usize| -> anyhow::Result<NumericArray> {
            let mut found = NumericArray::read(name, &bytes(folder, name)?)?;
            // A list is read as a column.
            if axes == 1 && found.shape.get(1) == Some(&1) {
                found.shape.truncate(1);
            }
            ensure!(
                found.shape.len() == axes && !found.values.is_empty(),
                "{name} has shape {:?}; an array of {axes} axes is wanted, with numbers in it",
                found.shape
            );
            ensure!(
                found.values.iter().all(|value| value.is_finite()),
                "{name} holds what is no number"
            );
            Ok(found)
        };
        let activations = read(ACTIVATIONS_FILE, 2)?;
        let [images, concepts] = activations.shape[..] else {
            unreachable!("two axes were asked for");
        };
        let bias = read(BIAS_FILE, 1)?.values;
        let classes = bias.len();
        let of_shape = |name: &str, shape: &[usize]| -> anyhow::Result<NumericArray> {
            let found = read(name, shape.len())?;
            ensure!(
                found.shape == shape,
                "{name} has shape {:?}; with {ACTIVATIONS_FILE} and {BIAS_FILE} it is {shape:?}",
                found.shape
            );
            Ok(found)
        };
        let labels = of_shape(LABELS_FILE, &[images])?.values;
        for (image, label) in labels.iter().enumerate() {
            ensure!(
                label.fract() == 0.0 && (0.0..classes as f64).contains(label),
                "{LABELS_FILE}: {label} of picture {image} is none of the classes 0 to {}",
                classes - 1
            );
        }
        let weights = of_shape(WEIGHTS_FILE, &[classes, concepts])?;
        let pictures = read(PICTURES_FILE, 3)?;
        let [shown, height, width] = pictures.shape[..] else {
            unreachable!("three axes were asked for");
        };
        ensure!(
            shown <= images,
            "{PICTURES_FILE} has {shown} pictures; {ACTIVATIONS_FILE} has {images}, of which they are the first"
        );
        let maps = read(MAPS_FILE, 4)?;
        let [of_maps, of_concepts, rows, columns] = maps.shape[..] else {
            unreachable!("four axes were asked for");
        };
        ensure!(
            (of_maps, of_concepts) == (shown, concepts),
            "{MAPS_FILE} has shape {:?}; it begins with {shown} pictures and {concepts} concepts",
            maps.shape
        );
        let array = |shape: Vec<usize>, values: Vec<f64>, name: &str| {
            Array::new(shape, values).with_context(|| format!("{name} holds no numbers"))
        };
        Ok(Self {
            activations: array(activations.shape, activations.values, ACTIVATIONS_FILE)?,
            labels: labels.into_iter().map(|label| label as usize).collect(),
            weights: array(weights.shape, weights.values, WEIGHTS_FILE)?,
            bias,
            pictures: (
                array(vec![shown, height * width], pictures.values, PICTURES_FILE)?,
                (height, width),
            ),
            maps: (
                array(
                    vec![shown * concepts, rows * columns],
                    maps.values,
                    MAPS_FILE,
                )?,
                (rows, columns),
            ),
        })
    }

    /// The pictures of those that are kept in which a concept is most active, the most active first.
    fn top(&self, concept: usize) -> Vec<GreyPicture> {
        let t = |picture: &usize| self.activations.row(*picture)[concept];
        let mut order: Vec<usize> = (0..self.pictures.0.rows()).collect();
        order.sort_by(|a, b| t(b).total_cmp(&t(a)));
        order.truncate(TOP);
        let brightest = self.pictures.0.values().iter().copied().fold(0.0, f64::max);
        let picture = |&picture: &usize| {
            let pixels = self.pictures.0.row(picture);
            let map = self
                .maps
                .0
                .row(picture * self.activations.columns() + concept);
            let largest = map.iter().copied().fold(0.0, f64::max);
            GreyPicture {
                pixels: self.pictures.1,
                grey: pixels.iter().map(|it| it / brightest).collect(),
                cells: self.maps.1,
                marked: map
                    .iter()
                    .map(|it| largest > 0.0 && *it > MARKED * largest)
                    .collect(),
                label: self.labels[picture].to_string(),
                value: t(&picture),
            }
        };
        order.iter().map(picture).collect()
    }
}

/// A file of the folder that somebody named, else one that ships.
fn bytes(folder: Option<&Path>, name: &str) -> anyhow::Result<Cow<'static, [u8]>> {
    match folder {
        Some(folder) => {
            let path = folder.join(name);
            let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
            Ok(Cow::Owned(bytes))
        }
        None => Zoo::shipped_file(&format!("{CONCEPTS_FOLDER}/{name}"))
            .with_context(|| format!("{name} does not ship")),
    }
}

fn table(all: &[ConceptActivity], accuracy: Option<f64>, kept: &Kept) -> Table {
    let mut columns = vec![
        TableColumn::new("Concept", ColumnKind::Count),
        TableColumn::new("Active", ColumnKind::Text),
        TableColumn::new("On", ColumnKind::Text),
        TableColumn::new("At an end", ColumnKind::Text),
        TableColumn::new("Largest", ColumnKind::Text),
    ];
    let digits = (0..kept.bias.len()).map(|class| class.to_string());
    columns.extend(digits.map(|class| TableColumn::new(&class, ColumnKind::Text)));
    let percent = |share: f64| format!("{} %", rounded(100.0 * share, 1));
    let rows = all.iter().map(|it| {
        let mut row = vec![
            TableCell::Count(it.concept),
            TableCell::text(if it.is_active() { "yes" } else { "no" }),
            TableCell::Text(percent(it.on)),
            TableCell::Text(percent(it.at_an_end)),
            TableCell::Text(shown(it.largest)),
        ];
        row.extend(it.by_class.iter().map(|mean| TableCell::Text(shown(*mean))));
        row
    });
    let number = all.iter().filter(|it| it.is_active()).count();
    Table {
        name: "botcl-concepts".to_owned(),
        caption: format!(
            "Concepts of BotCL on {} held-out pictures. On: activation above ½; active: on in at least 1 % of the pictures; \
             at an end: activation below 0.1 or above 0.9; then the mean activation in the pictures of each class.",
            kept.labels.len()
        ),
        columns,
        rows: rows.collect(),
        notes: vec![
            format!(
                "Right classes: {}. The paper's text has no number (its figure 5b cannot be read in our copy).",
                accuracy.map_or_else(|| "none".to_owned(), percent)
            ),
            format!(
                "Active concepts: {number} of {}. The paper: 8 of 20, the others never (supplement, section 4.1).",
                all.len()
            ),
        ],
    }
}

fn long(all: &[ConceptActivity]) -> Table {
    let rows = all.iter().flat_map(|it| {
        let of_class = it.by_class.iter().enumerate();
        of_class.map(|(class, mean)| {
            vec![
                TableCell::Count(it.concept),
                TableCell::Count(class),
                TableCell::number(*mean),
                TableCell::number(Some(it.on)),
                TableCell::number(Some(it.at_an_end)),
                TableCell::number(it.largest),
            ]
        })
    });
    Table {
        name: "botcl-activations".to_owned(),
        caption: "Mean activation of each concept in the pictures of each class.".to_owned(),
        columns: vec![
            TableColumn::new("Concept", ColumnKind::Count),
            TableColumn::new("Class", ColumnKind::Count),
            TableColumn::keyed("Mean activation", "mean", ColumnKind::Number),
            TableColumn::new("On", ColumnKind::Number),
            TableColumn::keyed("At an end", "at_an_end", ColumnKind::Number),
            TableColumn::new("Largest", ColumnKind::Number),
        ],
        rows: rows.collect(),
        notes: Vec::new(),
    }
}

/// Figure 1: activations by class, and top samples of the concepts that are active.
fn drawn(all: &[ConceptActivity], order: &[usize], kept: &Kept) -> Vec<Figure> {
    let activations = Matrix {
        title: "Mean activation".to_owned(),
        rows: (0..kept.bias.len())
            .map(|class| class.to_string())
            .collect(),
        columns: all.iter().map(|it| it.concept.to_string()).collect(),
        values: (0..kept.bias.len())
            .map(|class| all.iter().map(|it| it.by_class[class]).collect())
            .collect(),
    };
    let caption = format!(
        "Mean activation of each concept (across) in the pictures of each class (down), {} held-out pictures. No test.",
        kept.labels.len()
    );
    let maps = figures::heat_maps("botcl-activations", &caption, &[activations], (0.0, 1.0));
    let row = |&concept: &usize| PictureRow {
        name: format!("Concept {concept}"),
        pictures: kept.top(concept),
    };
    let rows: Vec<PictureRow> = order.iter().map(row).collect();
    let caption = format!(
        "The {TOP} pictures, of {} held-out ones, in which each active concept is most active; the most active first. \
         Outlined: attention above half of the concept's largest in the picture. No test.",
        kept.pictures.0.rows()
    );
    let samples = figures::pictures("botcl-top-samples", &caption, "Activation", &rows);
    maps.into_iter().chain(samples).collect()
}

/// A number for people; a dash for none.
fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| rounded(value, 2))
}
