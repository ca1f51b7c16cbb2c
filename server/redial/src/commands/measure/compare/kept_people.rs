//! What simulated people did with the shipped models, kept in a file: to simulate them takes longer than anybody waits
//! for a table.

use std::path::Path;

use analysis::{ModelsCompared, PeopleValues};
use anyhow::Context as _;
use models::Zoo;
use serde::{Deserialize, Serialize};
use server::zoo::Models;

/// The file among the shipped models.
const FILE: &str = "simulated_people.json";

/// The file's content.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptPeople {
    /// Who they are: a sentence.
    people_from: String,
    /// What they did with each model.
    models: Vec<OfModel>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfModel {
    name: String,
    /// Of the weights that they had.
    weights_sha256: String,
    people: Vec<PeopleValues>,
}

/// Writes what people did with the models.
///
/// # Errors
/// When the file cannot be written.
pub fn write(file: &Path, found: &ModelsCompared, models: &Models) -> anyhow::Result<()> {
    let of_models = found.models.iter().filter_map(|model| {
        Some(OfModel {
            name: model.name.clone(),
            weights_sha256: models.facts_of(&model.name)?.weights_sha256.clone(),
            people: model.people.clone(),
        })
    });
    let kept = KeptPeople {
        people_from: found.people_from.clone(),
        models: of_models.collect(),
    };
    let bytes = serde_json::to_vec(&kept)?;
    server::folder::write_file(file, &bytes)?;
    Ok(())
}

/// Gives models what the kept people did with them, where they have the weights that these people had. What is not
/// there is said in a note.
///
/// # Errors
/// When the file cannot be read: a fault of the build.
pub fn take(found: &mut ModelsCompared, models: &Models) -> anyhow::Result<()> {
    found.simulated = true;
    let kept = match Zoo::shipped_file(FILE) {
        Some(bytes) => serde_json::from_slice(&bytes).context(FILE)?,
        None => KeptPeople {
            people_from: "Nobody has had one of these models.".to_owned(),
            models: Vec::new(),
        },
    };
    found.people_from = format!(
        "Nobody in the database has had one of these models. {}",
        kept.people_from
    );
    let mut without = Vec::new();
    for model in &mut found.models {
        let weights = models
            .facts_of(&model.name)
            .map(|facts| &facts.weights_sha256);
        let mut all = kept.models.iter();
        match all.find(|of| of.name == model.name && Some(&of.weights_sha256) == weights) {
            Some(of) => model.people.clone_from(&of.people),
            None => without.push(model.name.clone()),
        }
    }
    if !without.is_empty() {
        found.notes.push(format!(
            "Nobody has had {}; --simulate lets simulated people try every model.",
            without.join(", ")
        ));
    }
    Ok(())
}
