//! Transcripts of recordings.

use domain::session::event::SessionId;

use super::{SessionError, Sessions};
use crate::storage::Transcript;
use crate::webvtt;

impl Sessions {
    /// Puts the transcript of a recording beside it, in the place of one that is there. It is deleted
    /// with the sound. Gives the number of its cues.
    ///
    /// # Errors
    /// [`SessionError::NotFound`] where there is no such session; [`SessionError::Malformed`] where
    /// the session has no such recording any more, or the text is no WebVTT; storage.
    pub async fn add_transcript(
        &self,
        id: &SessionId,
        transcript: Transcript,
    ) -> Result<u64, SessionError> {
        let malformed = |what: String| SessionError::Malformed(what);
        if transcript.webvtt.len() > webvtt::MAX_BYTES {
            let most = webvtt::MAX_BYTES;
            return Err(malformed(format!("a transcript has at most {most} bytes")));
        }
        let cues =
            webvtt::cues(&transcript.webvtt).map_err(|wrong| malformed(wrong.to_string()))?;
        if self.storage.session(id).await?.is_none() {
            return Err(SessionError::NotFound);
        }
        let recording = transcript.recording;
        let now_unix_ms = self.now_unix_ms();
        if !self
            .storage
            .store_transcript(id, transcript, now_unix_ms)
            .await?
        {
            return Err(malformed(format!(
                "the session has no recording {recording}, or it was deleted; the table \
                 'recordings' of an export lists them, from 0"
            )));
        }
        Ok(cues.len() as u64)
    }
}
