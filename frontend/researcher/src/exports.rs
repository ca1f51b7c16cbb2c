//! Exports of a study: made by the server, kept for a day.

use api::research::{Done, EXPORT_HOURS, ExportInfo, ExportState, Exports, NewExport, Right};
use api::routes;
use frontend::runtime::{page, research_client};
use frontend::ui::parts::{Heading, Press};
use leptos::prelude::*;

use crate::again::load_again;
use crate::area::Area;
use crate::links::Link;
use crate::route::Route;
use crate::text::text;
use crate::words::{bytes, date_and_time, sentence};

mod choices;
mod day;
mod form;

use choices::in_words;
use form::Form;

/// How often those that are under way are looked at.
const LOOK_EVERY_MS: u32 = 1_000;

/// The page of a study's exports.
#[component]
pub fn ExportsPage(area: Area, study: String) -> impl IntoView {
    let name = StoredValue::new(study.clone());
    let exports = RwSignal::new(Vec::<ExportInfo>::new());
    let load = move || async move {
        // It is also asked for once something was changed; the page may have been left since.
        let Some(study) = name.try_get_value() else {
            return Ok(());
        };
        let path = routes::research_exports(&study);
        let found: Exports = research_client::get(&path).await?;
        exports.set(found.exports);
        Ok(())
    };
    area.load(move || area.attempt(load()));
    let under_way =
        |info: &ExportInfo| matches!(info.state, ExportState::Waiting | ExportState::Running);
    let waits = move || exports.with_untracked(|all| all.iter().any(under_way));
    load_again(LOOK_EVERY_MS, waits, load);
    let ask = Callback::new(move |request: NewExport| {
        area.attempt(async move {
            let Some(study) = name.try_get_value() else {
                return Ok(());
            };
            let path = routes::research_exports(&study);
            let key = area.change_key();
            let _: ExportInfo = research_client::post(&path, &request, key.as_deref()).await?;
            load().await
        });
    });
    let may_identify = area.may(Right::Identify, &study);
    let may_manage = area.may(Right::Manage, &study);
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
            return view! { <p class="muted">{text().exports.none()}</p> }.into_any();
        }
        let items = all.into_iter().map(|info| view! { <Item info remove/> });
        view! { <ul class="area-list">{items.collect_view()}</ul> }.into_any()
    };
    view! {
        <div data-screen="exports" class="area-page">
            <p class="small"><Link area to=Route::Study(study.clone())>{study.clone()}</Link></p>
            <Heading words=text().exports.heading()/>
            <section class="card">
                <h2>{text().exports.new()}</h2>
                <Form area may_identify may_manage ask/>
                <p class="muted small">{text().exports.what(EXPORT_HOURS)}</p>
            </section>
            <section class="card">
                <h2>{text().exports.kept()}</h2>
                {list}
            </section>
        </div>
    }
}

#[component]
fn Item(info: ExportInfo, remove: Callback<String>) -> impl IntoView {
    let id = info.id.clone();
    let words = &text().exports;
    let state = match info.state {
        ExportState::Waiting => words.waits().to_owned(),
        ExportState::Running => words.written(info.sessions_done, info.sessions_listed),
        ExportState::Ready => words.ready().to_owned(),
        ExportState::Failed => sentence(info.problem.as_deref().unwrap_or(words.failed())),
    };
    let asked = words.asked(
        info.by.as_deref().unwrap_or(words.somebody()),
        in_words(&info.request),
        date_and_time(info.asked_at_unix_ms),
    );
    let ready = info.ready.map(|ready| {
        let address = page::address(&routes::research_export_file(&info.study, &info.id));
        let problems = ready.problems.iter();
        let problems: Vec<_> = problems.map(|it| view! { <li>{it.clone()}</li> }).collect();
        view! {
            <p>
                <a class="button primary" href=address download=ready.file.clone() data-testid="fetch">{words.download(bytes(ready.bytes))}</a>
            </p>
            <p class="small">
                {words.about(ready.sessions, ready.included_sessions, date_and_time(ready.kept_until_unix_ms))}
                {text().exports.sha256()}
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
                    {if matches!(shown, ExportState::Waiting | ExportState::Running) { words.stop() } else { words.remove() }}
                </Press>
            </p>
        </li>
    }
}
