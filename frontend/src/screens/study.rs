//! A study's first page. It creates nothing until Start is pressed.

mod agree;

use api::{Admission, ArrivalInfo, ConsentInfo, StudyInfo};
use domain::common::language::own_name;
use domain::session::event::Consented;
use leptos::prelude::*;

use super::between::countdown;
use crate::runtime::page;
use crate::state::Persistence;
use crate::text::text;
use crate::ui::parts::{Heading, Press};
use agree::AgreementInput;

/// Title, consent form where there is one, and the way in.
#[component]
pub fn StudyScreen(
    /// The study.
    info: StudyInfo,
    /// Whether the participant agreed to an earlier text, and the session waits.
    again: bool,
    /// What this browser keeps.
    keeping: Signal<Persistence>,
    /// Whether a session is being created.
    starting: Signal<bool>,
    /// Why that failed, in a sentence.
    error: Signal<Option<String>>,
    /// Start was pressed; with a consent form this is the agreement.
    on_start: Callback<Consented>,
    /// The participant does not agree.
    on_decline: Callback<()>,
) -> impl IntoView {
    let words = &text().study;
    let by_sight = !info.models.is_empty();
    let has_consent = info.consent.is_some();
    let door = info.arrival.door;
    let notes = notes(&info);
    let start_label = match (has_consent, again) {
        (true, true) => words.agree_again(),
        (true, false) => words.agree(),
        (false, _) => text().ways.start(),
    };
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
    let start = move || {
        if let Some(signature) = agreement.given(kind) {
            on_start.run(Consented {
                signature,
                ..consented.clone()
            });
        }
    };
    view! {
        <article class="screen reading" data-screen="study">
            // A session that has begun keeps its language.
            {(!again).then(|| language_menu(&info.language, &info.languages))}
            <Heading words=info.title/>
            {again.then(|| view! { <p class="note" role="alert">{words.changed()}</p> })}
            // Before the consent form: nobody reads it for nothing.
            {notes
                .into_iter()
                .map(|note| view! { <p class="note" data-testid="door">{note}</p> })
                .collect_view()}
            // The summary is for the list of studies: it may name what participants must not know.
            {info.consent.map(|consent| view! { <ConsentForm consent/> })}
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

/// The languages that the study comes in, where there are several. Each is a link, so that the
/// language stands in the address.
fn language_menu(shown: &str, languages: &[String]) -> Option<impl IntoView + use<>> {
    let links = languages.iter().map(|language| {
        let current = (language == shown).then_some("true");
        view! {
            <li>
                <a
                    href=page::address_in(language)
                    lang=language.clone()
                    hreflang=language.clone()
                    aria-current=current
                    data-testid=format!("language-{language}")
                >
                    {own_name(language).to_owned()}
                </a>
            </li>
        }
    });
    (languages.len() > 1).then(|| {
        view! {
            <nav class="languages" aria-label=text().study.language()>
                <ul role="list">{links.collect_view()}</ul>
            </nav>
        }
    })
}

/// What to know before anything else: why somebody with this link cannot start, if so, and that what
/// they would start is a trial.
fn notes(info: &StudyInfo) -> Vec<String> {
    let words = &text().study;
    let ArrivalInfo {
        door,
        platforms,
        trial,
        ..
    } = &info.arrival;
    let platforms = platforms.join(" / ");
    let door = match door {
        Admission::Open => None,
        Admission::Preview => Some(words.preview(platforms)),
        Admission::Closed => Some(words.from_platform(platforms)),
        Admission::NotNow => Some(text().runtime.not_open().to_owned()),
        Admission::Unchecked => Some(words.unchecked(platforms)),
        Admission::WrongLink => Some(match &info.consent {
            Some(consent) => words.wrong_link_contact(&consent.contact),
            None => words.wrong_link().to_owned(),
        }),
    };
    let trial = trial.then(|| words.trial().to_owned());
    door.into_iter().chain(trial).collect()
}

/// What to know before the start where this browser keeps less than everything.
fn keeping_note(keeping: Persistence) -> Option<&'static str> {
    let words = &text().study;
    match keeping {
        Persistence::Everything => None,
        Persistence::InTab => Some(words.keeps_in_tab()),
        Persistence::InAddress => Some(words.keeps_in_address()),
    }
}

/// What a participant must be told. Prints well.
#[component]
fn ConsentForm(consent: ConsentInfo) -> impl IntoView {
    let words = &text().study;
    let minutes = usize::try_from(consent.duration_minutes).unwrap_or(usize::MAX);
    let facts = [
        (words.protocol(), consent.protocol),
        (words.version(), consent.version),
        (words.investigator(), Some(consent.investigator)),
        (words.contact(), Some(consent.contact)),
        (words.duration(), Some(words.minutes(minutes))),
        (words.pay(), consent.pay),
    ];
    let facts = facts
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    view! {
        <section class="card consent" aria-labelledby="consent-heading">
            <div class="card-head">
                <h2 id="consent-heading">{words.consent()}</h2>
                <button type="button" class="button quiet print-button" on:click=|_| print()>
                    {words.print()}
                </button>
            </div>
            <dl class="fact-list">
                {facts
                    .map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> })
                    .collect_view()}
            </dl>
            // The server made this HTML from Markdown, and any HTML in that into text.
            <div class="prose" inner_html=consent.text_html></div>
        </section>
    }
}

fn print() {
    // Some embedded browsers cannot print; the form is still on the screen.
    let _ = window().print();
}
