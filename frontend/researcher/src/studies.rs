//! The studies in which somebody has a role, and how they stand.

use api::research::live::LiveCounts;
use api::research::{Membership, Right, SessionsQuery, Studies, StudySummary};
use api::routes;
use frontend::runtime::{page, research_client};
use frontend::ui::parts::Heading;
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::live::{Age, Live};
use crate::route::Route;
use crate::table_box::{Head, TableBox};
use crate::text::text;

mod needs;
mod state;

use needs::{needs, people_to_look_at};
pub use state::StateOf;

/// The column heads of the table of studies.
fn heads() -> [Head; 10] {
    let words = &text().studies;
    [
        (words.head_study(), false),
        (words.head_state(), false),
        (words.head_started(), true),
        (words.head_under_way(), true),
        (words.head_completed(), true),
        (words.head_count(), true),
        (words.head_wanted(), true),
        (words.head_left(), true),
        (words.head_needs_somebody(), false),
        (words.head_you_are(), false),
    ]
}

/// The list of studies.
#[component]
pub fn StudiesPage(area: Area, live: Live) -> impl IntoView {
    let studies = RwSignal::new(None::<Vec<StudySummary>>);
    area.load(move || {
        area.attempt(async move {
            let found: Studies = research_client::get(routes::RESEARCH_STUDIES).await?;
            studies.set(Some(found.studies));
            Ok(())
        });
    });
    let list = move || match studies.get() {
        None => view! { <p class="muted">{text().studies.loading()}</p> }.into_any(),
        Some(found) if found.is_empty() => {
            if area.me().is_some_and(|me| !me.studies.is_empty()) {
                let words = text().studies.own_alone();
                return view! { <p data-testid="own-alone">{words}</p> }.into_any();
            }
            view! {
                <p>
                    {text().studies.no_role()}
                    <code>"redial user role"</code>
                    "."
                </p>
            }
            .into_any()
        }
        Some(found) => {
            let rows = found
                .into_iter()
                .map(|study| row(area, live, study))
                .collect_view();
            view! {
                <TableBox label=text().studies.heading() heads=heads()>{rows}</TableBox>
            }
            .into_any()
        }
    };
    // Where no study is listed, the stream has nothing to say.
    let lists = move || studies.with(|it| it.as_ref().is_some_and(|it| !it.is_empty()));
    let lists = Memo::new(move |_| lists());
    let age = move || lists.get().then(|| view! { <Age live/> });
    view! {
        <div data-screen="studies" class="area-page">
            <Heading words=text().studies.heading()/>
            {age}
            {list}
            <OwnSessions area/>
        </div>
    }
}

/// The way to lab sessions, for those who may follow them.
#[component]
fn OwnSessions(area: Area) -> impl IntoView {
    move || {
        let studies = area.me()?.studies;
        let follows = |it: &Membership| it.may(Right::Annotate, true);
        if !studies.iter().any(follows) {
            return None;
        }
        let own = studies.into_iter().filter(|it| !it.may(Right::Look, false));
        let own = own.filter(|it| it.may(Right::Look, true)).map(|it| {
            let to = Route::People {
                study: it.study.clone(),
                query: SessionsQuery::default(),
            };
            view! { <li><Link area to testid="to-own-sessions">{text().studies.own_sessions(it.study)}</Link></li> }
        });
        Some(view! {
            <ul class="plain" data-testid="own-sessions">
                {own.collect_view()}
                <li>
                    <a href=page::address("/lab") data-testid="to-lab">{text().studies.to_lab()}</a>
                </li>
            </ul>
        })
    }
}

fn row(area: Area, live: Live, study: StudySummary) -> impl IntoView {
    let loaded = StoredValue::new(study);
    let now = Memo::new(move |_| {
        let mut study = loaded.get_value();
        if let Some(stands) = live.stands(&study.study) {
            stands.put_into(&mut study);
        }
        study
    });
    let StudySummary {
        study: name,
        title,
        role,
        ..
    } = loaded.get_value();
    let to = Route::Study(name.clone());
    let title = title.unwrap_or_else(|| name.clone());
    let count = move |value: fn(&LiveCounts) -> u64| move || now.with(|study| value(&study.counts));
    let wanted = move || {
        let cap: Option<u64> = now.with(|study| study.cells.iter().map(|cell| cell.cap).sum());
        cap.map_or_else(|| "–".to_owned(), |cap| cap.to_string())
    };
    let storage = research_client::storage();
    let needing = move || {
        let full = storage.get().as_deref() == Some(research_client::FULL);
        let full = full.then(|| text().studies.disk_full().to_owned());
        let all: Vec<String> = full.into_iter().chain(now.with(needs)).collect();
        all.join("; ")
    };
    let people = loaded.with_value(|study| people_to_look_at(area, study));
    view! {
        <tr data-study=name>
            <th scope="row">
                <Link area to testid="to-study">{title}</Link>
                <span class="muted small">{name.clone()}</span>
            </th>
            <td>{move || view! { <StateOf state=now.read().state/> }}</td>
            <td class="area-number" data-count="started">{count(|it| it.started)}</td>
            <td class="area-number" data-count="under way">{count(|it| it.under_way)}</td>
            <td class="area-number" data-count="completed">{count(|it| it.completed)}</td>
            <td class="area-number" data-count="count">{count(|it| it.counted)}</td>
            <td class="area-number">{wanted}</td>
            <td class="area-number" data-count="left">{count(|it| it.left)}</td>
            <td class="area-needs">{people} {needing}</td>
            <td>{role.name()}</td>
        </tr>
    }
}
