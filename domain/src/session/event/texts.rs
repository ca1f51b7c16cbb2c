//! How long each text in an event may be.
//!
//! Logs are read again and again, by server, page and export: a text without a length would make one as
//! long as whoever writes it likes. A text that is stored already stays readable, however long it is.

use super::{
    Consented, Event, MAX_ACCOUNT_NAME, MAX_MARK, MAX_NAME, MAX_PAGE_TEXT, MAX_SIGNATURE, PageInfo,
};
use crate::common::event_text::EventText;
use crate::movement::gesture::TextWriting;
use crate::task::MAX_NOTE;

/// SHA-256 in hex, in characters.
const HASH: usize = 64;

impl Event {
    /// The texts that its author chooses. Those that have to be the plan's own (names of questionnaires,
    /// items and options), or that the plan gives a length (answers to items), are checked against
    /// the plan.
    ///
    /// Every field is named here, so that no text can be added without a length.
    #[must_use]
    pub fn texts(&self) -> Vec<EventText<'_>> {
        let text = EventText::new;
        match self {
            Self::PageOpened {
                page:
                    PageInfo {
                        viewport_width_px: _,
                        viewport_height_px: _,
                        pixel_ratio: _,
                        touch: _,
                        user_agent,
                        app,
                        gestures: _,
                        relaxed_simd: _,
                    },
            } => vec![
                text("user_agent", user_agent, MAX_PAGE_TEXT),
                text("app", app, MAX_PAGE_TEXT),
            ],
            Self::ConsentGiven(Consented {
                version,
                text_sha256,
                language,
                signature,
            }) => [
                optional_text("version", version, MAX_NAME),
                optional_text("text_sha256", text_sha256, HASH),
                optional_text("language", language, MAX_NAME),
                optional_text("signature", signature, MAX_SIGNATURE),
            ]
            .into_iter()
            .flatten()
            .collect(),
            Self::RecordingStarted {
                recording: _,
                media_type,
            } => vec![text("media_type", media_type, MAX_PAGE_TEXT)],
            Self::PieceRecorded {
                recording: _,
                piece: _,
                bytes: _,
                sha256,
                ended_ms: _,
            } => vec![text("sha256", sha256, HASH)],
            Self::PageTranslated { language } => {
                optional_text("language", language, MAX_PAGE_TEXT).into_iter().collect()
            }
            Self::RecordingFailed { why } => vec![text("why", why, MAX_PAGE_TEXT)],
            Self::TextWritten(TextWriting {
                item,
                inputs: _,
                characters: _,
                pasted: _,
                untrusted: _,
                focus_ms: _,
                left_page: _,
            }) => vec![text("item", item, MAX_PAGE_TEXT)],
            Self::Excluded { why } | Self::Readmitted { why } => vec![text("why", why, MAX_NOTE)],
            Self::NoteWritten {
                text: note,
                mark,
                about_ms: _,
            } => [Some(text("text", note, MAX_NOTE)), optional_text("mark", mark, MAX_MARK)]
                .into_iter()
                .flatten()
                .collect(),
            Self::ExperimenterNamed { name } => vec![text("name", name, MAX_ACCOUNT_NAME)],
            Self::Task(event) => event.text().into_iter().collect(),
            // Names that have to be the plan's own, and answers that have to fit its items.
            Self::QuestionnaireAnswered {
                questionnaire: _,
                answers: _,
                time_over: _,
            }
            | Self::CheckReceived { part: _, wrong: _ }
            // Events that the server writes itself.
            | Self::CheckGiven {
                part: _,
                attempt: _,
                wrong: _,
            }
            | Self::Verified {
                redial: _,
                decoded: _,
                contradictions: _,
                first: _,
            }
            | Self::WayBackGiven {
                ended: _,
                platform: _,
                code: _,
            }
            // No text.
            | Self::PageHidden
            | Self::PageShown
            | Self::Restored
            | Self::PageSlept { slept_ms: _ }
            | Self::Paused
            | Self::Resumed
            | Self::ConnectionLost
            | Self::ConnectionRestored
            | Self::ConsentDeclined
            | Self::Withdrew { erase: _ }
            | Self::InstructionsRead { part: _ }
            | Self::TutorialFinished
            | Self::DeviceChecked { part: _, device: _ }
            | Self::BreakEnded { part: _ }
            | Self::StageStarted { stage: _ }
            | Self::QuestionStarted { at: _ }
            | Self::TimeUp { stage: _ }
            | Self::StageEnded { stage: _ }
            | Self::RecordingAnswered { agreed: _ }
            | Self::RecordingStopped { recording: _ }
            | Self::MicrophoneSilent
            | Self::MicrophoneHeard
            | Self::TalkStarted
            | Self::TalkEnded
            | Self::GestureMade(_)
            | Self::ScriptedInput { events: _ }
            | Self::DecodesTimed { at: _, times: _ }
            | Self::QuestionSized { at: _, sizes: _ }
            | Self::StageLeft { stage: _ }
            | Self::WentBack { part: _ }
            | Self::MoreTimeTaken { part: _ }
            | Self::VerdictReceived { at: _, verdict: _ }
            | Self::VerdictGiven { at: _, verdict: _ }
            | Self::PauseAsked
            | Self::ResumeAsked
            | Self::StageEndAsked { stage: _ } => Vec::new(),
        }
    }
}

