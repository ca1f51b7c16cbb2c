//! Copying to the clipboard, with a second way where the first is not allowed.

use js_sys::{Function, Reflect};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlTextAreaElement;

/// Copies a text; says whether that worked.
pub async fn copy(words: &str) -> bool {
    copy_by_permission(words).await || copy_by_selection(words).unwrap_or(false)
}

/// `navigator.clipboard`: absent on pages that are not served securely.
async fn copy_by_permission(words: &str) -> bool {
    let navigator = window().navigator();
    let present = Reflect::get(&navigator, &JsValue::from_str("clipboard"));
    if !present.is_ok_and(|clipboard| clipboard.is_object()) {
        return false;
    }
    JsFuture::from(navigator.clipboard().write_text(words))
        .await
        .is_ok()
}

/// The old way: mark a text in the page, and have the browser copy what is marked.
fn copy_by_selection(words: &str) -> Option<bool> {
    let document = document();
    let body = document.body()?;
    let field = document
        .create_element("textarea")
        .ok()?
        .dyn_into::<HtmlTextAreaElement>()
        .ok()?;
    field.set_class_name("visually-hidden");
    field.set_value(words);
    body.append_child(&field).ok()?;
    field.select();
    let command = Reflect::get(&document, &JsValue::from_str("execCommand")).ok();
    let command = command.and_then(|command| command.dyn_into::<Function>().ok());
    let copied = command.and_then(|it| it.call1(&document, &JsValue::from_str("copy")).ok());
    field.remove();
    copied?.as_bool()
}
