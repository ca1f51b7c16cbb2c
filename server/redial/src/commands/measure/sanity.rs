//! `redial measure sanity`: the sanity check of faithfulness measures, beside the paper's table 3.

use analysis::table::{ColumnKind, Table, TableCell, TableColumn};
use anyhow::ensure;
use clap::Args;
use measures::experiments::sanity::{COLUMNS, SanityTable, sanity, with_fitted_layer};
use measures::faithfulness::sanity_check::FAITHFULNESS_SANITY;
use measures::inputs::Need;
use measures::measure::Request;
use std::path::PathBuf;

use super::called::Called;
use super::measure_output::{MeasureOutput, TableOutput};
use super::of_arrays::OfArrays;
use super::shown::Format;
use super::subcommand::at_least_one;
use super::{Kept, files, in_words};
use crate::config::Config;
use crate::progress::Progress;

/// `redial measure sanity …`
#[derive(Debug, Clone, Args)]
pub struct SanityArgs {
    /// A model with kept codes and classes. A last layer that tells the classes from its codes is fitted, and
    /// the explanations are of that layer
    #[arg(long, value_name = "NAME", default_value = "mnist-ae10", conflicts_with_all = ["codes", "weights", "bias"])]
    model: String,
    /// Codes that a last layer of your own reads, in the place of a model's: samples × codes
    #[arg(long, value_name = "FILE", requires = "weights")]
    codes: Option<PathBuf>,
    /// The weights of that layer: codes × classes
    #[arg(long, value_name = "FILE", requires = "codes")]
    weights: Option<PathBuf>,
    /// What that layer adds: classes
    #[arg(long, value_name = "FILE", requires = "codes")]
    bias: Option<PathBuf>,
    /// Rows that it is computed from, at most
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = at_least_one())]
    rows: usize,
    /// How often importances, vectors and starting weights are drawn
    #[arg(long, value_name = "N", default_value_t = 10)]
    repetitions: usize,
    /// The same seed gives the same numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: TableOutput,
}

/// Runs `redial measure sanity …`.
///
/// # Errors
/// When arrays cannot be read or are of no use, or the result cannot be written.
pub fn run(config: &Config, args: &SanityArgs) -> anyhow::Result<()> {
    let named = [
        (Need::Codes, &args.codes),
        (Need::Weights, &args.weights),
        (Need::Bias, &args.bias),
    ];
    let own = args.codes.is_some();
    let arrays = OfArrays {
        files: named
            .into_iter()
            .filter_map(|(need, path)| Some((need, path.clone()?)))
            .collect(),
        model: (!own).then(|| args.model.clone()),
        seed: args.seed,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        format: Format::Table,
        out: None,
    };
    let kept = Kept::open(config, &arrays)?;
    let called = Called::open(&arrays)?;
    let read = files::arrays(&arrays.files)?;
    let mut inputs = files::inputs(kept.first(&FAITHFULNESS_SANITY, args.rows), read, &called);
    if !own {
        ensure!(
            inputs.has(Need::Task),
            "no class is known of the rows of {}: name another model, or give --codes and --weights",
            args.model
        );
        inputs = with_fitted_layer(inputs);
    }
    let progress = Progress::counting("percent", Some(100));
    let told = |share: f64| progress.tell((share * 100.0) as u64, 100);
    let request = Request {
        seed: args.seed,
        threads: arrays.threads,
        progress: Some(&told),
        ..Request::default()
    };
    let found = sanity(&inputs, args.repetitions, &request).map_err(in_words)?;
    drop(progress);
    let of = if own {
        "a layer of your own".to_owned()
    } else {
        format!("a layer fitted to the codes of {}", args.model)
    };
    let table = table(&found, &of, args.seed);
    MeasureOutput {
        by: "redial measure sanity",
        long: vec![long(&found)],
        tables: vec![table],
        json: serde_json::to_value(&found)?,
        figures: Vec::new(),
    }
    .put_out(&args.output)
}

/// The paper's table, each number of ours with the paper's in brackets.
fn table(found: &SanityTable, of: &str, seed: u64) -> Table {
    let mut columns = vec![
        TableColumn::new("Step", ColumnKind::Group),
        TableColumn::new("Surrogate", ColumnKind::Text),
    ];
    columns.extend(COLUMNS.map(|head| TableColumn::new(head, ColumnKind::Text)));
    let number = |value: f64| match value.abs() {
        size if size >= 1e4 => format!("{value:.2e}"),
        size if size >= 100.0 => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    };
    let row = |row: &measures::experiments::sanity::Row| {
        let pairs = row.ours.iter().zip(&row.paper);
        let cells = pairs.map(|(ours, paper)| {
            let ours = ours.map_or("–".to_owned(), number);
            TableCell::text(format!("{ours} ({})", number(*paper)))
        });
        let names = [row.step, row.surrogate].map(TableCell::text);
        names.into_iter().chain(cells).collect()
    };
    Table {
        name: "faithfulness-sanity".to_owned(),
        caption: format!(
            "Sanity check of faithfulness measures (Kumar and Ahuja, table 3), of {of}: {} rows, means over {} draws, seed \
             {seed}. In brackets the paper's numbers, which are of another network and of other data: what is to agree is \
             how each surrogate changes from step to step.",
            found.rows, found.repetitions
        ),
        columns,
        rows: found.table.iter().map(row).collect(),
        notes: found
            .verdicts
            .iter()
            .map(|verdict| {
                format!(
                    "{}: {}",
                    if verdict.holds {
                        "holds"
                    } else {
                        "does not hold"
                    },
                    verdict.says
                )
            })
            .collect(),
    }
}

/// Every number as a row of its own.
fn long(found: &SanityTable) -> Table {
    let rows = found.table.iter().flat_map(|row| {
        let numbers = COLUMNS.iter().zip(row.ours.iter().zip(&row.paper));
        numbers.map(|(column, (ours, paper))| {
            vec![
                TableCell::text(row.step),
                TableCell::text(row.surrogate),
                TableCell::text(*column),
                TableCell::number(*ours),
                TableCell::Number(*paper),
            ]
        })
    });
    Table {
        name: "faithfulness-sanity-numbers".to_owned(),
        caption: "Every number of the sanity check.".to_owned(),
        columns: vec![
            TableColumn::new("Step", ColumnKind::Text),
            TableColumn::new("Surrogate", ColumnKind::Text),
            TableColumn::new("Score", ColumnKind::Text),
            TableColumn::new("Ours", ColumnKind::Number),
            TableColumn::new("Paper", ColumnKind::Number),
        ],
        rows: rows.collect(),
        notes: Vec::new(),
    }
}