fn optional_text<'a>(
    field: &'static str,
    text: &'a Option<String>,
    most: usize,
) -> Option<EventText<'a>> {
    text.as_deref()
        .map(|text| EventText::new(field, text, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use serde_json::{Value, json};

    fn refused(event: Value) -> Vec<&'static str> {
        let event: Event = json::from_tree(event).unwrap();
        let texts = event.texts().into_iter();
        texts
            .filter(|text| text.too_long().is_some())
            .map(|text| text.field)
            .collect()
    }

    /// Every field of every event that its author can fill with any text.
    #[test]
    fn every_text_has_a_length() {
        let long = "x".repeat(6_000);
        for (event, fields) in [
            (
                json!({"kind": "page_opened", "page": {"user_agent": long, "app": long}}),
                vec!["user_agent", "app"],
            ),
            (
                json!({"kind": "consent_given", "version": long, "text_sha256": long,
                    "language": long, "signature": long}),
                vec!["version", "text_sha256", "language", "signature"],
            ),
            (
                json!({"kind": "recording_started", "recording": 0, "media_type": long}),
                vec!["media_type"],
            ),
            (
                json!({"kind": "piece_recorded", "recording": 0, "piece": 0, "bytes": 1,
                    "sha256": long, "ended_ms": 0}),
                vec!["sha256"],
            ),
            (
                json!({"kind": "recording_failed", "why": long}),
                vec!["why"],
            ),
            (
                json!({"kind": "text_written", "item": long, "inputs": 0, "characters": 0,
                    "pasted": 0, "untrusted": 0, "focus_ms": 0, "left_page": 0}),
                vec!["item"],
            ),
            (json!({"kind": "excluded", "why": long}), vec!["why"]),
            (json!({"kind": "readmitted", "why": long}), vec!["why"]),
            (
                json!({"kind": "note_written", "text": long, "mark": long}),
                vec!["text", "mark"],
            ),
            (
                json!({"kind": "experimenter_named", "name": long}),
                vec!["name"],
            ),
            (
                json!({"kind": "reconstruction", "task_format": 1, "event": "dial_renamed",
                    "dimension": 0, "name": long}),
                vec!["name"],
            ),
            (
                json!({"kind": "exploration", "task_format": 1, "event": "dial_renamed",
                    "dimension": 0, "name": long}),
                vec!["name"],
            ),
            (
                json!({"kind": "exploration", "task_format": 1, "event": "notes_written",
                    "text": long}),
                vec!["text"],
            ),
        ] {
            assert_eq!(refused(event.clone()), fields, "{}", event["kind"]);
            let short: Value =
                serde_json::from_str(&event.to_string().replace(&long, "x")).unwrap();
            assert_eq!(refused(short), [""; 0], "{}", event["kind"]);
        }
    }

    /// Characters are counted, not bytes: as many of another script fit as of English.
    #[test]
    fn characters_are_counted() {
        assert_eq!(EventText::new("a", &"字".repeat(10), 10).too_long(), None);
        assert_eq!(
            EventText::new("a", &"字".repeat(11), 10).too_long(),
            Some(11)
        );
    }
}
