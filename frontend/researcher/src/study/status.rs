//! The status of a study: deciding it, and the checklist to look at before.

use api::research::{CheckState, Checklist, ChecklistItem, Done, StatusRequest, StudySummary};
use api::routes;
use domain::recruitment::StudyStatus;
use frontend::runtime::research_client;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use crate::area::Area;
use crate::text::text;

/// The statuses that a study can be given, what the button says that gives it, and the words once it is done.
fn changes() -> [(StudyStatus, &'static str, &'static str); 4] {
    let words = &text().study;
    [
        (StudyStatus::Draft, words.to_draft(), words.is_draft()),
        (StudyStatus::Pilot, words.to_pilot(), words.is_pilot()),
        (StudyStatus::Running, words.to_running(), words.is_running()),
        (StudyStatus::Closed, words.to_closed(), words.is_closed()),
    ]
}

/// Gives a study another status; before that, a sentence says what it means.
#[component]
pub fn StatusChange(
    /// The state that the pages share.
    area: Area,
    /// The study.
    summary: StudySummary,
    /// Called with what has happened.
    on_changed: Callback<String>,
) -> impl IntoView {
    let asked = RwSignal::new(None::<StudyStatus>);
    let study = StoredValue::new(summary.study);
    let status = summary.status;
    let under_way: u64 = summary.cells.iter().map(|cell| cell.under_way).sum();
    let change = move |status: StudyStatus, words: &'static str| {
        area.attempt(async move {
            let path = routes::research_status(&study.get_value());
            let key = area.change_key();
            let request = StatusRequest { status };
            let _: Done = research_client::post(&path, &request, key.as_deref()).await?;
            // The page may have been left.
            let _ = on_changed.try_run(words.to_owned());
            Ok(())
        });
    };
    let others = move || changes().into_iter().filter(move |(to, ..)| *to != status);
    move || {
        let chosen = asked.get();
        let found = others().find(|(to, ..)| Some(*to) == chosen);
        match found {
            Some((to, verb, done)) => {
                let yes = Callback::new(move |()| change(to, done));
                let people = text().counted.people(under_way);
                view! {
                    <div class="note" data-testid="status-means">
                        <p>{to.means()} {text().study.under_way_now(people)}</p>
                        {(to == StudyStatus::Running).then(|| view! { <Before area study=study.get_value()/> })}
                        <p class="actions">
                            <Press testid="status-yes" on_press=yes>{verb}</Press>
                            <Press testid="status-no" class="button quiet" on_press=Callback::new(move |()| asked.set(None))>{text().study.leave()}</Press>
                        </p>
                    </div>
                }
                .into_any()
            }
            None => {
                let buttons = others().map(|(to, verb, _)| {
                    let ask = Callback::new(move |()| asked.set(Some(to)));
                    view! { <Press testid=testid(to) class="button" on_press=ask>{verb}"…"</Press> }
                });
                view! { <p class="actions" data-testid="statuses">{buttons.collect_view()}</p> }
                    .into_any()
            }
        }
    }
}

const fn testid(status: StudyStatus) -> &'static str {
    match status {
        StudyStatus::Draft => "to-draft",
        StudyStatus::Pilot => "to-pilot",
        StudyStatus::Running => "to-running",
        StudyStatus::Closed => "to-closed",
    }
}

/// The checklist before a study takes participants.
#[component]
pub fn Before(
    /// The state that the pages share.
    area: Area,
    /// The study.
    study: String,
) -> impl IntoView {
    let items = RwSignal::new(Vec::<ChecklistItem>::new());
    area.load(move || {
        let path = routes::research_checklist(&study);
        area.attempt(async move {
            let found: Checklist = research_client::get(&path).await?;
            // The page may have been left.
            let _ = items.try_set(found.items);
            Ok(())
        });
    });
    move || {
        let items = items.get();
        (!items.is_empty()).then(|| {
            view! {
                <h2>{text().study.before()}</h2>
                <ul class="area-checklist" data-testid="checklist">
                    {items.into_iter().map(line).collect_view()}
                </ul>
            }
        })
    }
}

/// Words in which what stands between grave accents is code.
fn with_code(words: &str) -> impl IntoView + use<> {
    let parts = words.split('`').enumerate().map(|(at, part)| {
        let part = part.to_owned();
        if at % 2 == 1 {
            view! { <code>{part}</code> }.into_any()
        } else {
            part.into_any()
        }
    });
    parts.collect_view()
}

fn line(item: ChecklistItem) -> impl IntoView {
    let (shape, words) = match item.state {
        CheckState::Done => ("✓", text().study.check_done()),
        CheckState::Open => ("!", text().study.check_open()),
        CheckState::Unknown => ("?", text().study.check_unknown()),
        CheckState::None => ("–", text().study.check_none()),
    };
    view! {
        <li data-state=item.state.name()>
            <span class="area-shape" aria-hidden="true">{shape}</span>
            <strong>{item.what}</strong>
            <span class="muted">{format!(" ({words})")}</span>
            {item.about.into_iter().map(|about| view! { <p class="small">{with_code(&about)}</p> }).collect_view()}
        </li>
    }
}
