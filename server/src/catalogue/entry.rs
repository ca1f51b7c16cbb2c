//! One study with what belongs to it, read and checked.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use api::{ConsentInfo, ModelRef, StudyInfo};
use domain::check::{CheckContext, check};
use domain::draw::{Arrival, ModelSource, StudyTexts, draw};
use domain::event::SessionId;
use domain::plan::SessionPlan;
use domain::study::{Part, Study};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use sha2::{Digest, Sha256};

use super::markdown;
use crate::secrets::hex;
use crate::zoo::Models;

/// Name of a study's file in its folder.
pub const STUDY_FILE: &str = "study.json";

/// A study with what belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyEntry {
    /// The definition.
    pub study: Study,
    /// Its bytes as the author wrote them.
    pub json: Arc<[u8]>,
    /// SHA-256 of `json` in hex.
    pub sha256: String,
    /// What participants see before they start.
    pub info: StudyInfo,
    /// What is read in the course of a session.
    pub texts: Texts,
}

/// Texts of a study as HTML, by the name of their file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts(BTreeMap<String, String>);

impl StudyTexts for Texts {
    fn html(&self, file: &str) -> Option<String> {
        self.0.get(file).cloned()
    }
}

impl StudyEntry {
    /// Checks a study. `id` is the name of its folder; `file` gives the files beside it.
    ///
    /// # Errors
    /// Every problem, a line each.
    pub fn new(
        id: &str,
        json: &[u8],
        models: &Models,
        file: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Self, Vec<String>> {
        let text = std::str::from_utf8(json).map_err(|error| vec![error.to_string()])?;
        let study = check(text, &StudyFolder { models, file })
            .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        if study.id != id {
            return Err(vec![format!(
                "id: found \"{}\"; the study lies under the name \"{id}\"",
                study.id
            )]);
        }
        let read = |name: &str| -> Result<String, Vec<String>> {
            let bytes = file(name).unwrap_or_default();
            String::from_utf8(bytes).map_err(|error| vec![format!("{name}: {error}")])
        };
        let consent = match study.consent() {
            None => None,
            Some(consent) => Some(ConsentInfo {
                investigator: consent.investigator.clone(),
                contact: consent.contact.clone(),
                duration_minutes: consent.duration_minutes,
                pay: consent.pay.clone(),
                version: consent.version.clone(),
                protocol: consent.protocol.clone(),
                agree: consent.agree,
                text_sha256: hex(&Sha256::digest(read(&consent.file)?)),
                text_html: markdown::html(&read(&consent.file)?, file),
            }),
        };
        let mut texts = Texts::default();
        for part in study.leaves() {
            if let Part::Instructions(part) = part {
                let html = markdown::html(&read(&part.file)?, file);
                texts.0.insert(part.file.clone(), html);
            }
        }
        let example = example(&study, models, &texts)?;
        let scored = example.stages.iter().filter(|stage| !stage.practice);
        let model = |name: &str| {
            models.facts(name).map(|facts| ModelRef {
                name: facts.name.clone(),
                bundle_sha256: facts.bundle_sha256.clone(),
            })
        };
        let info = StudyInfo {
            id: study.id.clone(),
            title: study.title.clone(),
            summary: study.summary.clone(),
            stages: scored.clone().count(),
            questions: scored.map(|stage| stage.task.question_count()).sum(),
            models: study.models().into_iter().filter_map(model).collect(),
            consent,
        };
        Ok(Self {
            study,
            json: json.into(),
            sha256: hex(&Sha256::digest(json)),
            info,
            texts,
        })
    }
}

/// Draws a session of every cell: the first one says how long the study is, and all that they can
/// be drawn.
fn example(study: &Study, models: &Models, texts: &Texts) -> Result<SessionPlan, Vec<String>> {
    let mut first = None;
    let mut problems = Vec::new();
    for cell in study.design.cells() {
        let name = cell.name.clone();
        let arrival = Arrival {
            session: SessionId(String::new()),
            cell,
            row: 0,
        };
        let mut rng = ChaCha20Rng::seed_from_u64(study.seed.unwrap_or_default());
        match draw(study, "", arrival, models, texts, &mut rng) {
            Ok(drawn) => {
                first.get_or_insert(drawn.plan);
            }
            Err(error) if name.is_empty() => {
                problems.push(format!("no session can be drawn: {error}"));
            }
            Err(error) => {
                problems.push(format!("no session of cell '{name}' can be drawn: {error}"));
            }
        }
    }
    match first {
        Some(first) if problems.is_empty() => Ok(first),
        _ => Err(problems),
    }
}

impl StudyEntry {
    /// Reads and checks one study file: `ID/study.json` or `ID.json`.
    ///
    /// # Errors
    /// Every problem, a line each.
    pub fn read(path: &Path, models: &Models) -> Result<Self, Vec<String>> {
        let json =
            std::fs::read(path).map_err(|error| vec![format!("it cannot be read: {error}")])?;
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let beside = whole.parent().unwrap_or(Path::new("/"));
        let named = if whole.ends_with(STUDY_FILE) {
            beside.file_name()
        } else {
            whole.file_stem()
        };
        let id = named.unwrap_or_default().to_string_lossy();
        // Only files right beside the study: a name with a folder in it is refused.
        let file = |name: &str| match Path::new(name).file_name() {
            Some(plain) if plain == name => std::fs::read(beside.join(name)).ok(),
            _ => None,
        };
        Self::new(&id, &json, models, &file)
    }
}

/// What a study may refer to: the models, and files beside it.
struct StudyFolder<'a> {
    models: &'a Models,
    file: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

impl CheckContext for StudyFolder<'_> {
    fn models(&self) -> &dyn ModelSource {
        self.models
    }

    fn model_names(&self) -> Vec<String> {
        self.models.names().map(str::to_owned).collect()
    }

    fn has_file(&self, name: &str) -> bool {
        (self.file)(name).is_some()
    }
}
