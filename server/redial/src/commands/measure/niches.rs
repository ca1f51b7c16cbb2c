//! `redial measure niches`: niche purity, impurity and size over β, of models with kept codes (paper 000, figure 6).

use analysis::numbers::rounded;
use analysis::table::{ColumnKind, Table, TableCell, TableColumn, file_name};
use anyhow::{bail, ensure};
use clap::Args;
use figures::CurvePanel;
use measures::concept_quality::niche_measure::NICHE;
use measures::inputs::Need;
use measures::measure::Request;
use measures::outcome::Outcome;

use super::in_words;
use super::measure_output::{MeasureOutput, TableOutput};
use super::subcommand::at_least_one;
use crate::config::Config;
use crate::kept_codes::KeptCodes;
use crate::models_at_hand::models_at_hand;
use crate::progress::Progress;

/// `redial measure niches …`
#[derive(Debug, Clone, Args)]
pub struct NichesArgs {
    /// Names of models with kept codes and classes [default: all of them]
    names: Vec<String>,
    /// Rows that they are computed from, at most
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = at_least_one())]
    rows: usize,
    /// The same seed gives the same numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: TableOutput,
}

/// A model's curves.
struct OfModel {
    name: String,
    data: String,
    /// β, NPS, NIS and mean size at each step.
    steps: Vec<Vec<Option<f64>>>,
}

/// What the curves are called.
const CURVES: [&str; 3] = ["NPS", "NIS", "Mean niche size"];

/// Runs `redial measure niches …`.
///
/// # Errors
/// A model that there is not, or that has no codes and classes; a result that cannot be written.
pub fn run(config: &Config, args: &NichesArgs) -> anyhow::Result<()> {
    let models = models_at_hand(config)?;
    if let Some(name) = args.names.iter().find(|name| models.get(name).is_none()) {
        let names: Vec<&str> = models.names().collect();
        bail!(
            "there is no model '{name}'; there are: {}",
            names.join(", ")
        );
    }
    let mut found = Vec::new();
    let progress = Progress::counting("models measured", None);
    for bundle in models.iter() {
        let named = args.names.iter().any(|name| name == bundle.name());
        if !named && !args.names.is_empty() {
            continue;
        }
        let kept = KeptCodes::of(config, bundle)?;
        let inputs = kept.map(|kept| kept.inputs(&NICHE, args.rows));
        let Some(inputs) = inputs.filter(|inputs| inputs.has(Need::Task)) else {
            ensure!(
                !named,
                "no codes with classes are kept beside {}",
                bundle.name()
            );
            continue;
        };
        let request = Request {
            seed: args.seed,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            ..Request::default()
        };
        let outcome = NICHE.run(&inputs, &request).map_err(in_words)?;
        found.push(OfModel {
            name: bundle.name().to_owned(),
            data: bundle.card().provenance.dataset.clone(),
            steps: steps(&outcome),
        });
        progress.one_more();
    }
    drop(progress);
    ensure!(!found.is_empty(), "no model has kept codes with classes");
    let mut data_sets: Vec<&str> = found.iter().map(|of| of.data.as_str()).collect();
    data_sets.dedup();
    let of_data = |data: &str| {
        found
            .iter()
            .filter(|of| of.data == data)
            .collect::<Vec<_>>()
    };
    let caption = |data: &str| {
        format!(
            "Niche purity (NPS), impurity (NIS) and mean niche size over β, of the codes of models of {data}, {} rows, seed {}. \
             The label is the class of a row. No test.",
            args.rows, args.seed
        )
    };
    let tables = data_sets
        .iter()
        .map(|data| table(data, &of_data(data), caption(data)));
    let figures = data_sets.iter().filter_map(|data| {
        let name = format!("niches-over-beta-{}", file_name(data));
        figures::curves(&name, &caption(data), &panels(&of_data(data)))
    });
    MeasureOutput {
        by: "redial measure niches",
        tables: tables.collect(),
        long: vec![long(&found)],
        json: json(&found),
        figures: figures.collect(),
    }
    .put_out(&args.output)
}

