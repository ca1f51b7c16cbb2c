//! The key of the lab: it comes with the address that `redial serve` prints, and is kept for as long
//! as the tab is open.

use frontend::runtime::page;

const KEPT: &str = "redial-lab-key";

/// The key of the address, or the one that this tab has kept. It leaves the address, which others
/// may see on the screen.
#[must_use]
pub fn found() -> Option<String> {
    let window = page::window()?;
    let hash = window.location().hash().unwrap_or_default();
    let given = hash.trim_start_matches('#').to_owned();
    if given.is_empty() {
        let kept = window.session_storage().ok()??.get_item(KEPT).ok()?;
        return kept.filter(|key| !key.is_empty());
    }
    keep(&given);
    if let (Ok(history), Ok(path)) = (window.history(), window.location().pathname()) {
        let address = [path, window.location().search().unwrap_or_default()].concat();
        // If it stays in the address, it works as well.
        let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&address));
    }
    Some(given)
}

/// Keeps the key until the tab is closed. Without a store it has to be typed again after a reload.
pub fn keep(key: &str) {
    let storage = page::window().and_then(|window| window.session_storage().ok()?);
    if let Some(storage) = storage {
        let _ = storage.set_item(KEPT, key);
    }
}
