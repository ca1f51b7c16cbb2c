//! Why a participant chose these terms, in their own words.

use domain::task::MAX_NOTE;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

const FIELD: &str = "naming-explanation";

/// The field.
#[component]
pub fn ExplanationField(
    /// The explanation, as last logged.
    text: Signal<String>,
    /// Whether it is missing, and that is to be said.
    missing: Signal<bool>,
    /// Whether nobody has to write one.
    optional: bool,
    /// It is being written.
    on_write: Callback<String>,
    /// Its field was left.
    on_written: Callback<()>,
) -> impl IntoView {
    let words = &crate::text::text().naming;
    let label = if optional {
        words.explanation_optional()
    } else {
        words.explanation()
    };
    view! {
        <div class="item" class:wrong=move || missing.get()>
            <label for=FIELD>{label}</label>
            <textarea
                id=FIELD
                autocomplete="off"
                rows="3"
                maxlength=MAX_NOTE
                data-testid="explanation"
                aria-describedby="naming-explanation-problem"
                aria-invalid=move || missing.get().then_some("true")
                prop:value=move || text.get()
                on:input:target=move |event| on_write.run(event.target().value())
                on:change=move |_| on_written.run(())
            ></textarea>
            <p class="item-problem" id="naming-explanation-problem">
                {move || missing.get().then(|| words.missing_explanation())}
            </p>
        </div>
    }
}

/// Brings the field into focus.
pub(super) fn focus() {
    let field = document().get_element_by_id(FIELD);
    if let Some(field) = field.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
        // The message is on the page whether or not the focus follows.
        let _ = field.focus();
    }
}
