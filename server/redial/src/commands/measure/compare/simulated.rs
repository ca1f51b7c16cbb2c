//! Simulated people try models, where no people have: studies that are made for it, in a database of their own that is
//! thrown away. Their sessions are folded as those of any study are.

use std::sync::Arc;

use analysis::{COMPARED_METRICS, ModelsCompared};
use anyhow::{Context as _, ensure};
use domain::simulate::Mixture;
use serde_json::json;
use server::catalogue::{StudyEntry, StudyFault, StudyFiles};
use server::export::SessionSelection;
use server::model_results::{ModelResult, model_results};
use server::processor::Processor;
use server::simulation::{Attendance, Simulation, simulate};
use server::storage::{self, url_of};
use server::zoo::Models;

use super::CompareOptions;
use crate::progress::Progress;

/// When the first of them arrives: always the same, so that nothing depends on the day.
const FIRST_UNIX_MS: u64 = 1_700_000_000_000;

/// What simulated people did with the models: a study for each data set, in which each person has every model, in a
/// random order.
///
/// # Errors
/// When a study cannot be drawn, or the database fails.
pub async fn results(
    models: &Arc<Models>,
    found: &ModelsCompared,
    people: usize,
    about: &CompareOptions,
) -> anyhow::Result<Vec<ModelResult>> {
    ensure!(people > 0, "--simulate is at least 1");
    ensure!(about.questions > 0, "--questions is at least 1");
    let folder = tempfile::tempdir().context("a folder for simulated sessions")?;
    let database = url_of(&folder.path().join("simulated.db"));
    let storage = storage::open(&database).await?;
    let data_sets = found.data_sets();
    let total = data_sets.len() * people;
    let progress = Progress::counting("simulated people", Some(total));
    for (number, data) in data_sets.into_iter().enumerate() {
        let stages: Vec<serde_json::Value> = found
            .of(data)
            .iter()
            .map(|model| {
                json!({ "kind": "stage", "id": model.name, "task": {
                    "kind": "reconstruction", "model": model.name, "questions": about.questions,
                }})
            })
            .collect();
        let id = format!("models-{}", number + 1);
        let study = json!({
            "format": 2,
            "id": id,
            "title": data,
            "parts": [{ "kind": "group", "order": "random", "parts": stages }],
        });
        let files = StudyFiles::named(&|_| None);
        let entry = StudyEntry::new(&id, study.to_string().as_bytes(), models, &files);
        let entry = entry.map_err(|problems| anyhow::anyhow!(StudyFault::lines(&problems)))?;
        let simulation = Simulation {
            people: Attendance::Arrive(people),
            mixture: Mixture::default(),
            seed: about.compare_seed,
            first_unix_ms: FIRST_UNIX_MS,
            processor: Processor::default(),
        };
        let on_person = || progress.one_more();
        simulate(
            storage.clone(),
            models.clone(),
            &entry,
            &simulation,
            &on_person,
        )
        .await?;
    }
    drop(progress);
    storage.close().await;
    let archive = storage::open_archive(&database).await?;
    let _progress = Progress::doing("working out what they did");
    let results = model_results(&*archive, SessionSelection::Simulated).await;
    archive.close().await;
    let mut results = results?;
    results.retain(|result| COMPARED_METRICS.contains(&result.metric));
    Ok(results)
}
