//! The texts that participants of a study read, from its Markdown files.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::common::language::{PSEUDO, Spoken, file_in, pseudo};
use domain::study::Study;
use domain::study::draw::StudyTexts;
use sha2::{Digest, Sha256};

use super::files::StudyFiles;
use super::markdown;
use crate::secrets::hex;
use crate::storage::StoredText;

/// Texts of a study, by the name of their file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CatalogueTexts(BTreeMap<String, Text>);

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) html: String,
    /// SHA-256 of the Markdown in hex.
    pub(super) sha256: String,
    markdown: Arc<[u8]>,
}

impl CatalogueTexts {
    /// Reads a file in each of the study's languages.
    pub(super) fn read(
        &mut self,
        named: &str,
        study: &Study,
        files: &StudyFiles<'_>,
    ) -> Result<(), Vec<String>> {
        for language in &study.languages {
            let name = file_in(named, study.spoken(language));
            let markdown = files
                .text(&name)
                .map_err(|fault| vec![format!("{name}: {fault}")])?;
            let html = markdown::html(&markdown, files)
                .map_err(|(picture, fault)| vec![format!("{name}: {picture}: {fault}")])?;
            let text = Text {
                html,
                sha256: hex(&Sha256::digest(&markdown)),
                markdown: markdown.into_bytes().into(),
            };
            self.0.insert(name, text);
        }
        Ok(())
    }

    /// All of them, to be kept with what they were read in.
    #[must_use]
    pub fn stored(&self) -> Vec<StoredText> {
        let text = |(file, text): (&String, &Text)| StoredText {
            file: file.clone(),
            sha256: text.sha256.clone(),
            markdown: text.markdown.clone(),
        };
        self.0.iter().map(text).collect()
    }

    /// The text of a file in a language.
    pub(super) fn get(&self, file: &str, spoken: Spoken<'_>) -> Option<Text> {
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

impl StudyTexts for CatalogueTexts {
    fn html(&self, file: &str, spoken: Spoken<'_>) -> Option<String> {
        Some(self.get(file, spoken)?.html)
    }
}
