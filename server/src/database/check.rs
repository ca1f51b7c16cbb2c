//! Whether everything in a database can be read and fits together.

use domain::session::event::SessionId;
use domain::session::plan::SessionPlan;
use models::Bundle;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{DatabaseError, existing};
use crate::export::{ReplayedSession, ReplayedSessions, SessionSelection, Visited};
use crate::secrets::hex;
use crate::storage::{
    self, BlobPlace, Content, DatabaseAddress, DatabaseFile, Inspection, Problem, Result,
};

/// The records that were looked at, and the problems with them.
#[derive(Debug, Default, Serialize)]
pub struct CheckReport {
    /// Number of studies that have sessions.
    pub studies: usize,
    /// Number of sessions.
    pub sessions: usize,
    /// Number of events that can be read.
    pub events: usize,
    /// Number of instances.
    pub instances: usize,
    /// Number of models.
    pub bundles: usize,
    /// Number of pieces of recordings.
    pub pieces: usize,
    /// Everything that is wrong.
    pub problems: Vec<Problem>,
}

/// Reads everything: pages and indices, every plan, answer key, event, study file, instance, model and piece of sound;
/// replays every log, and compares what is stored by its hash with that.
///
/// # Errors
/// When there is no database, it is of no use to this version, or the disk fails. Damage is no error.
pub async fn check(
    at: impl Into<DatabaseAddress>,
) -> std::result::Result<CheckReport, DatabaseError> {
    let at = at.into();
    if !storage::is_server(&at.url) {
        existing(&at.url)?;
    }
    looked_through(storage::inspect(at).await?).await
}

/// As [`check`], of a file whose blobs are in a place.
pub(super) async fn check_file(
    file: &dyn DatabaseFile,
    blobs: &BlobPlace,
) -> std::result::Result<CheckReport, DatabaseError> {
    looked_through(file.inspect(blobs).await?).await
}

async fn looked_through(
    archive: Box<dyn Inspection>,
) -> std::result::Result<CheckReport, DatabaseError> {
    let report = of_archive(&*archive).await;
    archive.close().await;
    Ok(report?)
}

async fn of_archive(archive: &dyn Inspection) -> Result<CheckReport> {
    let mut report = CheckReport {
        problems: archive.integrity().await?,
        ..CheckReport::default()
    };
    let studies = report.unless_damaged("list of studies", archive.studies().await)?;
    for study in &studies.unwrap_or_default() {
        report.studies += 1;
        report.sessions_of(archive, study).await?;
    }
    for kind in [Content::Studies, Content::Instances, Content::Bundles] {
        report.contents(archive, kind).await?;
    }
    Ok(report)
}

impl CheckReport {
    async fn sessions_of(&mut self, archive: &dyn Inspection, study: &str) -> Result<()> {
        let mut sessions = ReplayedSessions::open(archive, study, SessionSelection::All).await?;
        self.problems.extend(sessions.unlisted());
        while let Some(visited) = sessions.next().await? {
            self.sessions += 1;
            match visited {
                Visited::Whole(replayed) => {
                    self.events += replayed.log.events;
                    self.named_by(archive, &replayed).await?;
                    self.sound_of(&mut sessions, &replayed.stored.id).await?;
                }
                Visited::Damaged(damaged) => {
                    self.events += damaged.events;
                    self.problems.extend(damaged.problems);
                    if let Some(id) = damaged.id {
                        self.sound_of(&mut sessions, &id).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Every piece of a session's recordings must be there.
    async fn sound_of(&mut self, sessions: &mut ReplayedSessions, id: &SessionId) -> Result<()> {
        let pieces = sessions.pieces(id).await;
        for piece in self
            .unless_damaged("list of pieces", pieces)?
            .unwrap_or_default()
        {
            self.pieces += 1;
            sessions.piece(id, piece.recording, piece.piece).await?;
        }
        self.problems.extend(sessions.sound_problems());
        Ok(())
    }

    /// Instances and models that the plan of a session names must be there. Sessions of format 1 have
    /// them within, or take them from the models that are installed.
    async fn named_by(&mut self, archive: &dyn Inspection, of: &ReplayedSession) -> Result<()> {
        let stored = &of.stored;
        if !stored.embedded.is_empty() {
            return Ok(());
        }
        let plan: &SessionPlan = &stored.plan;
        for instance in plan.instances() {
            // One that cannot be read is told with the others of its kind.
            if let Ok(None) = archive.instance(&instance.0).await {
                let record = format!("instance {}", instance.0);
                let problem = "the session's plan names it, and it is missing";
                self.problems.push(Problem::of(&stored.id, record, problem));
            }
        }
        for model in plan.models() {
            if let Ok(None) = archive.bundle(&model.bundle_sha256).await {
                let record = format!("model '{}' ({})", model.name, model.bundle_sha256);
                let problem = "the session was drawn with it, and it is missing";
                self.problems.push(Problem::of(&stored.id, record, problem));
            }
        }
        Ok(())
    }

    /// Everything of one kind that is stored by its hash.
    async fn contents(&mut self, archive: &dyn Inspection, kind: Content) -> Result<()> {
        let (hashes, damage) = archive.hashes(kind).await?;
        let name = match kind {
            Content::Studies => "study file",
            Content::Instances => "instance",
            Content::Bundles => "model",
        };
        if let Some(error) = damage {
            let record = format!("list of {name}s");
            self.problems
                .push(Problem::from_error(None, &record, error));
        }
        for sha256 in hashes {
            let record = format!("{name} {sha256}");
            let found = match kind {
                Content::Studies => archive.study_file(&sha256).await.map(of_bytes),
                Content::Instances => {
                    self.instances += 1;
                    archive.instance(&sha256).await.map(of_bytes)
                }
                Content::Bundles => {
                    self.bundles += 1;
                    archive.bundle(&sha256).await.map(|bundle| {
                        let bundle = bundle.ok_or_else(missing)?;
                        let (weights, held_out) = (&bundle.weights, &bundle.held_out);
                        Bundle::from_bytes(&bundle.card, weights.as_deref(), held_out.as_deref())
                            .map(|bundle| bundle.fingerprint().to_owned())
                            .map_err(|error| error.to_string())
                    })
                }
            };
            let why = match self.unless_damaged(&record, found)? {
                None => continue,
                Some(Ok(hash)) if hash == sha256 => continue,
                Some(Ok(_)) => "its content has changed since it was stored".to_owned(),
                Some(Err(why)) => why,
            };
            self.problems.push(Problem::general(record, why));
        }
        Ok(())
    }

    /// The record that was read, or nothing and a note of the damage.
    fn unless_damaged<T>(&mut self, record: &str, read: Result<T>) -> Result<Option<T>> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error) if error.is_damage() => {
                self.problems.push(Problem::from_error(None, record, error));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

fn missing() -> String {
    "it is missing".to_owned()
}

fn of_bytes(bytes: Option<Vec<u8>>) -> std::result::Result<String, String> {
    Ok(hex(&Sha256::digest(bytes.ok_or_else(missing)?)))
}
