//! The table of transcripts, and their files.

use std::io::Write as _;
use std::path::Path;

use domain::common::table::Field;
use domain::fields;
use serde_json::Value;

use super::error::ExportError;
use super::files::HashedFile;
use super::replay::{ReplayedSession, ReplayedSessions};
use crate::webvtt::{self, Cue};

/// The meaning of one row, in words.
pub(super) const ROW: &str =
    "one cue of the transcript of a recording: what somebody said at a time";

/// The data that a row is made from.
pub(super) struct Row {
    session: String,
    recording: u32,
    index: usize,
    /// Where the file of the recording begins, on the session's clock.
    begins_at_ms: u64,
    cue: Cue,
}

/// The rows of a session, and its transcripts as files where they may leave the server. Gives the
/// manifest's entries of the files.
pub(super) async fn rows(
    replayed: &ReplayedSession,
    sessions: &mut ReplayedSessions,
    files: Option<&Path>,
) -> Result<(Vec<Row>, Vec<Value>), ExportError> {
    let recorded = replayed.session.recorded();
    if recorded.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let (mut rows, mut entries) = (Vec::new(), Vec::new());
    for transcript in sessions.transcripts(&replayed.stored.id).await? {
        let session = &replayed.stored.id.0;
        let recording = transcript.recording;
        let Some(begins) = recorded.get(recording as usize) else {
            continue;
        };
        if let Some(folder) = files {
            let name = format!("recordings/{session}-{recording}.vtt");
            let mut file = HashedFile::create(folder, name)?;
            let written = file.write_all(transcript.webvtt.as_bytes());
            written.map_err(|error| ExportError::file(file.path(), error))?;
            entries.push(file.finish(0)?);
        }
        // It was read when it was stored.
        let cues = webvtt::cues(&transcript.webvtt).unwrap_or_default();
        rows.extend(cues.into_iter().enumerate().map(|(index, cue)| Row {
            session: session.clone(),
            recording,
            index,
            begins_at_ms: begins.started_at_ms,
            cue,
        }));
    }
    Ok((rows, entries))
}

/// The columns.
pub(super) fn fields() -> Vec<Field<Row>> {
    fields! { |r: &Row|
        "session": "Name of the session; joins the tables",
            Text, "", "any" => r.session;
        "recording": "Which recording of the session; joins 'recordings'",
            Integer, "", "0 and up" => r.recording;
        "cue": "Which cue of the transcript",
            Integer, "", "0 and up" => r.index;
        "starts_at_ms": "When it begins, since the session's start: the clock of all events",
            Integer, "ms", "0 and up" => r.begins_at_ms + r.cue.start_ms;
        "ends_at_ms": "When it ends, since the session's start",
            Integer, "ms", "0 and up" => r.begins_at_ms + r.cue.end_ms;
        "speaker": "Who speaks, where the transcript says so",
            Text, "", "any", identifying => r.cue.speaker;
        "text": "The words, without marks",
            Text, "", "any", identifying => r.cue.text;
        "replay": "Where one watches it being said in the researcher's area",
            Text, "", "address", link => r.begins_at_ms + r.cue.start_ms;
    }
}
