//! The last events of a page that was left, in `localStorage`, which writes at once.

use domain::session::event::SessionId;

use super::stored_event::LocalEvent;

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

fn key(session: &SessionId) -> String {
    ["redial-tail-", &session.0].concat()
}

pub(super) fn write(session: &SessionId, events: &[LocalEvent]) {
    let lines: Vec<&str> = events.iter().map(|(_, json)| &**json).collect();
    if let Some(storage) = storage() {
        // Events that do not fit are lost here; the beacon has them too.
        let _ = storage.set_item(&key(session), &lines.join("\n"));
    }
}

pub(super) fn read(session: &SessionId) -> Vec<String> {
    let stored = storage().and_then(|storage| storage.get_item(&key(session)).ok().flatten());
    stored
        .unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect()
}

pub(super) fn clear(session: &SessionId) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&key(session));
    }
}
