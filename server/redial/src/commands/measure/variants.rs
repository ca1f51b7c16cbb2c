//! `redial measure variants`: what the readings of each formula say of the same codes, beside each other.

use analysis::table::{ColumnKind, Table, TableCell, TableColumn};
use anyhow::{Context as _, ensure};
use clap::Args;
use measures::list::{MEASURES, Origin, variant_of};
use measures::measure::{Measure, Request, Score};

use super::at_hand;
use super::compare::scores::reads_codes_alone;
use super::measure_output::{MeasureOutput, TableOutput};
use super::subcommand::at_least_one;
use crate::config::Config;
use crate::kept_codes::KeptCodes;
use crate::models_at_hand::models_at_hand;
use crate::progress::Progress;

/// The models whose codes are taken where none is named: one of each data set.
const DEFAULT: [&str; 3] = ["sinelines-vae5", "dsprites-vae5", "mnist-ae10"];

/// `redial measure variants …`
#[derive(Debug, Clone, Args)]
pub struct VariantsArgs {
    /// Models with kept codes, by name or folder [default: sinelines-vae5 dsprites-vae5 mnist-ae10]
    #[arg(id = "of-models", value_name = "MODEL")]
    of_models: Vec<String>,
    /// Rows that measures are computed from, at most
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = at_least_one())]
    rows: usize,
    /// The same seed gives the same numbers
    #[arg(long = "seed", value_name = "S", default_value_t = 1)]
    variants_seed: u64,
    #[command(flatten)]
    output: TableOutput,
}

/// One reading of a measure: a variant, or an estimator.
struct Reading {
    measure: &'static Measure,
    variant: Option<&'static str>,
    estimator: Option<&'static str>,
}

impl Reading {
    fn name(&self) -> &'static str {
        self.variant.or(self.estimator).unwrap_or_default()
    }

    /// Where it comes from, as far as that tells readings apart.
    fn origin(&self) -> &'static str {
        let mut all = [Origin::Printed, Origin::Released].into_iter();
        let own = all.find(|origin| {
            self.variant.is_some() && variant_of(self.measure, *origin) == self.variant
        });
        own.map_or("", Origin::name)
    }
}

/// Every reading of the measures that codes allow and that have more than one.
fn readings() -> Vec<Reading> {
    let mut found = Vec::new();
    for measure in MEASURES.iter().copied().filter(|it| reads_codes_alone(it)) {
        if measure.variants.len() > 1 {
            found.extend(measure.variants.iter().map(|variant| Reading {
                measure,
                variant: Some(variant.name),
                estimator: None,
            }));
        }
        if measure.estimators.len() > 1 {
            found.extend(measure.estimators.iter().map(|estimator| Reading {
                measure,
                variant: None,
                estimator: Some(estimator.name),
            }));
        }
    }
    found
}

/// Runs `redial measure variants …`.
///
/// # Errors
/// When there is no such model, no codes are kept beside it, or the result cannot be written.
pub fn run(config: &Config, args: &VariantsArgs) -> anyhow::Result<()> {
    let named: Vec<&str> = if args.of_models.is_empty() {
        DEFAULT.to_vec()
    } else {
        args.of_models.iter().map(String::as_str).collect()
    };
    let readings = readings();
    let progress = Progress::counting("readings", Some(named.len() * readings.len()));
    let mut of_models = Vec::new();
    for named in &named {
        let (config, name) = at_hand(config, named);
        let models = models_at_hand(&config)?;
        let bundle = models.get(&name).with_context(|| {
            format!("there is no model '{name}'; `redial models list` has those there are")
        })?;
        let kept = KeptCodes::of(&config, bundle)?;
        let kept = kept.with_context(|| format!("no codes are kept beside {name}"))?;
        let mut values = Vec::new();
        for reading in &readings {
            values.push(of_reading(&kept, reading, args));
            progress.one_more();
        }
        of_models.push((name, values));
    }
    drop(progress);
    let table = table(&readings, &of_models, args);
    ensure!(
        !table.rows.is_empty(),
        "no measure can be computed from these codes"
    );
    MeasureOutput {
        by: "redial measure variants",
        json: serde_json::to_value(&table)?,
        long: vec![table.clone()],
        tables: vec![table],
        figures: Vec::new(),
    }
    .put_out(&args.output)
}

/// A number for each score; none where it is not defined, or the codes do not allow it.
fn of_reading(kept: &KeptCodes, reading: &Reading, args: &VariantsArgs) -> Vec<Option<f64>> {
    let request = Request {
        variant: reading.variant.map(str::to_owned),
        estimator: reading.estimator.map(str::to_owned),
        seed: args.variants_seed,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        ..Request::default()
    };
    let inputs = kept.inputs(reading.measure, args.rows);
    let run = reading.measure.can_run(&inputs);
    let outcome = run.then(|| reading.measure.run(&inputs, &request).ok());
    let value = |score: &Score| outcome.as_ref()?.as_ref()?.value(score.name);
    reading.measure.scores.iter().map(value).collect()
}

/// A row for each reading and score that some model has.
fn table(
    readings: &[Reading],
    of_models: &[(String, Vec<Vec<Option<f64>>>)],
    args: &VariantsArgs,
) -> Table {
    let mut columns = vec![
        TableColumn::new("Measure", ColumnKind::Group),
        TableColumn::new("Score", ColumnKind::Text),
        TableColumn::new("Reading", ColumnKind::Text),
        TableColumn::new("From", ColumnKind::Text),
    ];
    let models = of_models.iter();
    columns.extend(models.map(|(name, _)| TableColumn::new(name, ColumnKind::Number)));
    let mut rows = Vec::new();
    for measure in MEASURES {
        let own = readings.iter().enumerate();
        let own: Vec<(usize, &Reading)> = own
            .filter(|(_, reading)| reading.measure.name == measure.name)
            .collect();
        for (place, score) in measure.scores.iter().enumerate() {
            for (at, reading) in &own {
                let values = of_models.iter().map(|(_, values)| values[*at][place]);
                let values: Vec<Option<f64>> = values.collect();
                if values.iter().all(Option::is_none) {
                    continue;
                }
                let words = [measure.name, score.name, reading.name(), reading.origin()];
                let cells = words.map(TableCell::text).into_iter();
                rows.push(
                    cells
                        .chain(values.into_iter().map(TableCell::number))
                        .collect(),
                );
            }
        }
    }
    Table {
        name: "variants".to_owned(),
        caption: format!(
            "Readings of the same formula on the same kept codes: the first {} rows, seed {}. From: printed in the paper, or \
             released as code, where that tells readings apart. –: not defined, or the codes do not allow it.",
            args.rows, args.variants_seed
        ),
        columns,
        rows,
        notes: Vec::new(),
    }
}
