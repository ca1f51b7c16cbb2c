//! The sound of a session and its transcripts, for its replay.

use api::research::{SessionSound, SoundRecording, SpokenCue};

use super::{SessionError, Sessions};
use crate::sound::StoredRecording;
use crate::storage::{Archive, StoredSession, StudySnapshot};
use crate::webvtt;

impl Sessions {
    /// The recordings of a session, and the words of its transcripts.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn sound(&self, stored: &StoredSession) -> Result<SessionSound, SessionError> {
        let (mut snapshot, recordings) = self.recordings_of(stored).await?;
        let transcripts = snapshot.transcripts(&stored.id).await?;
        let mut shown = Vec::new();
        for (number, recording) in (0..).zip(recordings) {
            let recorded = &recording.recorded;
            let begins_at_ms = recorded.started_at_ms;
            let playable = recording.playable();
            let last = playable.checked_sub(1);
            let last = last.and_then(|last| recorded.pieces.get(last));
            let transcript = transcripts.iter().find(|it| it.recording == number);
            // It was read when it was stored.
            let cues = transcript.map(|it| webvtt::cues(&it.webvtt).unwrap_or_default());
            let missing = (0..recorded.pieces.len()).filter(|index| !recording.has(*index));
            shown.push(SoundRecording {
                media_type: recorded.media_type.clone(),
                started_at_ms: begins_at_ms,
                ended_at_ms: recorded.ended_at_ms,
                playable_until_ms: last.map_or(begins_at_ms, |piece| piece.ended_at_ms),
                stopped: recorded.stopped,
                pieces: recorded.pieces.len() as u64,
                playable_pieces: playable as u64,
                missing_pieces: missing.count() as u64,
                transcript: cues.map(|cues| {
                    let cues = cues.into_iter();
                    cues.map(|cue| SpokenCue {
                        starts_at_ms: begins_at_ms.saturating_add(cue.start_ms),
                        ends_at_ms: begins_at_ms.saturating_add(cue.end_ms),
                        speaker: cue.speaker,
                        text: cue.text,
                    })
                    .collect()
                }),
            });
        }
        Ok(SessionSound { recordings: shown })
    }

    /// A recording of a session by its number from 0, with what its pieces are read from; none where nothing of it can be
    /// played.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn playable_recording(
        &self,
        stored: &StoredSession,
        number: u32,
    ) -> Result<Option<(Box<dyn StudySnapshot>, StoredRecording)>, SessionError> {
        let (snapshot, recordings) = self.recordings_of(stored).await?;
        let recording = recordings.into_iter().nth(number as usize);
        let recording = recording.filter(|recording| recording.playable() > 0);
        Ok(recording.map(|recording| (snapshot, recording)))
    }

    async fn recordings_of(
        &self,
        stored: &StoredSession,
    ) -> Result<(Box<dyn StudySnapshot>, Vec<StoredRecording>), SessionError> {
        let recorded = {
            let session = self.cached(stored);
            let mut machine = session.machine(&*self.storage).await?;
            machine.get().recorded().to_vec()
        };
        let archive: &dyn Archive = &*self.storage;
        let mut snapshot = archive.study_snapshot(&stored.study).await?;
        let pieces = snapshot.pieces(&stored.id).await?;
        let recorded = (0..).zip(recorded);
        let recordings =
            recorded.map(|(number, recorded)| StoredRecording::new(number, recorded, &pieces));
        Ok((snapshot, recordings.collect()))
    }
}
