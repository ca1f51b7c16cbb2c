//! The list of studies and sessions, and the link for a new participant.

use api::lab::LabStudy;
use api::replay::SessionLine;
use domain::recruitment::platform::{NameFault, ParticipantName};
use frontend::runtime::page;
use frontend::ui::typed::passing_id;
use leptos::prelude::*;

use crate::context::LabContext;

/// The studies that are run in a lab.
#[component]
pub fn SessionList(context: LabContext) -> impl IntoView {
    let studies = move || match context.studies.get() {
        None => view! { <p class="muted">"Loading…"</p> }.into_any(),
        Some(found) if found.studies.is_empty() => view! {
            <p>
                "No study on this server is run in a lab. Set "
                <code>"\"mode\": \"lab\""</code>
                " in a study file."
            </p>
        }
        .into_any(),
        Some(found) => {
            let studies = found.studies.into_iter();
            studies
                .map(|study| view! { <Study context study/> })
                .collect_view()
                .into_any()
        }
    };
    view! {
        <div class="lab-list" data-screen="sessions">
            <h1>"Lab sessions"</h1>
            {studies}
        </div>
    }
}

#[component]
fn Study(context: LabContext, study: LabStudy) -> impl IntoView {
    let id = study.id.clone();
    let sessions = if study.sessions.is_empty() {
        view! { <p class="muted">"Nobody has started yet."</p> }.into_any()
    } else {
        let rows = study.sessions.into_iter();
        let rows = rows.map(|line| view! { <Row context study=id.clone() line/> });
        view! { <ul class="lab-sessions">{rows.collect_view()}</ul> }.into_any()
    };
    view! {
        <section class="card" data-study=study.id>
            <h2>{study.title}</h2>
            <NewParticipant context study=id/>
            {sessions}
        </section>
    }
}

#[component]
fn Row(context: LabContext, study: String, line: SessionLine) -> impl IntoView {
    let session = line.clone();
    let name = session.participant_code.clone();
    let name = name.unwrap_or_else(|| format!("Session {}", session.ordinal));
    let signed_in = context.client.get_untracked();
    let signed_in = signed_in.is_some_and(|client| client.name().is_some());
    let run_by = signed_in.then(|| {
        let by = session.experimenter.clone();
        by.map_or_else(
            || ", run by nobody yet".to_owned(),
            |by| format!(", run by {by}"),
        )
    });
    let began = js_sys::Date::new(&began_ms(&session).into());
    let began = String::from(began.to_locale_string("en-GB", &wasm_bindgen::JsValue::UNDEFINED));
    view! {
        <li>
            <button
                type="button"
                class="lab-row"
                data-testid="follow"
                data-session=session.session.to_string()
                on:click=move |_| context.follow(study.clone(), line.clone())
            >
                <strong>{name}</strong>
                <span class="muted">{began}{run_by}</span>
                <span class="lab-state" class:over=session.ended>
                    {if session.ended { "Ended" } else { "Under way" }}
                    <span class="lab-go" aria-hidden="true">"›"</span>
                </span>
            </button>
        </li>
    }
}

fn began_ms(session: &SessionLine) -> f64 {
    session.created_at_unix_ms as f64
}

/// Makes the link with which a participant starts, or goes on.
#[component]
fn NewParticipant(context: LabContext, study: String) -> impl IntoView {
    let code = RwSignal::new(String::new());
    let study = StoredValue::new(study);
    // As the server will read it.
    let name = Memo::new(move |_| ParticipantName::parse(&code.get()));
    let link = Signal::derive(move || {
        let name = name.get().ok()?;
        let origin = page::window()?.location().origin().ok()?;
        let base = page::base();
        let encoded = String::from(js_sys::encode_uri_component(name.as_str()));
        Some(
            study.with_value(|study| format!("{origin}{base}/study/{study}?participant={encoded}")),
        )
    });
    let fault = move || {
        let why = name.get().err().filter(|why| *why != NameFault::Empty)?;
        Some(view! {
            <p class="problem" role="alert" data-testid="code-fault">
                {format!("This cannot be a participant's code: {why}.")}
            </p>
        })
    };
    // A participant who starts with this link is followed from then on.
    let wait = move || {
        let name = name.get_untracked().ok();
        context.awaited.set(name.map(String::from));
    };
    let shown = move || {
        let link = link.get()?;
        let copied = link.clone();
        let copy = move |_| {
            if let Some(window) = page::window() {
                // Where that is not allowed, the link can be selected.
                let _ = window.navigator().clipboard().write_text(&copied);
            }
            wait();
        };
        Some(view! {
            <div class="lab-link">
                <code class="notranslate" translate="no" data-testid="link">{link.clone()}</code>
                <div class="lab-link-ways">
                    <a
                        class="button primary"
                        href=link
                        target="_blank"
                        rel="noopener"
                        data-testid="open-here"
                        on:click=move |_| wait()
                    >
                        "Open here"
                    </a>
                    <button type="button" class="button quiet" on:click=copy>
                        "Copy the link"
                    </button>
                </div>
            </div>
        })
    };
    view! {
        <div class="lab-new">
            <label>
                "Code of the participant"
                <input
                    type="text"
                    autocomplete="off"
                    id=passing_id()
                    maxlength="100"
                    placeholder="P01"
                    data-testid=study.with_value(|study| format!("code-{study}"))
                    on:input=move |event| code.set(event_target_value(&event))
                />
            </label>
            {fault}
            {shown}
        </div>
    }
}
