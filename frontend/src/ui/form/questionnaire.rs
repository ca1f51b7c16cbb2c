//! A questionnaire: a page of items.

use std::sync::Arc;

use domain::questionnaire::{Answers, Questionnaire};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::HtmlElement;

use super::answers::{Drafts, Problem};
use super::fields::ItemField;
use super::filling::Form;
use crate::text::text;
use crate::ui::parts::Heading;

/// What came of an attempt before.
#[derive(Debug, Clone, PartialEq)]
pub struct Again {
    /// Number of this attempt, from 1.
    pub attempt: u32,
    /// How many there are.
    pub attempts: u32,
    /// The answers given.
    pub answers: Answers,
    /// The items that are wrong.
    pub wrong: Vec<String>,
}

/// A page of items.
#[component]
pub fn QuestionnaireScreen(
    /// What is asked.
    questionnaire: Questionnaire,
    /// What was filled in before the page was left, if anything was.
    drafts: Option<Drafts>,
    /// What came of the attempt before, if there was one.
    again: Option<Again>,
    /// Something was filled in.
    on_draft: Callback<Drafts>,
    /// Everything was answered that has to be.
    on_submit: Callback<Answers>,
) -> impl IntoView {
    let words = &text().questionnaire;
    let before = || Some(Drafts::of_answers(&again.as_ref()?.answers));
    let form = Form::resume(drafts.or_else(before).unwrap_or_default());
    if let Some(again) = &again {
        let wrong = again.wrong.iter().cloned();
        form.problems
            .set(wrong.map(|item| (item, Problem::NotRight)).collect());
    }
    let again = again.map(|again| {
        view! { <p class="note" role="alert">{words.again(again.attempt, again.attempts)}</p> }
    });
    Effect::new(move |_| on_draft.run(form.drafts.get()));
    let title = questionnaire.title.clone();
    let intro = questionnaire
        .intro
        .clone()
        .map(|intro| view! { <p class="lead">{intro}</p> });
    let page = Arc::new(questionnaire);
    let shown = {
        let page = Arc::clone(&page);
        Memo::new(move |_| form.drafts.with(|drafts| drafts.shown(&page)))
    };
    let items = page.items.iter().cloned().map(|item| {
        let always = item.show_if.is_none();
        let id = item.id.clone();
        let visible = Memo::new(move |_| always || shown.with(|shown| shown.contains(&id)));
        view! {
            <Show when=move || visible.get()>
                <ItemField item=item.clone() form/>
            </Show>
        }
    });
    let items = items.collect_view();
    let open = RwSignal::new(0_usize);
    let submit = move || match form.drafts.with_untracked(|drafts| drafts.answers(&page)) {
        Ok(answers) => {
            open.set(0);
            on_submit.run(answers);
        }
        Err(problems) => {
            open.set(problems.len());
            let first = problems.first().map(|(item, _)| item.clone());
            form.problems.set(problems.into_iter().collect());
            if let Some(first) = first {
                focus_item(&first);
            }
        }
    };
    let attention = move || {
        let still = form
            .problems
            .with(|problems| problems.len())
            .min(open.get());
        (still > 0).then(|| words.attention(still))
    };
    view! {
        <div class="screen reading" data-screen="questionnaire">
            <Heading words=title/>
            {intro}
            {again}
            <form
                class="questionnaire"
                novalidate=true
                on:submit=move |event| {
                    event.prevent_default();
                    submit();
                }
            >
                {items}
                <p class="attention" role="status">{attention}</p>
                <div class="actions">
                    <button type="submit" class="button primary" data-testid="questionnaire-submit">
                        {words.submit()}
                    </button>
                </div>
            </form>
        </div>
    }
}

/// Moves the focus to where an item is answered: in a matrix to the first row that is open.
pub fn focus_item(id: &str) {
    let item = format!("[data-item='{id}']");
    let first = ["input", "textarea", "select", "button"].map(|tag| format!("{item} {tag}"));
    let places = [format!("{item} .missing input"), first.join(", ")];
    let control = places
        .iter()
        .find_map(|css| document().query_selector(css).ok().flatten())
        .and_then(|it| it.dyn_into::<HtmlElement>().ok());
    if let Some(control) = control {
        // The messages are on the page whether or not the focus follows.
        let _ = control.focus();
    }
}
