//! Text typed here is nobody's to keep: a browser offers it to the next person on the machine, under the
//! name or id of the field, and some browsers do so whatever `autocomplete` says. So no field has a
//! name, no id comes again, and nothing is ever submitted as a form, which is when browsers keep it. (Passwords of
//! the researcher's area are: password managers want it so.)

use leptos::ev::KeyboardEvent;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::presses;
use crate::runtime::page;

/// An id that no other field has, here or after the page was loaded again.
#[must_use]
pub fn passing_id() -> String {
    format!("typed-{:016x}", page::random_seed())
}

/// Whether a key hands in what it was pressed in: Enter in a field of one line, as in a form. Not while
/// an input method composes with it.
#[must_use]
pub fn hands_in(event: &KeyboardEvent) -> bool {
    let field = event
        .target()
        .and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
    event.key() == "Enter" && !event.is_composing() && field.is_some() && presses::key_counts(event)
}
