//! The frame around every screen: brand, title, how far it is, and whether everything is saved.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{EventTarget, HtmlElement, Node};

use super::progress::{HeaderPlace, ProgressBar};
use crate::state::{Persistence, SaveState, Whereabouts};
use crate::text::first_page::{BRAND_MARK, is_address};
use crate::text::text;

/// Header and main landmark of the page.
#[component]
pub fn Shell(
    /// Whether everything is saved; absent outside a session.
    save: Signal<Option<SaveState>>,
    /// The part of the session that this browser keeps.
    keeping: Signal<Persistence>,
    /// Title of the study, or empty.
    title: Signal<String>,
    /// Where the participant can turn to.
    contact: Signal<Option<String>>,
    /// Whether the participant can stop taking part now.
    can_stop: Signal<bool>,
    /// The participant may want to stop.
    on_stop: Callback<()>,
    /// Share of the session that is done; absent outside a session.
    progress: Signal<Option<f64>>,
    /// Which question is on screen, and how long the study still takes.
    whereabouts: Signal<Whereabouts>,
    /// Minutes that are left to the participant at their platform, once that is to be said.
    time_left: Signal<Option<u64>>,
    /// The sign of a recording, where there may be one.
    sound: AnyView,
    /// The screen.
    children: Children,
) -> impl IntoView {
    let words = &text().shell;
    Effect::new(move |_| {
        let title = title.get();
        document().set_title(&if title.is_empty() {
            words.product().to_owned()
        } else {
            words.document_title(title)
        });
    });
    view! {
        <header class="site-header">
            <div class="brand">
                <BrandMark/>
                <span class="brand-name">{words.product()}</span>
            </div>
            <p class="site-title">
                {move || Some(title.get()).filter(|it| !it.is_empty()).map(|it| view! { <span>{it}</span> })}
            </p>
            <HeaderPlace whereabouts/>
            {move || {
                let (contact, can_stop) = (contact.get(), can_stop.get());
                (contact.is_some() || can_stop).then(|| view! { <Help contact can_stop on_stop/> })
            }}
            {sound}
            <div class="save-slot">
                {move || save.get().map(|state| {
                    let (name, label) = described(state, keeping.get());
                    view! {
                        <span class="save-state" data-testid="save-state" data-state=name>
                            <span class="save-words">{label}</span>
                        </span>
                    }
                })}
            </div>
            <Trouble save keeping/>
            <ProgressBar share=progress/>
        </header>
        <div class="time-notice" role="status" data-testid="time-notice">
            {move || time_left.get().map(|minutes| {
                let left = usize::try_from(minutes).unwrap_or(usize::MAX);
                let said = if left == 0 { words.time_over().to_owned() } else { words.time_left(left) };
                view! { <p>{said}</p> }
            })}
        </div>
        <main>{children()}</main>
    }
}

/// Where to turn to, and the way out: one button on every screen, whatever else is there.
#[component]
fn Help(contact: Option<String>, can_stop: bool, on_stop: Callback<()>) -> impl IntoView {
    let words = &text().shell;
    let contact = contact.map(|contact| {
        let contact = if is_address(&contact) {
            view! { <a class="notranslate" translate="no" href=format!("mailto:{contact}")>{contact.clone()}</a> }.into_any()
        } else {
            view! { <strong>{contact}</strong> }.into_any()
        };
        view! {
            <p>{words.help_text()}</p>
            <p>{contact}</p>
        }
    });
    let panel = NodeRef::<leptos::html::Details>::new();
    let close = move || {
        if let Some(panel) = panel.get_untracked() {
            let _ = panel.remove_attribute("open"); // it is there
        }
    };
    // A participant who does something elsewhere, or moves on (then a heading takes the focus), is done with it.
    let elsewhere = move |target: Option<EventTarget>| {
        let node = target.and_then(|it| it.dyn_into::<Node>().ok());
        let inside = panel.with_untracked(|panel| {
            panel
                .as_ref()
                .is_some_and(|panel| panel.contains(node.as_ref()))
        });
        if !inside {
            close();
        }
    };
    let escape = move |event: ev::KeyboardEvent| {
        let open = panel.get_untracked().filter(|panel| panel.open());
        if let Some(panel) = open.filter(|_| event.key() == "Escape") {
            close();
            let summary = panel.first_element_child();
            if let Some(summary) = summary.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
                let _ = summary.focus(); // without it the panel is closed all the same
            }
        }
    };
    let heard = [
        window_event_listener(ev::pointerdown, move |event| elsewhere(event.target())),
        window_event_listener(ev::focusin, move |event| elsewhere(event.target())),
        window_event_listener(ev::keydown, escape),
    ];
    on_cleanup(move || heard.into_iter().for_each(|it| it.remove()));
    let stop = can_stop.then(|| {
        let stop = move |_| {
            close();
            on_stop.run(());
        };
        view! {
            <button type="button" class="button quiet" data-testid="stop" on:click=stop>
                {words.stop()}
            </button>
        }
    });
    view! {
        <details class="help" node_ref=panel>
            <summary>{words.help()}</summary>
            <div class="help-panel">
                {contact}
                {stop}
            </div>
        </details>
    }
}

/// Says aloud when the work cannot be saved, and when it can again; nothing else.
#[component]
fn Trouble(save: Signal<Option<SaveState>>, keeping: Signal<Persistence>) -> impl IntoView {
    let said = Memo::new(move |before: Option<&(bool, &'static str)>| {
        let (was_trouble, said) = before.copied().unwrap_or_default();
        match save.get() {
            Some(state @ (SaveState::Offline | SaveState::Stalled)) => {
                (true, described(state, keeping.get()).1)
            }
            Some(SaveState::Saved) if was_trouble => (false, text().shell.saved_again()),
            None => (false, ""),
            Some(_) => (was_trouble, said),
        }
    });
    view! {
        <p class="visually-hidden" role="status" data-testid="save-said">{move || said.get().1}</p>
    }
}

/// The state's name in the page, and its words: what has been under way for a moment is nobody's concern.
fn described(state: SaveState, keeping: Persistence) -> (&'static str, &'static str) {
    let words = &text().shell;
    match (state, keeping) {
        (SaveState::Saved, _) => ("saved", words.saved()),
        (SaveState::Saving, _) => ("saving", words.saved()),
        (SaveState::Delayed, _) => ("delayed", words.saving()),
        (SaveState::Stalled, Persistence::Everything) => ("stalled", words.stalled()),
        (SaveState::Stalled, _) => ("stalled", words.stalled_keep_open()),
        (SaveState::Offline, Persistence::Everything) => ("offline", words.offline()),
        // Events that are not sent yet are in this page and nowhere else.
        (SaveState::Offline, _) => ("offline", words.offline_keep_open()),
    }
}

/// A dial, as in the icon.
#[component]
fn BrandMark() -> impl IntoView {
    view! {
        <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true" inner_html=BRAND_MARK></svg>
    }
}
