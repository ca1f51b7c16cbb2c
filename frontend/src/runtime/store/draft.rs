//! What is half done and not in the log: a form that is half filled in, the step of a tutorial. It
//! stays on this device, in `localStorage`, until the part is done.

use domain::event::SessionId;

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

fn key(session: &SessionId) -> String {
    ["redial-draft-", &session.0].concat()
}

/// Keeps the draft of a part, in the place of any other.
pub(super) fn write(session: &SessionId, part: usize, draft: &str) {
    if let Some(storage) = storage() {
        // What does not fit is lost by a reload, and only by that.
        let _ = storage.set_item(&key(session), &format!("{part} {draft}"));
    }
}

/// The draft of a part, if it is the one that is kept.
pub(super) fn read(session: &SessionId, part: usize) -> Option<String> {
    let kept = storage()?.get_item(&key(session)).ok()??;
    let (of, draft) = kept.split_once(' ')?;
    (of == part.to_string()).then(|| draft.to_owned())
}

pub(super) fn clear(session: &SessionId) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&key(session));
    }
}
