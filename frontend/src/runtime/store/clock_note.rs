//! The last note of a session's clock, in `localStorage`, which writes at once.

use domain::session::event::SessionId;

use crate::runtime::clock::ClockNote;

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

fn key(session: &SessionId) -> String {
    ["redial-clock-", &session.0].concat()
}

pub(super) fn write(session: &SessionId, note: ClockNote) {
    if let Some(storage) = storage() {
        // Without it, a reload without a server counts no time in which the page was closed.
        let _ = storage.set_item(&key(session), &text(note));
    }
}

pub(super) fn read(session: &SessionId) -> Option<ClockNote> {
    parse(&storage()?.get_item(&key(session)).ok()??)
}

pub(super) fn clear(session: &SessionId) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&key(session));
    }
}

fn text(note: ClockNote) -> String {
    format!("{} {}", note.at_ms, note.wall_ms)
}

fn parse(text: &str) -> Option<ClockNote> {
    let (at_ms, wall_ms) = text.split_once(' ')?;
    Some(ClockNote {
        at_ms: at_ms.parse().ok()?,
        // Not with `parse`, which would bring a table of 10 kB; numbers in JSON are read anyway (decision 35).
        wall_ms: domain::json::from_text(wall_ms).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let note = ClockNote {
            at_ms: 12_345,
            wall_ms: 1_790_000_100_000.25,
        };
        assert_eq!(parse(&text(note)), Some(note));
        assert_eq!(parse("12"), None);
        assert_eq!(parse("a b"), None);
    }
}
