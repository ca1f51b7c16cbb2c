//! `redial measure botcl`: what the concepts of a BotCL do on held-out pictures: accuracy, activations, top samples
//! (paper 001, figures 1a and 1b).

use std::path::PathBuf;

use analysis::numbers::rounded;
use analysis::table::{ColumnKind, Table, TableCell, TableColumn};
use clap::Args;
use figures::{Figure, Matrix, PictureRow};
use measures::discovered::activity::{ConceptActivity, active, activity, linear_accuracy};

use super::measure_output::{MeasureOutput, TableOutput};

mod kept;

use kept::{Kept, TOP};

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
    MeasureOutput {
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
