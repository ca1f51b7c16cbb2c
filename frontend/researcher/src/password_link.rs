//! The link to set a password that `redial user add` and `reset` print.

use api::routes;
use frontend::runtime::page;
use wasm_bindgen::JsValue;

/// It ends so, with the key behind it: what stands behind `#` is sent to no server.
const LINK: &str = "#password=";

/// The key of a link to set a password, if the address is one.
pub fn key_of_link() -> Option<String> {
    let hash = page::window()?.location().hash().ok()?;
    hash.strip_prefix(LINK).map(str::to_owned)
}

/// The link is of no use any more, and stays in no history.
pub fn forget_link() {
    let history = page::window().and_then(|window| window.history().ok());
    if let Some(history) = history {
        let address = page::address(routes::RESEARCH);
        // If it stays in the address, it opens nothing.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address));
    }
}
