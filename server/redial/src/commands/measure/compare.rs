//! `redial measure compare`: every model with what people did with it beside what is computed without people.

use std::collections::BTreeMap;
use std::sync::Arc;

use analysis::numbers::counted;
use analysis::{COMPARED_METRICS, ComparedModel, ModelsCompared, PeopleValues};
use clap::Args;
use models::Bundle;
use server::export::SessionSelection;
use server::model_results::{ModelResult, model_results};
use server::storage;
use server::zoo::Models;

use super::measure_output::{MeasureOutput, TableOutput};
use super::subcommand::at_least_one;
use crate::commands::simulated_arg::SimulatedArg;
use crate::config::Config;
use crate::models_at_hand::models_at_hand;

mod kept_people;
pub(super) mod scores;
mod simulated;

use scores::scored;

/// `redial measure compare …`
#[derive(Debug, Clone, Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub about: CompareOptions,
    #[command(flatten)]
    pub output: TableOutput,
}

/// What is compared.
#[derive(Debug, Clone, Args)]
pub struct CompareOptions {
    #[command(flatten)]
    pub people: SimulatedArg,
    /// Let so many simulated people try every model anew, which takes minutes to hours. Without it those who
    /// are kept with the shipped models are taken, where nobody in the database has had a model
    #[arg(long, value_name = "N")]
    pub simulate: Option<usize>,
    /// Questions that each of them gets of each model
    #[arg(long, value_name = "N", default_value_t = 3, requires = "simulate")]
    pub questions: usize,
    /// Keep what they did in a file, as `simulated_people.json` of the shipped models does
    #[arg(long, value_name = "FILE", requires = "simulate")]
    pub keep: Option<std::path::PathBuf>,
    /// Rows of kept codes that measures are computed from
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = at_least_one())]
    pub rows: usize,
    /// The same seed gives the same numbers
    #[arg(long = "seed", value_name = "S", default_value_t = 1)]
    pub compare_seed: u64,
}

impl Default for CompareOptions {
    /// As on the command line.
    fn default() -> Self {
        Self {
            people: SimulatedArg::default(),
            simulate: None,
            questions: 3,
            keep: None,
            rows: 2_000,
            compare_seed: 1,
        }
    }
}

/// Runs `redial measure compare …`.
///
/// # Errors
/// When models, codes or the database cannot be read, or the result cannot be written.
pub async fn compare(config: &Config, args: &CompareArgs) -> anyhow::Result<()> {
    let found = compared(config, &args.about).await?;
    let correlations = found.correlations(args.about.compare_seed);
    let mut tables = found.tables();
    tables.extend(found.difference_tables());
    tables.extend(found.correlation_tables(&correlations));
    if let Some(last) = tables.last_mut() {
        last.notes.extend(found.notes.iter().cloned());
    }
    MeasureOutput {
        by: "redial measure compare",
        tables,
        long: vec![
            found.values_table(),
            found.correlations_table(&correlations),
            found.differences_table(),
        ],
        json: serde_json::json!({
            "compared": found,
            "differences": found.differences(),
            "correlations": correlations,
        }),
        figures: figures::models_compared(&found, &correlations)
            .into_iter()
            .collect(),
    }
    .put_out(&args.output)
}

/// Everything that is known of the models at hand.
///
/// # Errors
/// When models, codes or the database cannot be read.
pub async fn compared(config: &Config, about: &CompareOptions) -> anyhow::Result<ModelsCompared> {
    let models = Arc::new(models_at_hand(config)?);
    let bundles: Vec<&Bundle> = models.iter().collect();
    let scored = scored(config, &bundles, about)?;
    let of_models = bundles
        .iter()
        .zip(scored.of_models.into_iter().zip(scored.smallest));
    let mut found = ModelsCompared {
        simulated: about.people.whose(config) == SessionSelection::Simulated,
        people_from: String::new(),
        scores: scored.columns,
        models: of_models
            .map(|(bundle, (scores, smallest))| ComparedModel {
                name: bundle.name().to_owned(),
                data: bundle.card().provenance.dataset.clone(),
                people: Vec::new(),
                scores,
                smallest,
            })
            .collect(),
        notes: scored.notes,
    };
    found.keep_comparable();
    if let Some(people) = about.simulate {
        let results = simulated::results(&models, &found, people, about).await?;
        found.simulated = true;
        found.people_from = format!(
            "{} tried each model, {} a model (seed {}).",
            counted(people, "simulated person", "simulated people"),
            counted(about.questions, "question", "questions"),
            about.compare_seed
        );
        add_people(&mut found, &models, &results);
        if let Some(file) = &about.keep {
            kept_people::write(file, &found, &models)?;
        }
        return Ok(found);
    }
    let results = in_database(config, &models, &found, about).await?;
    if results.is_empty() {
        kept_people::take(&mut found, &models)?;
        return Ok(found);
    }
    found.people_from = if found.simulated {
        "Simulated people of the database who are included in their studies."
    } else {
        "People of the database who are included in their studies."
    }
    .to_owned();
    add_people(&mut found, &models, &results);
    Ok(found)
}

/// What people of the database did with the models; nothing where there is no database that can be read.
async fn in_database(
    config: &Config,
    models: &Models,
    found: &ModelsCompared,
    about: &CompareOptions,
) -> anyhow::Result<Vec<ModelResult>> {
    let Ok(archive) = storage::open_archive(config.address()).await else {
        return Ok(Vec::new());
    };
    let results = model_results(&*archive, about.people.whose(config)).await;
    archive.close().await;
    let mut results = results?;
    results.retain(|result| {
        let mut all = found.models.iter();
        COMPARED_METRICS.contains(&result.metric) && all.any(|m| is_of(result, models, &m.name))
    });
    Ok(results)
}

/// Whether a result is of a model with the weights that it has now, and of no other model.
fn is_of(result: &ModelResult, models: &Models, name: &str) -> bool {
    let facts = models.facts_of(name);
    facts.is_some_and(|facts| result.is_of(&facts.name, &facts.weights_sha256))
}

/// Gives each model what people did with it. A person of one study has one number in all models of it.
fn add_people(found: &mut ModelsCompared, models: &Models, results: &[ModelResult]) {
    let mut numbers = BTreeMap::new();
    for model in &mut found.models {
        for metric in COMPARED_METRICS {
            let mut values = Vec::new();
            for result in results {
                if result.metric != metric || !is_of(result, models, &model.name) {
                    continue;
                }
                for value in &result.values {
                    let next = numbers.len();
                    let person = (&result.study, &result.study_sha256, value.person);
                    values.push((*numbers.entry(person).or_insert(next), value.value));
                }
            }
            if !values.is_empty() {
                model.people.push(PeopleValues { metric, values });
            }
        }
    }
}
