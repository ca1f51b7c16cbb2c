//! The text behind `#` in the address. It is sent to no server, and is of use once.

use api::research::{OUTCOME, OpenIdOutcome};
use api::routes;
use frontend::runtime::page;
use wasm_bindgen::JsValue;

/// A link to set a password, as `redial user add` and `reset` print it, ends so, with the key behind it.
const LINK: &str = "#password=";

fn hash() -> Option<String> {
    page::window()?.location().hash().ok()
}

/// The key of a link to set a password, if the address is one.
pub fn key_of_link() -> Option<String> {
    hash()?.strip_prefix(LINK).map(str::to_owned)
}

/// Why a sign-in through the provider has led to none, if somebody comes from there. The address does not say it again
/// when the page is loaded once more.
pub fn take_outcome() -> Option<OpenIdOutcome> {
    let outcome = OpenIdOutcome::of_name(hash()?.strip_prefix(OUTCOME)?);
    forget();
    outcome
}

/// Forgets the text behind `#`: it is of no use any more, and stays in no history.
pub fn forget() {
    let history = page::window().and_then(|window| window.history().ok());
    if let Some(history) = history {
        let address = page::address(routes::RESEARCH);
        // If it stays in the address, it opens nothing.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address));
    }
}
