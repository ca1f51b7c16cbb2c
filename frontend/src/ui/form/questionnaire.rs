//! A questionnaire: a page of items.

use std::sync::Arc;

use domain::questionnaire::{Answers, AtTimeLimit, PageTimeLimit, Questionnaire};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::HtmlElement;

use super::answers::{AnswerProblem, Drafts};
use super::fields::ItemField;
use super::filling::Form;
use crate::text::text;
use crate::ui::parts::{Heading, Press};
use crate::ui::typed::hands_in;

/// The result of an attempt before.
#[derive(Debug, Clone, PartialEq)]
pub struct LastAttempt {
    /// Number of this attempt, from 1.
    pub attempt: u32,
    /// How many there are.
    pub attempts: u32,
    /// The items that are wrong.
    pub wrong: Vec<String>,
}

/// The time that the page may take.
#[derive(Clone, Copy)]
pub struct PageTime {
    /// Seconds that are left.
    pub left_s: Signal<f64>,
    /// The rule.
    pub limit: PageTimeLimit,
    /// More time is asked for.
    pub on_more: Callback<()>,
    /// The time is over: with the answers so far.
    pub on_over: Callback<Answers>,
}

/// A page of items.
#[component]
pub fn QuestionnaireScreen(
    /// The questionnaire.
    questionnaire: Questionnaire,
    /// The drafts or answers from before, if there are any.
    drafts: Drafts,
    /// The result of the attempt before, if there was one.
    again: Option<LastAttempt>,
    /// Something was filled in.
    on_draft: Callback<Drafts>,
    /// Everything was answered that has to be.
    on_submit: Callback<Answers>,
    /// Goes back to the page before; absent where there is no way back.
    on_back: Option<Callback<()>>,
    /// The time that it may take; absent: as much as it takes.
    time: Option<PageTime>,
) -> impl IntoView {
    let words = &text().questionnaire;
    let form = Form::resume(drafts);
    if let Some(again) = &again {
        let wrong = again.wrong.iter().cloned();
        form.problems
            .set(wrong.map(|item| (item, AnswerProblem::NotRight)).collect());
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
    let timer = time.map(|time| time_notice(time, form, Arc::clone(&page)));
    let back = on_back.map(|on_back| {
        view! {
            <Press testid="questionnaire-back" class="button" on_press=on_back>{text().ways.back()}</Press>
        }
    });
    let open = RwSignal::new(0_usize);
    let submit =
        Callback::new(
            move |()| match form.drafts.with_untracked(|drafts| drafts.answers(&page)) {
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
            },
        );
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
            <div
                class="questionnaire"
                on:keydown=move |event| {
                    if hands_in(&event) {
                        submit.run(());
                    }
                }
            >
                {items}
                <p class="attention" role="status">{attention}</p>
                {timer}
                <div class="actions">
                    <Press testid="questionnaire-submit" on_press=submit>{text().ways.go_on()}</Press>
                    {back}
                </div>
            </div>
        </div>
    }
}

/// The warning before the time is over, and what comes then.
fn time_notice(time: PageTime, form: Form, page: Arc<Questionnaire>) -> impl IntoView {
    let words = &text().questionnaire;
    let PageTime {
        left_s,
        limit,
        on_more,
        on_over,
    } = time;
    let goes_on = limit.then == AtTimeLimit::GoOn;
    let over = Memo::new(move |_| left_s.get() <= 0.0);
    let near = Memo::new(move |_| left_s.get() <= limit.warn_s);
    Effect::new(move |_| {
        if over.get() && goes_on {
            on_over.run(form.drafts.with_untracked(|drafts| drafts.so_far(&page)));
        }
    });
    let warning = move || match (over.get(), goes_on) {
        (true, _) => words.time_over(),
        (false, true) => words.time_goes_on(),
        (false, false) => words.time_ends(),
    };
    let left = move || words.time_left(left_s.get().max(0.0).ceil() as usize);
    let more = move || {
        limit.more_time.then(|| {
            view! {
                <Press testid="more-time" class="button" on_press=on_more>{words.more_time()}</Press>
            }
        })
    };
    view! {
        <Show when=move || near.get()>
            <div class="card time-notice" data-testid="time-notice">
                <p role="alert">{warning}</p>
                <p class="muted tabular" role="timer" aria-live="off">{left}</p>
                {more}
            </div>
        </Show>
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
