//! `redial measure dependence`: impurity against the dependence of concepts (paper 000, figure 3).

use analysis::numbers::rounded;
use analysis::table::{ColumnKind, Table, TableCell, TableColumn};
use clap::Args;
use figures::CurvePanel;
use measures::experiments::dependence::{NOISE, Point, Representation, dependence, rises};

use super::in_words;
use super::measure_output::{MeasureOutput, TableOutput};
use crate::progress::Progress;

/// `redial measure dependence …`
#[derive(Debug, Clone, Args)]
pub struct DependenceArgs {
    /// Dependences of the concepts
    #[arg(long, value_name = "D", value_delimiter = ',', default_values_t = [0.0, 0.2, 0.4, 0.6, 0.8])]
    deltas: Vec<f64>,
    /// How many seeds: each draws data, noise, an encoder's weights and the splits anew
    #[arg(long, value_name = "N", default_value_t = 5)]
    seeds: u64,
    #[command(flatten)]
    output: TableOutput,
}

/// Runs `redial measure dependence …`.
///
/// # Errors
/// A dependence that there is not; a result that cannot be written.
pub fn run(args: &DependenceArgs) -> anyhow::Result<()> {
    let seeds: Vec<u64> = (1..=args.seeds).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let progress = Progress::counting("percent", Some(100));
    let told = |share: f64| progress.tell((share * 100.0) as u64, 100);
    let points = dependence(&args.deltas, &seeds, threads, &told).map_err(in_words)?;
    drop(progress);
    let caption = format!(
        "Impurity against the dependence δ of concepts, on TabularToy(δ): mean over {} seeds. Oracle: OIS as printed, beside \
         the concepts' own purity matrix. Non-oracle: beside 1 on the diagonal and ½ off it. Noise has the standard deviation \
         {NOISE}; the encoder was taught the concepts. No test.",
        args.seeds
    );
    let figure = figures::curves("impurity-over-dependence", &caption, &panels(&points, args));
    let summary = summary(&points, args, caption);
    let json = serde_json::json!({ "points": points, "rises": rises(&points) });
    MeasureOutput {
        by: "redial measure dependence",
        tables: vec![summary],
        long: vec![long(&points)],
        json,
        figures: figure.into_iter().collect(),
    }
    .put_out(&args.output)
}

/// The mean and the standard deviation (n − 1) over seeds.
fn over_seeds(
    points: &[Point],
    representation: Representation,
    delta: f64,
    score: fn(&Point) -> Option<f64>,
) -> Option<(f64, f64)> {
    let at = points
        .iter()
        .filter(|p| p.representation == representation && p.delta == delta);
    let values: Vec<f64> = at.filter_map(score).collect();
    let found = measures::statistics::describe(&values).ok()?;
    Some((found.mean, found.sd_sample.unwrap_or(0.0)))
}

type Score = (&'static str, fn(&Point) -> Option<f64>);
const SCORES: [Score; 2] = [
    ("oracle", |point| point.oracle),
    ("non-oracle", |point| point.non_oracle),
];

fn summary(points: &[Point], args: &DependenceArgs, caption: String) -> Table {
    let mut columns = vec![
        TableColumn::new("Representation", ColumnKind::Group),
        TableColumn::new("Score", ColumnKind::Text),
    ];
    let heads = args.deltas.iter();
    columns.extend(heads.map(|delta| TableColumn::new(&format!("δ = {delta}"), ColumnKind::Text)));
    let mut rows = Vec::new();
    for representation in Representation::ALL {
        for (name, score) in SCORES {
            let cells = args.deltas.iter().map(|delta| {
                let found = over_seeds(points, representation, *delta, score);
                TableCell::text(found.map_or("–".to_owned(), |(mean, sd)| {
                    format!("{} ± {}", rounded(mean, 3), rounded(sd, 3))
                }))
            });
            let names = [representation.title(), name].map(TableCell::text);
            rows.push(names.into_iter().chain(cells).collect());
        }
    }
    let notes = rises(points).into_iter().map(|rise| {
        format!(
            "{}: from the smallest δ to the largest, the non-oracle score changes by {}, OIS by {}.",
            rise.representation.title(),
            rounded(rise.non_oracle, 3),
            rounded(rise.oracle, 3)
        )
    });
    Table {
        name: "impurity-over-dependence".to_owned(),
        caption,
        columns,
        notes: notes.collect(),
        rows,
    }
}

fn panels(points: &[Point], args: &DependenceArgs) -> Vec<CurvePanel> {
    let panel = |(name, score): Score| CurvePanel {
        title: format!("Impurity, {name}"),
        across: "δ".to_owned(),
        curves: Representation::ALL
            .map(|representation| {
                let at = args.deltas.iter().map(|&delta| {
                    let found = over_seeds(points, representation, delta, score);
                    (delta, found.map(|(mean, _)| mean))
                });
                (representation.title().to_owned(), at.collect())
            })
            .to_vec(),
    };
    SCORES.into_iter().map(panel).collect()
}

fn long(points: &[Point]) -> Table {
    let rows = points.iter().map(|point| {
        vec![
            TableCell::text(point.representation.title()),
            TableCell::Number(point.delta),
            TableCell::Count(point.seed as usize),
            TableCell::number(point.oracle),
            TableCell::number(point.non_oracle),
        ]
    });
    Table {
        name: "impurity-over-dependence-numbers".to_owned(),
        caption: "Every number of impurity against dependence.".to_owned(),
        columns: vec![
            TableColumn::new("Representation", ColumnKind::Text),
            TableColumn::new("Delta", ColumnKind::Number),
            TableColumn::new("Seed", ColumnKind::Count),
            TableColumn::new("Oracle", ColumnKind::Number),
            TableColumn::new("Non-oracle", ColumnKind::Number),
        ],
        rows: rows.collect(),
        notes: Vec::new(),
    }
}
