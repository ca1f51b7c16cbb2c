//! The way back to a session: its name and its secret, kept wherever this browser allows.
//!
//! The store keeps whole sessions. Where there is none, or where it fails, these two are enough,
//! since the server has the rest: in the tab (`sessionStorage`), and where even that is blocked,
//! behind the `#` of the page's address, which no server gets to see.

use domain::session::event::SessionId;
use wasm_bindgen::JsValue;
use web_sys::Storage;

use super::page;
use crate::state::Persistence;

/// Stands before name and secret in the address.
const IN_ADDRESS: &str = "#session=";
/// Stands between them.
const BETWEEN: char = '.';

/// Name and secret of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCredentials {
    /// Its name.
    pub session: SessionId,
    /// Its secret.
    pub token: String,
}

/// The part of a session that this browser keeps; `lasting` says whether there is a store.
#[must_use]
pub fn keeping(lasting: bool) -> Persistence {
    if lasting {
        Persistence::Everything
    } else if tab_keeps() {
        Persistence::InTab
    } else {
        Persistence::InAddress
    }
}

/// Keeps the way back to the session in this slot; `lasting` says whether the store has it, too.
pub fn keep(slot: &str, way: &SessionCredentials, lasting: bool) {
    let kept = storage().is_some_and(|storage| storage.set_item(&key(slot), &way.text()).is_ok());
    if !kept && !lasting {
        show_in_address(&[IN_ADDRESS, &way.text()].concat());
    }
}

/// The way back that is kept: the one in the address before that of the tab.
#[must_use]
pub fn kept(slot: &str) -> Option<SessionCredentials> {
    let address = page::window().and_then(|window| window.location().hash().ok());
    let in_address =
        address.and_then(|hash| SessionCredentials::parse(hash.strip_prefix(IN_ADDRESS)?));
    in_address.or_else(|| SessionCredentials::parse(&storage()?.get_item(&key(slot)).ok()??))
}

/// Forgets it: it leads nowhere.
pub fn forget(slot: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&key(slot));
    }
    let hash = page::window().and_then(|window| window.location().hash().ok());
    if hash.is_some_and(|hash| hash.starts_with(IN_ADDRESS)) {
        show_in_address("");
    }
}

impl SessionCredentials {
    fn text(&self) -> String {
        format!("{}{BETWEEN}{}", self.session.0, self.token)
    }

    fn parse(text: &str) -> Option<Self> {
        let (session, token) = text.split_once(BETWEEN)?;
        (!session.is_empty() && !token.is_empty()).then(|| Self {
            session: SessionId(session.to_owned()),
            token: token.to_owned(),
        })
    }
}

/// Whether the tab's storage takes something and gives it back.
fn tab_keeps() -> bool {
    const PROBE: &str = "redial-probe";
    let Some(storage) = storage() else {
        return false;
    };
    let kept = storage.set_item(PROBE, "1").is_ok();
    let _ = storage.remove_item(PROBE);
    kept
}

fn storage() -> Option<Storage> {
    page::window()?.session_storage().ok().flatten()
}

fn key(slot: &str) -> String {
    ["redial-session-", slot].concat()
}

/// Changes what stands behind the page's path and query, without loading anything.
fn show_in_address(hash: &str) {
    let Some(window) = page::window() else {
        return;
    };
    let location = window.location();
    let (Ok(path), Ok(query), Ok(history)) =
        (location.pathname(), location.search(), window.history())
    else {
        return;
    };
    let address = [&path, &query, hash].concat();
    if history
        .replace_state_with_url(&JsValue::NULL, "", Some(&address))
        .is_err()
    {
        leptos::logging::warn!("the address could not be changed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_back_is_read_as_it_was_written() {
        let way = SessionCredentials {
            session: SessionId("00ff".to_owned()),
            token: "secret-1_2".to_owned(),
        };
        assert_eq!(SessionCredentials::parse(&way.text()), Some(way));
        for text in ["", ".", "a.", ".b", "ab"] {
            assert_eq!(SessionCredentials::parse(text), None, "{text}");
        }
    }
}
