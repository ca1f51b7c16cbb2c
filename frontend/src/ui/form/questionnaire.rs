//! A questionnaire: a page of items.

use std::collections::BTreeMap;

use domain::questionnaire::{Answer, Questionnaire};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::HtmlElement;

use super::answers::Drafts;
use super::fields::ItemField;
use super::filling::Form;
use crate::text::text;
use crate::ui::parts::Heading;

/// A page of items.
#[component]
pub fn QuestionnaireScreen(
    /// What is asked.
    questionnaire: Questionnaire,
    /// What was filled in before the page was left.
    drafts: Drafts,
    /// Something was filled in.
    on_draft: Callback<Drafts>,
    /// Everything was answered that has to be.
    on_submit: Callback<BTreeMap<String, Answer>>,
) -> impl IntoView {
    let words = &text().questionnaire;
    let form = Form::resume(drafts);
    Effect::new(move |_| on_draft.run(form.drafts.get()));
    let items = questionnaire
        .items
        .iter()
        .cloned()
        .map(|item| view! { <ItemField item form/> });
    let items = items.collect_view();
    let title = questionnaire.title.clone();
    let submit = move || match form
        .drafts
        .with_untracked(|drafts| drafts.answers(&questionnaire))
    {
        Ok(answers) => on_submit.run(answers),
        Err(problems) => {
            if let Some((first, _)) = problems.first() {
                focus_item(first);
            }
            form.problems.set(problems.into_iter().collect());
        }
    };
    view! {
        <div class="screen reading" data-screen="questionnaire">
            <Heading words=title/>
            <form
                class="questionnaire"
                novalidate=true
                on:submit=move |event| {
                    event.prevent_default();
                    submit();
                }
            >
                {items}
                <div class="actions">
                    <button type="submit" class="button primary" data-testid="questionnaire-submit">
                        {words.submit()}
                    </button>
                </div>
            </form>
        </div>
    }
}

/// Moves the focus to an item's first control.
pub fn focus_item(id: &str) {
    let control = document().query_selector(&format!(
        "[data-item='{id}'] input, [data-item='{id}'] textarea, [data-item='{id}'] select"
    ));
    if let Some(control) = control
        .ok()
        .flatten()
        .and_then(|it| it.dyn_into::<HtmlElement>().ok())
    {
        // The messages are on the page whether or not the focus follows.
        let _ = control.focus();
    }
}
