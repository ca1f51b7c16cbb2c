//! The surroundings of a study: models and other studies that it may name, and the files beside it.

use std::collections::BTreeSet;
use std::path::Path;

use domain::recruitment::platform::{ParticipantName, Recruitment};
use domain::study::check::CheckContext;
use domain::study::draw::ModelSource;
use domain::study::{Part, Study};

use super::files::StudyFiles;
use super::opening_times::OpeningTimes;
use super::study_texts::CatalogueTexts;
use super::{codes, study_path};
use crate::zoo::Models;

/// The targets of a study's references: the models, files beside it, and other studies.
pub(super) struct StudyFolder<'a> {
    pub(super) models: &'a Models,
    pub(super) files: &'a StudyFiles<'a>,
    /// The study's file, where it lies on a disk.
    pub(super) path: Option<&'a Path>,
}

impl<'a> StudyFolder<'a> {
    /// Without other studies.
    pub(super) fn alone(models: &'a Models, files: &'a StudyFiles<'a>) -> Self {
        Self {
            models,
            files,
            path: None,
        }
    }
}

impl CheckContext for StudyFolder<'_> {
    fn models(&self) -> &dyn ModelSource {
        self.models
    }

    fn model_names(&self) -> Vec<String> {
        self.models.names().map(str::to_owned).collect()
    }

    fn file(&self, name: &str) -> Result<(), String> {
        self.files.look_at(name).map_err(|fault| fault.to_string())
    }

    fn studies(&self) -> Option<Vec<String>> {
        study_path::studies_beside(self.path?)
    }
}

/// The texts and values that are read of the files beside a study.
pub(super) struct Beside {
    pub(super) texts: CatalogueTexts,
    pub(super) open: OpeningTimes,
    pub(super) codes: Option<BTreeSet<ParticipantName>>,
    pub(super) sona_token: Option<String>,
}

impl Beside {
    pub(super) fn read(study: &Study, files: &StudyFiles<'_>) -> Result<Self, Vec<String>> {
        let mut texts = CatalogueTexts::default();
        for part in study.leaves() {
            match part {
                Part::Instructions(part) => texts.read(&part.file, study, files)?,
                Part::Consent(part) => texts.read(&part.file, study, files)?,
                _ => {}
            }
        }
        Ok(Self {
            texts,
            open: OpeningTimes::of(study)?,
            codes: match study.participant_codes.as_deref() {
                Some(name) => Some(codes::read(name, files)?),
                None => None,
            },
            sona_token: sona_token(study, files).map_err(|problem| vec![problem])?,
        })
    }
}

/// The token that gives credit at SONA; none where no participants come from there.
fn sona_token(study: &Study, files: &StudyFiles<'_>) -> Result<Option<String>, String> {
    let name = study.recruitment.iter().find_map(|from| match from {
        Recruitment::Sona(sona) => Some(&sona.credit_token_file),
        _ => None,
    });
    let Some(name) = name else { return Ok(None) };
    let text = files
        .text(name)
        .map_err(|fault| format!("{name}: {fault}"))?;
    let token = text.trim();
    if token.is_empty() || token.len() > 200 || !token.bytes().all(|c| c.is_ascii_alphanumeric()) {
        // Not what was found: it is a secret.
        return Err(format!(
            "{name}: the file holds no credit token; it is the letters and digits after \
             'credit_token=' in the study's completion URL at SONA, and nothing else"
        ));
    }
    Ok(Some(token.to_owned()))
}
