//! `redial export`, and reading back what it wrote.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use domain::session::event::{Author, Envelope, SessionId};

use crate::server::Server;

/// The files of one export.
pub struct Export {
    folder: PathBuf,
}

impl Export {
    /// Exports a study of this server, which may be running or not.
    pub fn of(server: &Server, study: &str) -> Result<Self> {
        Self::with(server, study, &[])
    }

    /// The same, with further options of the command.
    pub fn with(server: &Server, study: &str, options: &[&str]) -> Result<Self> {
        let folder = server.folder().join(format!("export-{study}"));
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        let output = server
            .command(&["export", study, "--identifying"])?
            .arg("--out")
            .arg(&folder)
            .args(options)
            .stdin(Stdio::null())
            .output()?;
        if !output.status.success() {
            bail!(
                "redial export ended with {}: {}",
                output.status,
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(Self { folder })
    }

    /// Decodes again all that the pages of a study reported.
    ///
    /// # Errors
    /// When the command fails, which it does if a number does not follow from its inputs.
    pub fn verify(server: &Server, study: &str) -> Result<()> {
        let output = server
            .command(&["verify", study])?
            .stdin(Stdio::null())
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            bail!("redial verify ended with {}: {said}{why}", output.status);
        }
        println!("{said}");
        Ok(())
    }

    /// The logs, by session, in the order of the file.
    ///
    /// # Errors
    /// When the file is missing, or a line is no event.
    pub fn events(&self) -> Result<BTreeMap<SessionId, Vec<Envelope>>> {
        let path = self.folder.join("jsonl/raw/events.jsonl");
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let mut sessions: BTreeMap<SessionId, Vec<Envelope>> = BTreeMap::new();
        for (number, line) in text.lines().enumerate() {
            let envelope: Envelope = serde_json::from_str(line)
                .with_context(|| format!("{} line {}: {line}", path.display(), number + 1))?;
            sessions
                .entry(envelope.session.clone())
                .or_default()
                .push(envelope);
        }
        Ok(sessions)
    }

    /// A table's rows, each by column, as its lines of JSON hold them.
    ///
    /// # Errors
    /// When there is no such table, or a line is no object.
    pub fn table(&self, name: &str) -> Result<Vec<serde_json::Value>> {
        let path = self.folder.join(format!("jsonl/raw/{name}.jsonl"));
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let rows = text.lines().map(serde_json::from_str);
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The log of the participant's page in the only session there is.
    ///
    /// # Errors
    /// When there are more or none.
    pub fn only_log(&self) -> Result<Vec<Envelope>> {
        let mut sessions: Vec<_> = self.events()?.into_values().collect();
        match sessions.len() {
            1 => {
                let mut log = sessions.remove(0);
                log.retain(|event| event.author == Author::Participant);
                Ok(log)
            }
            n => bail!("one session was expected, the export has {n}"),
        }
    }
}

/// Checks that each author's log counts from 0 without a gap or a double, and that time never goes
/// back.
///
/// # Errors
/// The first place where it does not.
pub fn check_numbering(log: &[Envelope]) -> Result<()> {
    let mut last_ms = 0;
    let mut lengths: BTreeMap<Author, u64> = BTreeMap::new();
    for envelope in log {
        let length = lengths.entry(envelope.author).or_default();
        let (author, expected) = (envelope.author.name(), *length);
        if envelope.seq != expected {
            bail!(
                "event {expected} of the {author} was expected, {} found",
                envelope.seq
            );
        }
        if envelope.at_ms < last_ms {
            bail!(
                "event {expected} of the {author}: time goes back from {last_ms} to {} ms",
                envelope.at_ms
            );
        }
        last_ms = envelope.at_ms;
        *length += 1;
    }
    Ok(())
}
