//! The app: the key, the sessions, and the one that is followed.

use std::time::Duration;

use api::routes;
use frontend::runtime::decoder_loader::DecoderLoader;
use frontend::runtime::lab_client::LabClient;
use frontend::runtime::page;
use frontend::ui::parts::Remount;
use frontend::ui::presses;
use frontend::ui::typed::{hands_in, passing_id};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::context::{Current, LabContext};
use crate::controls::Controls;
use crate::key;
use crate::list::SessionList;
use crate::mirror::Mirror;

/// How often what is decoded in the background goes on.
const TICK: Duration = Duration::from_millis(100);

/// The app.
#[component]
pub fn App(
    /// Loads decoders.
    decoder_loader: DecoderLoader,
) -> impl IntoView {
    let context = LabContext::new(decoder_loader);
    presses::listen();
    spawn_local(async move {
        context.enter().await;
        context.keep_listing().await;
    });
    let ticks = move || {
        if let Some(current) = context.current() {
            current.replay.tick();
        }
    };
    // The page lives as long as its ticks.
    let _ = set_interval_with_handle(ticks, TICK);
    let problem = move || {
        let words = context.problem.get()?;
        Some(
            view! { <p class="problem lab-problem" role="alert" data-testid="problem">{words}</p> },
        )
    };
    let has_entered = move || context.client.get().is_some();
    let page = move |(_, has_entered, entering): (u64, bool, bool)| match context.current() {
        _ if entering && !has_entered => view! { <p class="muted">"Loading…"</p> }.into_any(),
        _ if !has_entered => view! { <Entrance context/> }.into_any(),
        None => view! { <SessionList context/> }.into_any(),
        Some(current) => view! { <Following context current/> }.into_any(),
    };
    let shown =
        Signal::derive(move || (context.serial.get(), has_entered(), context.entering.get()));
    let name = move || context.client.get()?.name().map(str::to_owned);
    view! {
        <header class="lab-header">
            <span class="lab-brand">"Redial"</span>
            <span class="lab-place">"Lab"</span>
            <span class="muted notranslate" translate="no" data-testid="name">{name}</span>
        </header>
        <main class="lab">
            {problem}
            <Remount of=shown children=page/>
        </main>
    }
}

#[component]
fn Entrance(context: LabContext) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let id = passing_id();
    let open = move || {
        let typed = typed.get_untracked();
        let given = typed.rsplit('#').next().unwrap_or_default().trim();
        if !given.is_empty() {
            key::keep(given);
            context.problem.set(None);
            context.client.set(Some(LabClient::with_key(given)));
        }
    };
    view! {
        <div
            class="card lab-key"
            data-screen="key"
            on:keydown=move |event| {
                if hands_in(&event) {
                    open();
                }
            }
        >
            <h1>"Lab sessions"</h1>
            <p>
                "This page is for the experimenter. "
                <a href=[page::base(), routes::RESEARCH.to_owned()].concat() data-testid="sign-in">"Sign in"</a>
                ", and come back here. In a lab without accounts, "
                <code>"redial serve"</code>
                " prints the address of this page with a key when it starts."
            </p>
            <label for=id.clone()>"Key"</label>
            <input
                id=id
                type="password"
                autocomplete="off"
                on:input=move |event| typed.set(event_target_value(&event))
            />
            <p class="actions">
                <button type="button" class="button primary" on:click=move |_| open()>"Open the lab"</button>
            </p>
        </div>
    }
}

#[component]
fn Following(context: LabContext, current: Current) -> impl IntoView {
    let name = current.session.participant_code.clone();
    let name = name.unwrap_or_else(|| format!("Session {}", current.session.ordinal));
    let mirror = StoredValue::new_local(current.clone());
    view! {
        <div class="lab-session" data-screen="session">
            <div class="lab-session-head">
                <button
                    type="button"
                    class="button quiet"
                    data-testid="back"
                    on:click=move |_| context.leave()
                >
                    "All sessions"
                </button>
                <h1>{name}</h1>
                <p class="muted">{current.title.clone()}</p>
            </div>
            <Mirror current=mirror/>
            <Controls context current=mirror/>
        </div>
    }
}
