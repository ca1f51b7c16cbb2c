//! Exports of a study: made by the server, kept for a day.

use api::research::{
    Done, EXPORT_HOURS, ExportInfo, ExportOf, ExportState, Exports, NewExport, Right,
};
use api::routes;
use frontend::runtime::{page, research_client};
use frontend::ui::parts::{Heading, Press};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::area::Area;
use crate::links::Link;
use crate::route::Route;
use crate::tokens::Tick;
use crate::words::{bytes, counted, date_and_time, sentence};

/// How often those that are under way are looked at.
const LOOK_EVERY_MS: u32 = 1_000;

/// The page of a study's exports.
#[component]
pub fn ExportsPage(area: Area, study: String) -> impl IntoView {
    let name = StoredValue::new(study.clone());
    let exports = RwSignal::new(Vec::<ExportInfo>::new());
    let load = move || async move {
        let path = routes::research_exports(&name.get_value());
        let found: Exports = research_client::get(&path).await?;
        exports.set(found.exports);
        Ok(())
    };
    area.load(move || area.attempt(load()));
    let is_open = StoredValue::new(true);
    on_cleanup(move || is_open.set_value(false));
    spawn_local(async move {
        loop {
            TimeoutFuture::new(LOOK_EVERY_MS).await;
            if is_open.try_get_value() != Some(true) {
                return;
            }
            let under_way = |info: &ExportInfo| {
                matches!(info.state, ExportState::Waiting | ExportState::Running)
            };
            // What fails is asked for again, with the next look.
            if exports.with_untracked(|all| all.iter().any(under_way)) {
                let _ = load().await;
            }
        }
    });
    let of = RwSignal::new(ExportOf::People);
    let options = RwSignal::new(Vec::<Choice>::new());
    let make = Callback::new(move |()| {
        let chosen = |choice| options.with_untracked(|it| it.contains(&choice));
        let request = NewExport {
            of: of.get_untracked(),
            identifying: chosen(Choice::Identifying),
            spreadsheet_safe: chosen(Choice::SpreadsheetSafe),
            ..NewExport::default()
        };
        area.attempt(async move {
            let path = routes::research_exports(&name.get_value());
            let key = area.change_key();
            let _: ExportInfo = research_client::post(&path, &request, key.as_deref()).await?;
            load().await
        });
    });
    let identify = area.may(Right::Identify, &study).then(|| {
        let words = "With what can say who somebody is: codes, signatures, typed words, sound. It is noted.";
        view! { <Tick words=words.to_owned() value=Choice::Identifying chosen=options/> }
    });
    let list = move || {
        let remove = Callback::new(move |id: String| {
            area.attempt(async move {
                let path = routes::research_export(&name.get_value(), &id);
                let key = area.change_key();
                let _: Done = research_client::delete(&path, key.as_deref()).await?;
                load().await
            });
        });
        let all = exports.get();
        if all.is_empty() {
            return view! { <p class="muted">"There are none at the moment."</p> }.into_any();
        }
        let items = all.into_iter().map(|info| view! { <Item info remove/> });
        view! { <ul class="area-list">{items.collect_view()}</ul> }.into_any()
    };
    view! {
        <div data-screen="exports" class="area-page">
            <p class="small"><Link area to=Route::Study(study.clone())>{study.clone()}</Link></p>
            <Heading words="Exports"/>
            <section class="card">
                <h2>"A new export"</h2>
                <label class="area-field">
                    "Of"
                    <select
                        data-testid="of"
                        on:change=move |event| {
                            let chosen = event_target_value(&event);
                            of.set(ExportOf::of_name(&chosen).unwrap_or_default());
                        }
                    >
                        <option value="people">"people, pilots among them"</option>
                        <option value="pilots">"pilots alone"</option>
                        <option value="simulated">"simulated people"</option>
                    </select>
                </label>
                <div>
                    <Tick words="Text in CSV files is changed so that no spreadsheet takes it for a formula".to_owned() value=Choice::SpreadsheetSafe chosen=options/>
                    {identify}
                </div>
                <p class="actions"><Press testid="make-export" on_press=make>"Make an export"</Press></p>
                <p class="muted small">{format!("It is what redial export writes, as one ZIP archive, kept for {EXPORT_HOURS} hours.")}</p>
            </section>
            <section class="card">
                <h2>"Kept and under way"</h2>
                {list}
            </section>
        </div>
    }
}

/// An option that can be ticked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Identifying,
    SpreadsheetSafe,
}

#[component]
fn Item(info: ExportInfo, remove: Callback<String>) -> impl IntoView {
    let id = info.id.clone();
    let state = match info.state {
        ExportState::Waiting => "waits for its turn".to_owned(),
        ExportState::Running => format!(
            "{} of {} sessions written",
            info.sessions_done, info.sessions_listed
        ),
        ExportState::Ready => "ready".to_owned(),
        ExportState::Failed => sentence(info.problem.as_deref().unwrap_or("it failed")),
    };
    let asked = format!(
        "{}, of {}{}, asked for on {}",
        info.by.as_deref().unwrap_or("somebody"),
        info.request.of.name(),
        if info.request.identifying {
            ", with what is identifying"
        } else {
            ""
        },
        date_and_time(info.asked_at_unix_ms)
    );
    let ready = info.ready.map(|ready| {
        let address = page::address(&routes::research_export_file(&info.study, &info.id));
        let problems = ready.problems.iter();
        let problems: Vec<_> = problems.map(|it| view! { <li>{it.clone()}</li> }).collect();
        view! {
            <p>
                <a class="button primary" href=address download=ready.file.clone() data-testid="fetch">{format!("Download ({})", bytes(ready.bytes))}</a>
            </p>
            <p class="small">
                {format!("{}, {} of them count. Kept until {}.", counted(ready.sessions, "session"), ready.included_sessions, date_and_time(ready.kept_until_unix_ms))}
                " SHA-256: "
                <code class="area-token" data-testid="sha256">{ready.sha256}</code>
            </p>
            {(!problems.is_empty()).then(|| view! { <ul class="problem">{problems}</ul> })}
        }
    });
    let shown = info.state;
    view! {
        <li class="area-item" data-state=shown.name()>
            <p><strong>{state}</strong>" "<span class="muted small">{asked}</span></p>
            {ready}
            <p class="actions">
                <Press testid="remove-export" class="button quiet" on_press=Callback::new(move |()| remove.run(id.clone()))>
                    {if matches!(shown, ExportState::Waiting | ExportState::Running) { "Stop it" } else { "Remove it" }}
                </Press>
            </p>
        </li>
    }
}
