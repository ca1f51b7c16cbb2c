//! Stopping before the end, or taking back what was given.

use domain::recruitment::platform::WayBack;
use leptos::html;
use leptos::prelude::*;

use super::go_back::GoBack;
use crate::state::CodeState;
use crate::text::text;
use crate::ui::parts::{Heading, Press};
use crate::ui::presses;

/// The consequences of stopping for what the participant gave, and for their reward; or they go on.
#[component]
pub fn WithdrawScreen(
    /// Whether everything has been answered, so that there is nothing to stop.
    at_end: bool,
    /// Whom they can ask about their reward.
    contact: Option<String>,
    /// Whether the last attempt to erase everything failed.
    failed: Signal<bool>,
    /// They go on after all.
    on_go_on: Callback<()>,
    /// They stop; whether everything is to be erased.
    on_stop: Callback<bool>,
) -> impl IntoView {
    let words = &text().withdraw;
    let reward = match (at_end, &contact) {
        (true, _) => words.reward_stays().to_owned(),
        (false, Some(contact)) => words.reward_ask(contact),
        (false, None) => words.reward().to_owned(),
    };
    let stop = (!at_end).then(|| {
        view! {
            <div class="way-out">
                <Press testid="stop-and-keep" class="button"
                    on_press=Callback::new(move |()| on_stop.run(false))>
                    {words.stop()}
                </Press>
                <p class="muted small">{words.stop_note()}</p>
            </div>
        }
    });
    let sure = RwSignal::new(false);
    // A participant who pressed a button that goes away is not left without a place on the page.
    let place = NodeRef::<html::Div>::new();
    let ask = Callback::new(move |wanted| {
        sure.set(wanted);
        if let Some(place) = place.get_untracked() {
            let _ = place.focus();
        }
    });
    let erase = move || {
        // The button that confirms stands where the button that asks for it was.
        presses::new_page();
        if sure.get() {
            view! {
                <p role="alert">{words.sure()}</p>
                <div class="actions">
                    <Press testid="stop-and-erase" class="button danger"
                        on_press=Callback::new(move |()| on_stop.run(true))>
                        {words.sure_yes()}
                    </Press>
                    <Press testid="keep-it" class="button"
                        on_press=Callback::new(move |()| ask.run(false))>
                        {words.sure_no()}
                    </Press>
                </div>
            }
            .into_any()
        } else {
            view! {
                <Press testid="ask-to-erase" class="button"
                    on_press=Callback::new(move |()| ask.run(true))>
                    {if at_end { words.erase_after_end() } else { words.erase() }}
                </Press>
                <p class="muted small">{words.erase_note()}</p>
            }
            .into_any()
        }
    };
    view! {
        <div class="screen notice" data-screen="withdraw">
            <div class="card">
                <Heading words=words.heading()/>
                <p>{words.body()}</p>
                <p data-testid="reward">{reward}</p>
                <p class="actions">
                    <Press testid="go-on" on_press=on_go_on>{words.go_on()}</Press>
                </p>
                {stop}
                <div class="way-out" tabindex="-1" node_ref=place>{erase}</div>
                <div role="alert">
                    {move || failed.get().then(|| view! { <p class="problem">{words.failed()}</p> })}
                </div>
            </div>
        </div>
    }
}

/// After stopping.
#[component]
pub fn WithdrawnScreen(
    /// Whether the participant wanted everything erased.
    erase: bool,
    /// Whether something of it still waits for the network.
    waits: Signal<bool>,
    /// The completion code, where everything had been answered before it was erased.
    code: Signal<CodeState>,
    /// How the participant goes back to their platform, if they can.
    way_back: Signal<Option<WayBack>>,
    /// Back to the study's first page, for whoever comes next: in a lab. At home people take part once.
    on_next_person: Option<Callback<()>>,
) -> impl IntoView {
    let words = &text().withdraw;
    let said = move || match (erase, waits.get()) {
        (false, _) => words.kept(),
        (true, true) => words.erasing(),
        (true, false) => words.erased(),
    };
    view! {
        <div class="screen notice" data-screen="withdrawn">
            <div class="card">
                <Heading words=words.done_heading()/>
                <p role="status" data-testid="withdrawn">{said}</p>
                {move || match code.get() {
                    CodeState::Ready(code) => Some(view! {
                        <p>{words.code()} " " <code class="notranslate" translate="no" data-testid="completion-code">{code}</code></p>
                    }),
                    _ => None,
                }}
                {move || match way_back.get() {
                    Some(way_back) => view! { <GoBack way_back/> }.into_any(),
                    None if waits.get() => ().into_any(),
                    None => view! {
                        <p>{words.close()}</p>
                        {on_next_person.map(|on_press| view! {
                            <p>
                                <Press testid="first-page" class="button quiet flush" on_press>
                                    {words.first_page()}
                                </Press>
                            </p>
                        })}
                    }.into_any(),
                }}
            </div>
        </div>
    }
}
