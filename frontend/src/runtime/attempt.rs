//! The name of an attempt to start a session. Kept until it is answered, so that
//! an answer that got lost does not make two sessions.

use std::fmt::Write;

use web_sys::Storage;

use super::page;

/// The name for starting `study`: the one of an attempt without answer, or a new one. None where
/// the browser has no source of secrets: who knows the name gets the session.
#[must_use]
pub fn current(study: &str) -> Option<String> {
    let storage = storage();
    let kept = storage
        .as_ref()
        .and_then(|s| s.get_item(&key(study)).ok().flatten());
    kept.or_else(|| {
        let mut bytes = [0; 16];
        if !page::fill_random(&mut bytes) {
            return None;
        }
        let name = hex(&bytes);
        if let Some(storage) = storage {
            let _ = storage.set_item(&key(study), &name);
        }
        Some(name)
    })
}

/// Forgets the attempt: its answer is safe.
pub fn answered(study: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&key(study));
    }
}

fn storage() -> Option<Storage> {
    page::window()?.session_storage().ok().flatten()
}

fn key(study: &str) -> String {
    ["redial-attempt-", study].concat()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_long_enough_for_the_server() {
        assert_eq!(super::hex(&[0, 10, 255]), "000aff");
    }
}
