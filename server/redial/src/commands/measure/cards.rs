//! `redial measure cards`: how far several measures can be relied on, in one table; and keeping what comparisons of
//! models need of it.

use std::path::Path;

use analysis::table::{ColumnKind, Table, TableCell, TableColumn};
use anyhow::{Context as _, bail, ensure};
use clap::Args;
use measures::experiments::explained_layer::{CONCEPTS, with_explained_layer};
use measures::inputs::{Inputs, Need};
use measures::list::{MEASURES, find};
use measures::measure::{Measure, Request};
use measures::reliability::{Card, CardRequest, card, smallest_differences};
use models::Bundle;
use models::kept_codes::{SMALLEST_DIFFERENCES_FILE, SmallestDifference, SmallestDifferences};

use super::compare::scores::{ON_CARDS, reads_codes_alone};
use super::measure_output::{MeasureOutput, TableOutput};
use super::subcommand::at_least_one;
use super::{at_hand, in_words};
use crate::config::Config;
use crate::kept_codes::KeptCodes;
use crate::models_at_hand::models_at_hand;
use crate::output::print;
use crate::progress::Progress;

/// The measures whose cards are made where none is named: OIS, NPS and NIS, SURF, MIG.
const DEFAULT: [&str; 4] = ["ois", "niche", "surf", "mig"];

/// `redial measure cards …`
#[derive(Debug, Clone, Args)]
pub struct CardsArgs {
    /// The measures, as `redial measure list` names them [default: ois niche surf mig]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// A model with kept codes, by its name or folder. Measures of faithfulness are made on a last layer that is
    /// fitted to its codes and classes, explained by five principal components [default: mnist-ae10; with --keep:
    /// every model]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Rows that they are made from, at most
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = at_least_one())]
    rows: usize,
    /// How often each thing is done
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(2..))]
    repeats: u16,
    /// The same seed gives the same numbers
    #[arg(long = "seed", value_name = "S", default_value_t = 1)]
    cards_seed: u64,
    /// Keep the smallest differences that mean anything in the models' folders, for every measure that codes
    /// allow: `redial measure compare` prints what is below them in grey. Takes minutes a model
    #[arg(long, conflicts_with_all = ["names", "json", "csv", "out"])]
    keep: bool,
    #[command(flatten)]
    output: TableOutput,
}

/// Runs `redial measure cards …`.
///
/// # Errors
/// When there is no such measure or model, the codes do not allow it, or the result cannot be written.
pub fn run(config: &Config, args: &CardsArgs) -> anyhow::Result<()> {
    if args.keep {
        return keep(config, args);
    }
    let measures = measures(&args.names)?;
    let named = args.model.as_deref().unwrap_or("mnist-ae10");
    let (config, name) = at_hand(config, named);
    let models = models_at_hand(&config)?;
    let bundle = models.get(&name).with_context(|| {
        format!("there is no model '{name}'; `redial models list` has those there are")
    })?;
    let kept = KeptCodes::of(&config, bundle)?.with_context(|| {
        format!("no codes are kept beside {name}; `training codes {name}` keeps those of a model with an encoder")
    })?;
    let progress = Progress::counting("percent", Some(100));
    let mut cards = Vec::new();
    for (place, measure) in measures.iter().enumerate() {
        let told = |share: f64| {
            let done = (place as f64 + share) / measures.len() as f64;
            progress.tell((100.0 * done) as u64, 100);
        };
        let inputs = inputs(&kept, measure, args.rows);
        let asked = asked(args, Some(&told));
        let made = card(measure, &inputs, &asked).map_err(in_words);
        cards.push(made.with_context(|| format!("the card of {} on {name}", measure.name))?);
    }
    drop(progress);
    MeasureOutput {
        by: "redial measure cards",
        tables: vec![table(&cards, &name, args.cards_seed)],
        long: vec![table(&cards, &name, args.cards_seed)],
        json: serde_json::json!({ "model": name, "seed": args.cards_seed, "cards": cards }),
        figures: Vec::new(),
    }
    .put_out(&args.output)
}

/// The measures of these names. All names that there are not are said at once.
fn measures(names: &[String]) -> anyhow::Result<Vec<&'static Measure>> {
    let names: Vec<&str> = if names.is_empty() {
        DEFAULT.to_vec()
    } else {
        names.iter().map(String::as_str).collect()
    };
    let unknown: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| find(name).is_none())
        .collect();
    ensure!(
        unknown.is_empty(),
        "there is no measure {}; `redial measure list` has those there are",
        unknown.join(", ")
    );
    Ok(names.into_iter().filter_map(find).collect())
}

fn asked<'a>(args: &CardsArgs, progress: Option<&'a (dyn Fn(f64) + Sync)>) -> CardRequest<'a> {
    CardRequest {
        request: Request {
            seed: args.cards_seed,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            progress,
            ..Request::default()
        },
        repeats: args.repeats.into(),
    }
}

/// Kept codes, and an explanation of a layer where the measure reads one.
fn inputs(kept: &KeptCodes, measure: &Measure, rows: usize) -> Inputs<'static> {
    let inputs = kept.inputs(measure, rows);
    if measure.needs.contains(&Need::Outputs) {
        with_explained_layer(inputs, CONCEPTS)
    } else {
        inputs
    }
}

