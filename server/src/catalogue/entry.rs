//! One study with what belongs to it, read and checked.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use api::{ArrivalInfo, ConsentInfo, ModelRef, StudyInfo};
use domain::recruitment::platform::ParticipantName;
use domain::session::event::SessionId;
use domain::study::Study;
use domain::study::check::{CheckedStudy, Source, check};
use domain::study::draw::{DrawRequest, ModelSource, draw};
use domain::study::length::Length;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use sha2::{Digest, Sha256};

use super::around::{Beside, StudyFolder};
use super::fault::StudyFault;
use super::files::{self, StudyFiles};
use super::opening_times::OpeningTimes;
use super::study_path::id_of;
use super::study_texts::CatalogueTexts;
use crate::secrets::hex;
use crate::zoo::Models;

/// A study with what belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyEntry {
    /// The definition.
    pub study: Study,
    /// Its text as the author wrote it, in UTF-8.
    pub json: Arc<[u8]>,
    /// SHA-256 of `json` in hex.
    pub sha256: String,
    /// How long it is.
    pub length: Length,
    /// When sessions can be started.
    pub open: OpeningTimes,
    /// The participant codes that can start one; none: all.
    pub codes: Option<BTreeSet<ParticipantName>>,
    /// The token that gives credit at SONA, where participants come from there.
    pub sona_token: Option<String>,
    /// The models that a session may need.
    models: Vec<ModelRef>,
    /// Warnings of what its author most likely did not mean, in the order of the file.
    pub warnings: Vec<StudyFault>,
    /// The texts that are read before a session and in its course.
    pub texts: CatalogueTexts,
}

impl StudyEntry {
    /// Checks a study. `id` is the name of its folder.
    ///
    /// # Errors
    /// Every problem, in the order of the file.
    pub fn new(
        id: &str,
        json: &[u8],
        models: &Models,
        files: &StudyFiles<'_>,
    ) -> Result<Self, Vec<StudyFault>> {
        Self::tried(id, json, &StudyFolder::alone(models, files), usize::MAX)
    }

    /// A shipped study: the same, but a session is drawn of its first cell alone, and none where all models are shipped,
    /// too. That every cell can be drawn then is tested, and each start of the program would wait for it.
    ///
    /// # Errors
    /// Every problem, in the order of the file.
    pub(super) fn shipped(
        id: &str,
        json: &[u8],
        models: &Models,
        files: &StudyFiles<'_>,
    ) -> Result<Self, Vec<StudyFault>> {
        let folder = StudyFolder::alone(models, files);
        let cells = usize::from(models.has_own());
        Self::tried(id, json, &folder, cells)
    }

    fn tried(
        id: &str,
        json: &[u8],
        folder: &StudyFolder<'_>,
        cells: usize,
    ) -> Result<Self, Vec<StudyFault>> {
        let StudyFolder { models, files, .. } = *folder;
        let json = files::text(json).map_err(|fault| faults([fault.to_string()]))?;
        let source = Source::of(&json);
        let CheckedStudy { study, warnings } = check(&json, folder)
            .map_err(|problems| sorted(problems.iter().map(|it| StudyFault::of(it, &source))))?;
        if study.id != id {
            let found = &study.id;
            return Err(faults([format!(
                "id: found \"{found}\"; the study lies under the name \"{id}\""
            )]));
        }
        let beside = Beside::read(&study, files).map_err(faults)?;
        try_cells(&study, models, &beside.texts, cells).map_err(faults)?;
        let model = |name: &str| {
            models.facts(name).map(|facts| ModelRef {
                name: facts.name.clone(),
                bundle_sha256: facts.bundle_sha256.clone(),
            })
        };
        Ok(Self {
            length: Length::of(&study, models),
            models: study.models().into_iter().filter_map(model).collect(),
            open: beside.open,
            codes: beside.codes,
            sona_token: beside.sona_token,
            warnings: sorted(warnings.iter().map(|it| StudyFault::warning(it, &source))),
            study,
            sha256: hex(&Sha256::digest(&json)),
            json: json.into_bytes().into(),
            texts: beside.texts,
        })
    }

    /// The hashes that a draw depends on: the definition's and those of its models.
    #[must_use]
    pub fn version(&self) -> String {
        let models = self.models.iter().map(|model| &*model.bundle_sha256);
        std::iter::once(&*self.sha256)
            .chain(models)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The study as participants see it before they start, in a language; with a plain link.
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
            stages: self.length.stages,
            questions: self.length.questions,
            models: self.models.clone(),
            consent,
            questions_before: study.strata_items(spoken),
            arrival: ArrivalInfo::default(),
        }
    }
}

/// Draws a session of each cell, of so many at most: that all of them can be drawn.
fn try_cells(
    study: &Study,
    models: &Models,
    texts: &CatalogueTexts,
    cells: usize,
) -> Result<(), Vec<String>> {
    let mut problems = Vec::new();
    for cell in study.design.cells().into_iter().take(cells) {
        let name = cell.name.clone();
        let arrival = DrawRequest {
            session: SessionId(String::new()),
            cell,
            row: 0,
            language: study.first_language().to_owned(),
        };
        let mut rng = ChaCha20Rng::seed_from_u64(study.seed.unwrap_or_default());
        match draw(study, "", arrival, models, texts, &mut rng) {
            Ok(_) => {}
            Err(error) if name.is_empty() => {
                problems.push(format!("no session can be drawn: {error}"));
            }
            Err(error) => {
                problems.push(format!("no session of cell '{name}' can be drawn: {error}"));
            }
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

impl StudyEntry {
    /// Reads and checks one study file: `ID/study.json` or `ID.json`.
    ///
    /// # Errors
    /// Every problem, in the order of the file.
    pub fn read(path: &Path, models: &Models) -> Result<Self, Vec<StudyFault>> {
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let json = files::study_file(&whole).map_err(|fault| faults([fault.to_string()]))?;
        let files = StudyFiles::in_folder(whole.parent().unwrap_or(Path::new("/")));
        let folder = StudyFolder {
            models,
            files: &files,
            path: Some(&whole),
        };
        Self::tried(&id_of(&whole), &json, &folder, usize::MAX)
    }
}

fn faults(problems: impl IntoIterator<Item = String>) -> Vec<StudyFault> {
    problems.into_iter().map(StudyFault::from).collect()
}

fn sorted(faults: impl Iterator<Item = StudyFault>) -> Vec<StudyFault> {
    let mut faults: Vec<StudyFault> = faults.collect();
    faults.sort();
    faults
}
