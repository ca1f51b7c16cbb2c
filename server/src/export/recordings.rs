//! The table of recordings, and their files.

use domain::common::table::Field;
use domain::fields;
use serde_json::Value;

use super::error::ExportError;
use super::files::HashedFile;
use super::replay::{ReplayedSession, ReplayedSessions};
use crate::sound::StoredRecording;
use std::io::Write as _;
use std::path::Path;

/// The meaning of one row, in words.
pub(super) const ROW: &str =
    "one recording of a lab session: each load of the participant's page begins another one";

/// The data that a row is made from.
pub(super) struct Row {
    session: String,
    recording: u32,
    sound: StoredRecording,
    file: String,
}

/// The rows of a session, and their files where sound may leave the server. Gives the manifest's
/// entries of the files.
pub(super) async fn rows(
    replayed: &ReplayedSession,
    sessions: &mut ReplayedSessions,
    files: Option<&Path>,
) -> Result<(Vec<Row>, Vec<Value>), ExportError> {
    let recorded = replayed.session.recorded();
    if recorded.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let stored = sessions.pieces(&replayed.stored.id).await?;
    let (mut rows, mut entries) = (Vec::new(), Vec::new());
    for (index, recorded) in (0..).zip(recorded.iter()) {
        let session = replayed.stored.id.0.clone();
        let mut row = Row {
            file: format!(
                "recordings/{session}-{index}.{}",
                extension(&recorded.media_type)
            ),
            session,
            recording: index,
            sound: StoredRecording::new(index, recorded.clone(), &stored),
        };
        if let Some(folder) = files {
            let mut file = None;
            for piece in (0..).take(row.sound.playable()) {
                let Some(bytes) = sessions.piece(&replayed.stored.id, index, piece).await? else {
                    row.sound.end_before(piece);
                    break;
                };
                let file = match &mut file {
                    Some(file) => file,
                    none => none.insert(HashedFile::create(folder, row.file.clone())?),
                };
                let written = file.write_all(&bytes);
                written.map_err(|error| ExportError::file(file.path(), error))?;
            }
            if let Some(file) = file {
                entries.push(file.finish(0)?);
            }
        }
        rows.push(row);
    }
    Ok((rows, entries))
}

/// The usual end of a file's name, by its media type.
fn extension(media_type: &str) -> &'static str {
    match media_type.split(';').next().unwrap_or_default().trim() {
        "audio/mp4" => "m4a",
        "audio/ogg" => "ogg",
        _ => "webm",
    }
}

/// The columns.
pub(super) fn fields() -> Vec<Field<Row>> {
    fields! { |r: &Row|
        "session": "Name of the session; joins the tables",
            Text, "", "any" => r.session;
        "recording": "Which recording of the session",
            Integer, "", "0 and up" => r.recording;
        "media_type": "How the sound is coded",
            Text, "", "any" => r.sound.recorded.media_type;
        "started_at_ms": "The moment at the beginning of the file, since the session's start",
            Integer, "ms", "0 and up" => r.sound.recorded.started_at_ms;
        "ended_at_ms": "When its last piece ended",
            Integer, "ms", "0 and up" => r.sound.recorded.ended_at_ms;
        "stopped": "Whether its end was logged: else the page was closed, and what came after the last piece is lost",
            Boolean, "", "true, false" => r.sound.recorded.stopped;
        "pieces": "Number of pieces in the log",
            Integer, "", "0 and up" => r.sound.recorded.pieces.len();
        "pieces_in_file": "Number of pieces in the file: up to the first that the server does not have, or not any more",
            Integer, "", "0 and up" => r.sound.playable();
        "file": "The file with the sound, in exports with --identifying; empty where there is none",
            Text, "", "any", identifying => (r.sound.playable() > 0).then_some(&r.file);
        "replay": "Where one watches its beginning in the researcher's area",
            Text, "", "address", link => r.sound.recorded.started_at_ms;
    }
}
