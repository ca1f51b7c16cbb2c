//! Why a participant chose these terms, in their own words.

use domain::task::MAX_NOTE;
use leptos::html::Textarea;
use leptos::prelude::*;

use crate::ui::typed::passing_id;

/// The field.
#[component]
pub fn ExplanationField(
    /// The field on the page.
    field: NodeRef<Textarea>,
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
    let id = passing_id();
    let problem_id = format!("{id}-problem");
    view! {
        <div class="item" class:wrong=move || missing.get()>
            <label for=id.clone()>{label}</label>
            <textarea
                node_ref=field
                id=id
                autocomplete="off"
                rows="3"
                maxlength=MAX_NOTE
                data-testid="explanation"
                aria-describedby=problem_id.clone()
                aria-invalid=move || missing.get().then_some("true")
                prop:value=move || text.get()
                on:input:target=move |event| on_write.run(event.target().value())
                on:change=move |_| on_written.run(())
            ></textarea>
            <p class="item-problem" id=problem_id>
                {move || missing.get().then(|| words.missing_explanation())}
            </p>
        </div>
    }
}
