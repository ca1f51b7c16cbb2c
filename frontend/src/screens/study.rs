//! A study's first page. It creates nothing until Start is pressed.

mod agree;

use api::{Admission, StudyInfo};
use domain::design::Levels;
use domain::questionnaire::{Answer, Answers, Questionnaire};
use domain::session::event::Consented;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;

use super::between::countdown;
use crate::runtime::{page, waiting_page};
use crate::state::Persistence;
use crate::text::{first_page, text};
use crate::ui::form::answers::Drafts;
use crate::ui::form::fields::ItemField;
use crate::ui::form::filling::Form;
use crate::ui::form::questionnaire::focus_item;
use crate::ui::parts::{Press, arrive_at};
use agree::AgreementInput;

/// Title, consent form where there is one, and the way in.
#[component]
pub fn StudyScreen(
    /// The study.
    info: StudyInfo,
    /// Whether the participant agreed to an earlier text, and the session waits.
    again: bool,
    /// The part of the session that this browser keeps.
    keeping: Signal<Persistence>,
    /// Whether a session is being created.
    starting: Signal<bool>,
    /// Why that failed, in a sentence.
    error: Signal<Option<String>>,
    /// Start was pressed: with a consent form the agreement, and what was answered before the start.
    on_start: Callback<(Consented, Levels)>,
    /// The participant does not agree.
    on_decline: Callback<()>,
) -> impl IntoView {
    let words = &text().study;
    let by_sight = !info.models.is_empty();
    let has_consent = info.consent.is_some();
    let door = info.arrival.door;
    let start_label = first_page::start_label(&info, again, text());
    let consented = info.consent.as_ref().map(|consent| Consented {
        version: consent.version.clone(),
        text_sha256: Some(consent.text_sha256.clone()),
        language: Some(info.language.clone()),
        signature: None,
    });
    let consented = consented.unwrap_or_default();
    let kind = info.consent.as_ref().map(|consent| consent.agree);
    let kind = kind.unwrap_or_default();
    let agreement = AgreementInput::default();
    let at_least_s = info.consent.as_ref().map(|consent| consent.at_least_s);
    let left_s = countdown(at_least_s.unwrap_or_default());
    let too_early = Memo::new(move |_| left_s.get() > 0.0);
    let wait = move || too_early.get().then(|| text().ways.wait(left_s.get()));
    // A session that waits has its cell.
    let asked = if again || door != Admission::Open {
        Vec::new()
    } else {
        info.questions_before.clone()
    };
    let questions = Questionnaire::page("", "", asked);
    let form = Form::resume(Drafts::default());
    let items = questions.items.iter().cloned();
    let items = items
        .map(|item| view! { <ItemField item form/> })
        .collect_view();
    let start = move || {
        let answers = form
            .drafts
            .with_untracked(|drafts| drafts.answers(&questions));
        let signature = agreement.given(kind);
        match (answers, signature) {
            (Ok(answers), Some(signature)) => on_start.run((
                Consented {
                    signature,
                    ..consented.clone()
                },
                levels(answers),
            )),
            (Err(problems), _) => {
                let first = problems.first().map(|(item, _)| item.clone());
                form.problems.set(problems.into_iter().collect());
                if let Some(first) = first {
                    focus_item(&first);
                }
            }
            (Ok(_), None) => {}
        }
    };
    view! {
        <article class="screen reading" data-screen="study">
            <Reading info again/>
            {items}
            {(door == Admission::Open).then(|| agree::field(kind, agreement))}
            {by_sight.then(|| view! { <p class="muted small">{words.by_sight()}</p> })}
            {move || keeping_note(keeping.get()).map(|note| view! {
                <p class="note" data-testid="keeping">{note}</p>
            })}
            <div class="actions">
                <button
                    type="button"
                    class="button primary"
                    data-testid="start"
                    disabled=move || door != Admission::Open || starting.get() || too_early.get()
                    on:click=move |_| start()
                >
                    {move || if starting.get() { words.starting() } else { start_label }}
                </button>
                {has_consent.then(|| view! {
                    <Press testid="decline" class="button"
                        disabled=Signal::derive(move || starting.get()) on_press=on_decline>
                        {words.decline()}
                    </Press>
                })}
                <span class="muted tabular" role="timer" aria-live="off">{wait}</span>
            </div>
            <div role="alert">
                {move || error.get().map(|error| view! { <p class="problem">{error}</p> })}
            </div>
            {(!again).then(|| view! { <p class="muted small">{words.nothing_yet()}</p> })}
        </article>
    }
}

/// The level of each factor that was asked about.
fn levels(answers: Answers) -> Levels {
    let chosen = answers.into_iter();
    chosen
        .filter_map(|(factor, answer)| match answer {
            Answer::Text(level) => Some((factor, level)),
            _ => None,
        })
        .collect()
}

/// The text that is read. It stands on the page before the app is there: then the app takes it as it is, and a
/// reader notices nothing.
#[component]
fn Reading(info: StudyInfo, again: bool) -> impl IntoView {
    let waiting = waiting_page::reading().filter(|_| !again);
    let html = match &waiting {
        Some(_) => String::new(),
        None => first_page::reading(&info, again, text(), &page::query()),
    };
    let place = NodeRef::<leptos::html::Div>::new();
    place.on_load(move |place| {
        match &waiting {
            Some(waiting) => waiting_page::hand_over(waiting, &place),
            None => waiting_page::leave(),
        }
        if waiting.is_none()
            && let Ok(Some(heading)) = place.query_selector("h1")
        {
            arrive_at(&heading.unchecked_into());
        }
    });
    view! { <div class="as-one" node_ref=place inner_html=html></div> }
}

/// The note before the start where this browser keeps less than everything.
fn keeping_note(keeping: Persistence) -> Option<&'static str> {
    let words = &text().study;
    match keeping {
        Persistence::Everything => None,
        Persistence::InTab => Some(words.keeps_in_tab()),
        Persistence::InAddress => Some(words.keeps_in_address()),
    }
}