/// The rows of the measure's table over β.
fn steps(outcome: &Outcome) -> Vec<Vec<Option<f64>>> {
    outcome
        .tables
        .first()
        .map(|it| it.rows.clone())
        .unwrap_or_default()
}

/// Some steps of the curves as a table, and whether they go where the paper's go.
fn table(data: &str, of: &[&OfModel], caption: String) -> Table {
    const EVERY: usize = 4;
    let mut columns = vec![
        TableColumn::new("Model", ColumnKind::Group),
        TableColumn::new("Curve", ColumnKind::Text),
    ];
    let betas = of.first().map(|of| of.steps.as_slice()).unwrap_or_default();
    let betas = betas.iter().step_by(EVERY).filter_map(|step| step[0]);
    columns.extend(
        betas.map(|beta| TableColumn::new(&format!("β = {}", rounded(beta, 1)), ColumnKind::Text)),
    );
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    for model in of {
        for (place, curve) in CURVES.into_iter().enumerate() {
            let cells = model.steps.iter().step_by(EVERY).map(|step| {
                let value = step.get(place + 1).copied().flatten();
                TableCell::text(value.map_or("–".to_owned(), |v| rounded(v, 3)))
            });
            let names = [model.name.as_str(), curve].map(TableCell::text);
            rows.push(names.into_iter().chain(cells).collect());
        }
        let change = |place: usize| {
            let values = || model.steps.iter().filter_map(move |step| step[place]);
            Some(values().next_back()? - values().next()?)
        };
        let words = CURVES.iter().enumerate().filter_map(|(place, curve)| {
            Some(format!("{curve} by {}", rounded(change(place + 1)?, 3)))
        });
        notes.push(format!(
            "{}: from the smallest β to the largest the curves change: {}.",
            model.name,
            words.collect::<Vec<_>>().join(", ")
        ));
    }
    notes.push("In the paper's figure 6 NPS and niche size fall with β, and NIS rises.".to_owned());
    Table {
        name: format!("niches-over-beta-{}", file_name(data)),
        caption,
        columns,
        rows,
        notes,
    }
}

fn panels(of: &[&OfModel]) -> Vec<CurvePanel> {
    let panel = |(place, title): (usize, &str)| CurvePanel {
        title: title.to_owned(),
        across: "β".to_owned(),
        curves: of
            .iter()
            .map(|model| {
                let point = |step: &Vec<Option<f64>>| Some((step[0]?, step[place + 1]));
                let points = model.steps.iter().filter_map(point).collect();
                (model.name.clone(), points)
            })
            .collect(),
    };
    CURVES.into_iter().enumerate().map(panel).collect()
}

fn long(found: &[OfModel]) -> Table {
    let rows = found.iter().flat_map(|model| {
        model.steps.iter().map(|step| {
            let numbers = step.iter().map(|value| TableCell::number(*value));
            let names = [model.data.as_str(), model.name.as_str()].map(TableCell::text);
            names.into_iter().chain(numbers).collect()
        })
    });
    Table {
        name: "niches-over-beta-numbers".to_owned(),
        caption: "Every number of niches over β.".to_owned(),
        columns: vec![
            TableColumn::new("Data set", ColumnKind::Text),
            TableColumn::new("Model", ColumnKind::Text),
            TableColumn::new("Beta", ColumnKind::Number),
            TableColumn::new("NPS", ColumnKind::Number),
            TableColumn::new("NIS", ColumnKind::Number),
            TableColumn::new("Niche size", ColumnKind::Number),
        ],
        rows: rows.collect(),
        notes: Vec::new(),
    }
}

fn json(found: &[OfModel]) -> serde_json::Value {
    let models = found.iter().map(|model| {
        serde_json::json!({
            "model": model.name,
            "data": model.data,
            "columns": ["beta", "nps", "nis", "niche_size"],
            "steps": model.steps,
        })
    });
    models.collect()
}
