//! Credentials of a platform: from the environment, or from a file.

use std::path::Path;

use anyhow::{Context as _, ensure};

/// A credential. It is never printed.
#[derive(Clone)]
pub struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// The text of a file with credentials.
pub(super) fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the credentials in {}", path.display()))
}

/// The value in the line `NAME=…` of such a text, if there is one.
pub(super) fn line(text: &str, name: &str) -> Option<String> {
    let mut lines = text.lines().filter_map(|line| line.split_once('='));
    let found = lines.find(|(key, _)| key.trim() == name);
    found.map(|(_, value)| value.trim().trim_matches('"').to_owned())
}

impl Secret {
    /// The credential in the line `NAME=…` of a file, or else in the environment's variable `NAME`.
    ///
    /// # Errors
    /// When it is in neither, or has characters that no credential has.
    pub fn named(name: &str, file: Option<&Path>) -> anyhow::Result<Self> {
        let from_file = match file {
            None => None,
            Some(path) => line(&read(path)?, name),
        };
        let value = from_file.or_else(|| std::env::var(name).ok());
        let value = value.with_context(|| {
            format!("there is no {name}: set it in the environment, or write {name}=… into a file and name that with --credentials")
        })?;
        let fits = !value.is_empty() && value.bytes().all(|c| c.is_ascii_graphic());
        ensure!(
            fits,
            "{name} is empty, or holds characters that no credential has"
        );
        Ok(Self(value))
    }

    /// The credential itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}
