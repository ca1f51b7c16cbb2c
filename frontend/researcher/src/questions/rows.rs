//! The lines of a question as a table: the same ways to the replay, for the keyboard.

use std::sync::Arc;

use api::research::AlignmentLine;
use frontend::replay::clock::fine_clock;
use leptos::prelude::*;

use super::line::{best_of, outcome_of, outcome_words};
use crate::area::Area;
use crate::links::Link;
use crate::route::{BESIDE, Beside, Common, OnQuestion, Route};
use crate::side_by_side::how_many;
use crate::table_box::{Head, TableBox};
use crate::text::text;
use crate::words::{levels, percent};

/// The column heads of the table of lines.
fn heads() -> [Head; 8] {
    let words = &text().questions;
    [
        (words.head_beside(), false),
        (words.head_session(), true),
        (words.head_ended(), false),
        (words.head_time(), true),
        (words.head_best(), true),
        (words.head_wanted(), true),
        (words.head_condition(), false),
        (words.head_replay(), false),
    ]
}

/// The lines that are shown.
#[component]
pub fn Lines(
    area: Area,
    study: String,
    on: Memo<OnQuestion>,
    lines: Memo<Arc<Vec<AlignmentLine>>>,
    meant: RwSignal<Option<usize>>,
) -> impl IntoView {
    let chosen = RwSignal::new(Vec::<String>::new());
    let study = StoredValue::new(study);
    let rows = move || {
        let lines = lines.get();
        let rows = lines.iter().enumerate();
        let rows = rows.map(|(index, line)| {
            let (study, line) = (study.get_value(), line.clone());
            view! { <Row area study line index chosen meant/> }
        });
        rows.collect_view()
    };
    let to = move || {
        let sessions = chosen.get();
        BESIDE.contains(&sessions.len()).then(|| Route::Beside {
            study: study.get_value(),
            beside: Beside {
                sessions,
                common: on.with(|on| on.question.clone()).map(Common::Question),
                at: None,
            },
        })
    };
    let beside = move || {
        let count = chosen.with(Vec::len);
        match to() {
            Some(to) => view! { <Link area to class="button" testid="beside">{text().questions.side_by_side()}</Link> }.into_any(),
            None => view! { <span class="muted small" data-testid="beside-none">{how_many(count)}</span> }.into_any(),
        }
    };
    view! {
        <p class="actions">{beside}</p>
        <TableBox label=text().questions.lines() testid="lines" heads=heads()>{rows}</TableBox>
    }
}

#[component]
fn Row(
    area: Area,
    study: String,
    line: AlignmentLine,
    index: usize,
    chosen: RwSignal<Vec<String>>,
    meant: RwSignal<Option<usize>>,
) -> impl IntoView {
    let session = line.session.0.clone();
    let (first, last) = (line.started_at_ms, line.started_at_ms + line.lasted_ms);
    let to = move |at_ms| Route::replay(&study, &session, Some(at_ms));
    let (begins, ends) = (to(first), to(last));
    let id = StoredValue::new(line.session.0.clone());
    let on = move || chosen.with(|all| all.contains(&id.get_value()));
    let switch = move |_| {
        let id = id.get_value();
        chosen.update(|all| {
            if all.contains(&id) {
                all.retain(|it| *it != id);
            } else {
                all.push(id);
            }
        });
    };
    let percent = |share: Option<f64>| share.map(percent).unwrap_or_default();
    let exact = |share: Option<f64>| share.map(|it| it.to_string());
    let condition = levels(&line.levels);
    let best = best_of(&line);
    let mean = move || meant.set(Some(index));
    let mean_none = move || meant.set(None);
    let ordinal = line.ordinal;
    view! {
        <tr
            data-session=line.session.0.clone()
            data-points=line.elapsed_ms.len().to_string()
            class:area-is-meant=move || meant.get() == Some(index)
            on:focusin=move |_| mean()
            on:pointerenter=move |_| mean()
            on:pointerleave=move |_| mean_none()
            on:focusout=move |_| mean_none()
        >
            <td>
                <input
                    type="checkbox"
                    class="area-choose"
                    autocomplete="off"
                    data-testid="choose"
                    aria-label=text().questions.show_beside(ordinal)
                    prop:checked=on
                    on:change=switch
                />
            </td>
            <td class="area-number">{ordinal}</td>
            <td>{outcome_words(outcome_of(&line))}</td>
            <td class="area-number" data-exact=line.lasted_ms.to_string()>{fine_clock(line.lasted_ms)}</td>
            <td class="area-number" data-exact=exact(best)>{percent(best)}</td>
            <td class="area-number" data-exact=exact(Some(line.wanted))>{percent(Some(line.wanted))}</td>
            <td>{condition}</td>
            <td>
                <Link area to=begins testid="to-line">{text().questions.beginning()}<span class="visually-hidden">{text().questions.of_session(ordinal)}</span></Link>
                " · "
                <Link area to=ends testid="to-line-end">{text().questions.end()}<span class="visually-hidden">{text().questions.of_session(ordinal)}</span></Link>
            </td>
        </tr>
    }
}
