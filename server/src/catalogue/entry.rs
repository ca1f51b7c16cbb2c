//! One study with what belongs to it, read and checked.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use api::{ArrivalInfo, ConsentInfo, ModelRef, StudyInfo};
use domain::check::{CheckContext, check};
use domain::draw::{Arrival, ModelSource, StudyTexts, draw};
use domain::event::SessionId;
use domain::language::{PSEUDO, Spoken, file_in, pseudo};
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
    /// Number of stages in a session drawn as an example, practice not counted.
    pub stages: usize,
    /// Number of questions in that session, practice not counted.
    pub questions: usize,
    /// The models that a session may need.
    models: Vec<ModelRef>,
    /// What is read before a session and in its course.
    pub texts: Texts,
}

/// Texts of a study, by the name of their file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts(BTreeMap<String, Text>);

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Text {
    html: String,
    /// SHA-256 of the Markdown in hex.
    sha256: String,
}

impl Texts {
    /// Reads a file in each of the study's languages.
    fn read(
        &mut self,
        named: &str,
        study: &Study,
        file: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<(), Vec<String>> {
        for language in &study.languages {
            let name = file_in(named, study.spoken(language));
            let bytes = file(&name).unwrap_or_default();
            let markdown =
                String::from_utf8(bytes).map_err(|error| vec![format!("{name}: {error}")])?;
            let text = Text {
                html: markdown::html(&markdown, file),
                sha256: hex(&Sha256::digest(&markdown)),
            };
            self.0.insert(name, text);
        }
        Ok(())
    }

    /// The text of a file in a language.
    fn get(&self, file: &str, spoken: Spoken<'_>) -> Option<Text> {
        let own = self.0.get(&file_in(file, spoken));
        let text = own.or_else(|| self.0.get(file))?.clone();
        Some(if spoken.language == PSEUDO {
            Text {
                html: pseudo(&text.html),
                ..text
            }
        } else {
            text
        })
    }
}

impl StudyTexts for Texts {
    fn html(&self, file: &str, spoken: Spoken<'_>) -> Option<String> {
        Some(self.get(file, spoken)?.html)
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
        let mut texts = Texts::default();
        for part in study.leaves() {
            match part {
                Part::Instructions(part) => texts.read(&part.file, &study, file)?,
                Part::Consent(part) => texts.read(&part.file, &study, file)?,
                _ => {}
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
        Ok(Self {
            stages: scored.clone().count(),
            questions: scored.map(|stage| stage.task.question_count()).sum(),
            models: study.models().into_iter().filter_map(model).collect(),
            study,
            json: json.into(),
            sha256: hex(&Sha256::digest(json)),
            texts,
        })
    }

    /// What participants see before they start, in a language; with a plain link.
    #[must_use]
    pub fn info(&self, language: &str) -> StudyInfo {
        let study = &self.study;
        let spoken = study.spoken(language);
        let consent = study.consent().and_then(|consent| {
            let text = self.texts.get(&consent.file, spoken)?;
            Some(ConsentInfo {
                investigator: consent.investigator.spoken(spoken),
                contact: consent.contact.spoken(spoken),
                duration_minutes: consent.duration_minutes,
                pay: consent.pay.as_ref().map(|pay| pay.spoken(spoken)),
                version: consent.version.clone(),
                protocol: consent.protocol.clone(),
                agree: consent.agree,
                at_least_s: consent.at_least_s,
                text_sha256: text.sha256,
                text_html: text.html,
            })
        });
        StudyInfo {
            id: study.id.clone(),
            language: language.to_owned(),
            languages: study.languages.clone(),
            title: study.title.spoken(spoken),
            summary: study.summary.as_ref().map(|summary| summary.spoken(spoken)),
            stages: self.stages,
            questions: self.questions,
            models: self.models.clone(),
            consent,
            arrival: ArrivalInfo::default(),
        }
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
            language: study.first_language().to_owned(),
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