/// A row for each score of each card.
fn table(cards: &[Card], model: &str, seed: u64) -> Table {
    let columns = [
        ("Measure", ColumnKind::Group),
        ("Score", ColumnKind::Text),
        ("Value", ColumnKind::Number),
        ("SD of seeds", ColumnKind::Number),
        ("SD of halves", ColumnKind::Number),
        ("Permuted", ColumnKind::Number),
        ("Random", ColumnKind::Number),
        ("Mixing", ColumnKind::Number),
        ("Smallest", ColumnKind::Number),
    ];
    let rows = cards.iter().flat_map(|card| {
        card.scores.iter().map(|score| {
            let words = [card.measure, score.score].map(TableCell::text);
            let numbers = [
                score.value,
                score.reseed_sd,
                score.resample_sd,
                score.floor_permuted,
                score.floor_random,
                score.mixing_correlation,
                score.smallest_difference,
            ];
            let numbers = numbers.map(TableCell::number);
            words.into_iter().chain(numbers).collect()
        })
    });
    let (rows_used, repeats) = cards
        .first()
        .map_or((0, 0), |card| (card.rows, card.repeats));
    Table {
        name: "reliability-cards".to_owned(),
        caption: format!(
            "Reliability cards on {model} ({rows_used} rows, {repeats} repeats, seed {seed}). SD of seeds: on the same \
             arrays. SD of halves: over random halves of the samples, about the standard error of other ones. Permuted: what \
             is true, permuted over samples. Random: codes of the same spectrum. Mixing: rank correlation with how little of \
             the true factors is mixed, or of importances; 1 is right. Smallest: the smallest difference between two models \
             that means anything. –: not defined, or of nothing that the measure reads."
        ),
        columns: columns
            .map(|(head, kind)| TableColumn::new(head, kind))
            .to_vec(),
        rows: rows.collect(),
        notes: Vec::new(),
    }
}

/// Keeps smallest differences beside the kept codes of models in a folder.
fn keep(config: &Config, args: &CardsArgs) -> anyhow::Result<()> {
    let (config, only) = match &args.model {
        Some(named) => {
            let (config, name) = at_hand(config, named);
            (config, Some(name))
        }
        None => (config.clone(), None),
    };
    let Some(folder) = &config.models else {
        bail!(
            "there is no folder of models to keep them in: name it with `redial --models DIR measure cards --keep`"
        );
    };
    let models = models_at_hand(&config)?;
    let mut written = 0;
    for bundle in models.iter() {
        let name = bundle.name();
        let in_folder = folder.join(name).join(models::bundle::CARD_FILE).is_file();
        if !in_folder || only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let Some(kept) = KeptCodes::of(&config, bundle)? else {
            continue;
        };
        let file = folder.join(name).join(SMALLEST_DIFFERENCES_FILE);
        write(&file, &of_model(bundle, &kept, args))?;
        print(&format!("{}\n", file.display()))?;
        written += 1;
    }
    ensure!(
        written > 0,
        "no codes are kept beside {} in {}; `training codes` keeps those of a model with an encoder",
        only.as_deref().unwrap_or("any model"),
        folder.display()
    );
    Ok(())
}

fn write(file: &Path, found: &SmallestDifferences) -> anyhow::Result<()> {
    let mut bytes = serde_json::to_vec_pretty(found)?;
    bytes.push(b'\n');
    Ok(server::folder::write_file(file, &bytes)?)
}

/// Those of every score that codes allow: of as many rows as asked for, and of all rows where a model's card has the
/// score. What is not defined is left out.
fn of_model(bundle: &Bundle, kept: &KeptCodes, args: &CardsArgs) -> SmallestDifferences {
    let all = kept.about.rows;
    let on_card = |measure: &Measure| ON_CARDS.iter().any(|(name, _)| *name == measure.name);
    let mut wanted: Vec<(&'static Measure, usize)> = Vec::new();
    for measure in MEASURES.iter().filter(|measure| reads_codes_alone(measure)) {
        wanted.push((measure, args.rows.min(all)));
        if on_card(measure) && all > args.rows {
            wanted.push((measure, all));
        }
    }
    let progress = Progress::counting("measures", Some(wanted.len()));
    let mut scores = Vec::new();
    for (measure, rows) in wanted {
        let inputs = kept.inputs(measure, rows);
        // What the codes do not allow has no score, and so no difference.
        let found = measure
            .can_run(&inputs)
            .then(|| smallest_differences(measure, &inputs, &asked(args, None)).ok());
        let found = found.flatten().unwrap_or_default();
        for (score, smallest) in measure.scores.iter().zip(found) {
            scores.extend(smallest.map(|smallest| SmallestDifference {
                measure: measure.name.to_owned(),
                score: score.name.to_owned(),
                rows,
                smallest,
            }));
        }
        progress.one_more();
    }
    drop(progress);
    SmallestDifferences {
        weights_sha256: bundle.card().facts.weights_sha256.clone(),
        encoder_sha256: kept.about.encoder_sha256.clone(),
        repeats: args.repeats.into(),
        seed: args.cards_seed,
        scores,
    }
}
