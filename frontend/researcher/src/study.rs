//! A study: who is in which cell, and pausing.

use api::research::{CellCounts, Done, PauseRequest, ResultOf, Right, StudyState, StudySummary};
use api::routes;
use domain::recruitment::StudyStatus;
use frontend::runtime::research_client;
use frontend::ui::parts::{Heading, Press};
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::live::Live;
use crate::route::{OnQuestion, Route};
use crate::studies::StateOf;
use crate::table_box::{Head, TableBox};
use crate::words::counted;

mod admissions;
mod now;
mod status;

use admissions::Admissions;
use now::LiveOfStudy;
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
    // What others decide comes by the stream, and what was asked of it then.
    let stands = Memo::new(move |_| {
        let live = name.with_value(|name| live.study(name))?;
        Some((live.status, live.state?))
    });
    Effect::new(move |_| {
        live.heard_ms();
        if area.reached() && summary.with_untracked(Option::is_none) {
            load();
        }
    });
    let about = move || {
        let mut found = summary.get()?;
        if let Some((status, state)) = stands.get() {
            (found.status, found.state) = (status, state);
        }
        let manages = area.may(Right::Manage, &found.study);
        let on_changed = Callback::new(move |words: String| {
            load();
            area.done.set(Some(words));
        });
        let pausing = found.status == StudyStatus::Running && !found.cells.is_empty();
        let pausing = (manages && pausing)
            .then(|| view! { <Pausing area summary=found.clone() on_changed/> });
        let has_file = found.title.is_some();
        let changing = (manages && has_file)
            .then(|| view! { <StatusChange area summary=found.clone() on_changed/> });
        let is_new = matches!(found.status, StudyStatus::Draft | StudyStatus::Pilot);
        let before =
            (is_new && has_file).then(|| view! { <Before area study=found.study.clone()/> });
        Some(view! {
            <p>
                <StateOf state=found.state/>
                ". "
                {counted(found.started, "session")}
                " started."
            </p>
            {changing}
            {pausing}
            {before}
        })
    };
    let cells = Memo::new(move |_| {
        let live = name.with_value(|name| live.study(name));
        let loaded = || summary.with(|it| it.as_ref().map(|it| it.cells.clone()));
        live.map(|study| study.cells)
            .or_else(loaded)
            .unwrap_or_default()
    });
    let may_look = area.may(Right::Look, &study);
    let live = may_look.then(|| view! { <LiveOfStudy area live study=study.clone()/> });
    let results = may_look.then(|| {
        let of = ResultOf::People;
        let (analysed, trusted) = (study.clone(), study.clone());
        let (asked, on) = (study.clone(), OnQuestion::default());
        view! {
            <Link area to=Route::Analysis { study: analysed, of } class="button" testid="to-analysis">"Analysis"</Link>
            <Link area to=Route::Questions { study: asked, on } class="button" testid="to-questions">"Questions"</Link>
            <Link area to=Route::Trust { study: trusted, of } class="button" testid="to-trust">"Trust"</Link>
            <Link area to=Route::Plan(study.clone()) class="button" testid="to-plan">"Plan"</Link>
        }
    });
    let exports = area
        .may(Right::Export, &study)
        .then(|| view! { <Link area to=Route::Exports(study.clone()) class="button" testid="to-exports">"Exports"</Link> });
    let decisions = area
        .may(Right::Manage, &study)
        .then(|| view! { <Link area to=Route::Decisions(study.clone()) class="button" testid="to-decisions">"Decisions"</Link> });
    let admissions = area
        .may(Right::Manage, &study)
        .then(|| view! { <Admissions area study=study.clone()/> });
    view! {
        <div data-screen="study" class="area-page">
            <p class="small"><Link area to=Route::Studies>"All studies"</Link></p>
            <Heading words=title/>
            {about}
            {move || view! { <Cells cells=cells.get()/> }}
            <p class="actions">
                <Link area to=Route::participants(&study) class="button primary" testid="to-people">"People"</Link>
                {decisions}
                {results}
                {exports}
            </p>
            {admissions}
            {live}
        </div>
    }
}

/// What is said of each cell.
const HEADS: [Head; 8] = [
    ("Cell", false),
    ("Wanted", true),
    ("Count", true),
    ("Under way", true),
    ("Open", true),
    ("Left", true),
    ("Excluded", true),
    ("Over quota", true),
];

/// Who is in which cell, as `redial study cells` prints it.
#[component]
fn Cells(cells: Vec<CellCounts>) -> impl IntoView {
    let number = |number: Option<u64>| number.map_or_else(|| "–".to_owned(), |it| it.to_string());
    let row = move |cell: CellCounts| {
        let name = if cell.cell.is_empty() {
            "(everybody)".to_owned()
        } else {
            cell.cell
        };
        let open = if cell.paused {
            "paused".to_owned()
        } else {
            number(cell.open)
        };
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td class="area-number">{number(cell.cap)}</td>
                <td class="area-number">{cell.counted}</td>
                <td class="area-number">{cell.under_way}</td>
                <td class="area-number">{open}</td>
                <td class="area-number">{cell.left}</td>
                <td class="area-number">{cell.excluded}</td>
                <td class="area-number">{cell.over_quota}</td>
            </tr>
        }
    };
    (!cells.is_empty()).then(|| {
        view! {
            <TableBox label="Cells" testid="cells" heads=HEADS>{cells.into_iter().map(row).collect_view()}</TableBox>
        }
    })
}

/// Pauses all cells, or lets people into them again; before that, a sentence says what it means.
#[component]
fn Pausing(area: Area, summary: StudySummary, on_changed: Callback<String>) -> impl IntoView {
    let asked = RwSignal::new(false);
    let paused = summary.state == StudyState::Paused;
    let under_way: u64 = summary.cells.iter().map(|cell| cell.under_way).sum();
    let study = StoredValue::new(summary.study);
    let change = Callback::new(move |()| {
        area.attempt(async move {
            let request = PauseRequest {
                cells: Vec::new(),
                paused: !paused,
            };
            let path = routes::research_pause(&study.get_value());
            let key = area.change_key();
            let _: Done = research_client::post(&path, &request, key.as_deref()).await?;
            let words = if paused {
                "The study takes people again."
            } else {
                "The study is paused: nobody new is let in."
            };
            // The page may have been left.
            let _ = on_changed.try_run(words.to_owned());
            Ok(())
        });
    });
    let (verb, means) = if paused {
        (
            "Go on",
            "Whoever opens the link can start again, as long as cells have open slots.".to_owned(),
        )
    } else {
        (
            "Pause",
            format!(
                "Whoever comes now reads that the study takes nobody at the moment. {} under way can finish, and will count.",
                counted(under_way, "person").replace("persons", "people")
            ),
        )
    };
    move || {
        if asked.get() {
            view! {
                <div class="note" data-testid="means">
                    <p>{means.clone()}</p>
                    <p class="actions">
                        <Press testid="pause-yes" on_press=change>{verb}</Press>
                        <Press testid="pause-no" class="button quiet" on_press=Callback::new(move |()| asked.set(false))>"Leave it as it is"</Press>
                    </p>
                </div>
            }
            .into_any()
        } else {
            view! {
                <p class="actions">
                    <Press testid="pause" class="button" on_press=Callback::new(move |()| asked.set(true))>{verb}"…"</Press>
                </p>
            }
            .into_any()
        }
    }
}
