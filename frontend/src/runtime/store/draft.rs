//! Drafts, half done and not in the log: a form that is half filled in, the step of a tutorial. A draft
//! stays on this device, in `localStorage`, until it is done; in this tab alone, in
//! `sessionStorage`, where the browser allows nothing else.

use std::collections::BTreeMap;

use domain::session::event::{QuestionRef, SessionId};

/// The part or question that a draft is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftOf {
    /// A part: its 0-based index.
    Part(usize),
    /// A question.
    Question(QuestionRef),
}

impl DraftOf {
    fn key(self) -> String {
        match self {
            Self::Part(part) => part.to_string(),
            Self::Question(at) => format!("{}.{}", at.stage, at.question),
        }
    }
}

fn storage() -> Option<web_sys::Storage> {
    let window = web_sys::window()?;
    let lasting = window.local_storage().ok().flatten();
    lasting.or_else(|| window.session_storage().ok().flatten())
}

fn key(session: &SessionId) -> String {
    ["redial-draft-", &session.0].concat()
}

fn all(session: &SessionId) -> BTreeMap<String, String> {
    let kept = storage().and_then(|it| it.get_item(&key(session)).ok()?);
    let read = kept.map(|kept| domain::json::from_text(&kept).unwrap_or_default());
    read.unwrap_or_default()
}

/// Keeps a draft, in the place of an earlier one of the same; drops it where there is none.
pub(super) fn write(session: &SessionId, of: DraftOf, draft: Option<&str>) {
    let mut drafts = all(session);
    let changed = match draft {
        Some(draft) => drafts.insert(of.key(), draft.to_owned()).as_deref() != Some(draft),
        None => drafts.remove(&of.key()).is_some(),
    };
    if let Some(storage) = storage().filter(|_| changed) {
        // Drafts that do not fit are lost by a reload, and only by that.
        let text = serde_json::to_string(&drafts).unwrap_or_default();
        let _ = storage.set_item(&key(session), &text);
    }
}

/// A draft, if one is kept.
pub(super) fn read(session: &SessionId, of: DraftOf) -> Option<String> {
    all(session).remove(&of.key())
}

pub(super) fn clear(session: &SessionId) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&key(session));
    }
}
