//! A study: how it stands, and what can be done with it.

use api::research::{ResultOf, Right, StudyState, StudySummary};
use api::routes;
use domain::recruitment::StudyStatus;
use frontend::runtime::research_client;
use frontend::ui::parts::Heading;
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::live::Live;
use crate::route::{OnQuestion, Route};
use crate::studies::StateOf;
use crate::text::text;

mod admissions;
mod cells;
mod now;
mod pausing;
mod status;

use admissions::Admissions;
use cells::Cells;
use now::LiveOfStudy;
use pausing::{Paused, Pausing, PausingNote};
use status::{Before, StatusChange};

/// The page of a study.
#[component]
pub fn StudyPage(area: Area, live: Live, study: String) -> impl IntoView {
    let name = StoredValue::new(study.clone());
    let summary = RwSignal::new(None::<StudySummary>);
    let load = move || {
        area.attempt(async move {
            let path = routes::research_study(&name.get_value());
            summary.set(Some(research_client::get(&path).await?));
            Ok(())
        });
    };
    area.load(load);
    let title = Signal::derive(move || {
        let title = summary.with(|it| it.as_ref().and_then(|it| it.title.clone()));
        title.unwrap_or_else(|| name.get_value())
    });
    // Decisions of others come by the stream. A summary that is still missing is asked for again then.
    let stands = Memo::new(move |_| name.with_value(|name| live.stands(name)));
    Effect::new(move |_| {
        live.heard_ms();
        if area.reached() && summary.with_untracked(Option::is_none) {
            load();
        }
    });
    let on_changed = Callback::new(move |words: String| {
        load();
        area.done.set(Some(words));
    });
    // Numbers change all the time; what somebody is asked stays meanwhile.
    let standing = Memo::new(move |_| {
        let stands = stands.get()?;
        Some((stands.status, stands.state?))
    });
    let about = move || {
        let mut found = summary.get()?;
        if let Some((status, state)) = standing.get() {
            (found.status, found.state) = (status, state);
        }
        let manages = area.may(Right::Manage, &found.study);
        let pausing = found.status == StudyStatus::Running && !found.cells.is_empty();
        let pausing = (manages && pausing).then(|| {
            let paused = Paused {
                study: found.study.clone(),
                cell: None,
                paused: found.state == StudyState::Paused,
                under_way: found.cells.iter().map(|cell| cell.under_way).sum(),
            };
            view! { <Pausing area paused on_changed/> }
        });
        let has_file = found.title.is_some();
        let changing = (manages && has_file)
            .then(|| view! { <StatusChange area summary=found.clone() on_changed/> });
        let started = found.counts.started;
        let is_new = matches!(found.status, StudyStatus::Draft | StudyStatus::Pilot);
        let before =
            (is_new && has_file).then(|| view! { <Before area study=found.study.clone()/> });
        Some(view! {
            <p>
                <StateOf state=found.state/>
                ". "
                {move || {
                    let now = stands.get().map(|stands| stands.counts.started);
                    text().study.started(text().counted.sessions(now.unwrap_or(started)))
                }}
            </p>
            {changing}
            {pausing}
            {before}
        })
    };
    let cells = Memo::new(move |_| {
        let loaded = || summary.with(|it| it.as_ref().map(|it| it.cells.clone()));
        let live = stands.get().map(|stands| stands.cells);
        live.or_else(loaded).unwrap_or_default()
    });
    let pausing_cell = RwSignal::new(None::<Paused>);
    // Of one cell, pausing the study says it all.
    let manages = area.may(Right::Manage, &study);
    let pauses = Memo::new(move |_| {
        let of_stands = stands.get().map(|stands| stands.status);
        let of_summary = || summary.with(|it| it.as_ref().map(|it| it.status));
        let status = of_stands.or_else(of_summary);
        manages && status == Some(StudyStatus::Running) && cells.with(Vec::len) > 1
    });
    let may_look = area.may(Right::Look, &study);
    let live = may_look.then(|| view! { <LiveOfStudy area live study=study.clone()/> });
    let results = may_look.then(|| {
        let of = ResultOf::People;
        let (analysed, trusted) = (study.clone(), study.clone());
        let (asked, on) = (study.clone(), OnQuestion::default());
        view! {
            <Link area to=Route::Analysis { study: analysed, of } class="button" testid="to-analysis">{text().study.analysis()}</Link>
            <Link area to=Route::Questions { study: asked, on } class="button" testid="to-questions">{text().study.questions()}</Link>
            <Link area to=Route::Trust { study: trusted, of } class="button" testid="to-trust">{text().study.trust()}</Link>
            <Link area to=Route::Plan(study.clone()) class="button" testid="to-plan">{text().study.plan()}</Link>
        }
    });
    let exports = area
        .may(Right::Export, &study)
        .then(|| view! { <Link area to=Route::Exports(study.clone()) class="button" testid="to-exports">{text().study.exports()}</Link> });
    let decisions = area
        .may(Right::Manage, &study)
        .then(|| view! { <Link area to=Route::Decisions(study.clone()) class="button" testid="to-decisions">{text().study.decisions()}</Link> });
    let admissions = area
        .may(Right::Manage, &study)
        .then(|| view! { <Admissions area study=study.clone()/> });
    view! {
        <div data-screen="study" class="area-page">
            <p class="small"><Link area to=Route::Studies>{text().study.all()}</Link></p>
            <Heading words=title/>
            {about}
            {move || {
                let pauses = pauses.get();
                view! { <Cells study=name.get_value() cells=cells.get() pauses asked=pausing_cell/> }
            }}
            <PausingNote area asked=pausing_cell on_changed/>
            <p class="actions">
                <Link area to=Route::participants(&study) class="button primary" testid="to-people">{text().study.people()}</Link>
                {decisions}
                {results}
                {exports}
            </p>
            {admissions}
            {live}
        </div>
    }
}
