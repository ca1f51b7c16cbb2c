//! Tables that the server has made: each cell as it is to be read, with where its sessions are.

use api::research::{LeadsTo, ShownCell, ShownTable};
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::route::{Route, sessions_with};
use crate::table_box::TableBox;
use crate::text::text;

/// A table with its caption and notes.
#[component]
pub fn TableOf(
    /// The state that the pages share.
    area: Area,
    /// The study.
    study: String,
    /// Its name for those who do not see it: no other table of the page has it.
    label: String,
    /// The table.
    table: ShownTable,
) -> impl IntoView {
    let ShownTable {
        name,
        caption,
        heads,
        rows,
        notes,
    } = table;
    let numbers: Vec<bool> = heads.iter().map(|head| head.numbers).collect();
    let heads: Vec<(String, bool)> = heads
        .into_iter()
        .map(|head| (head.words, head.numbers))
        .collect();
    let row = |cells: Vec<ShownCell>| {
        let cells = cells.into_iter().zip(&numbers);
        let cells = cells.map(|(cell, number)| {
            let words = cell_text(area, &study, &cell);
            let exact = cell.exact.join("; ");
            let rounded = exact != cell.text && *number && !exact.is_empty();
            let long = !number && cell.text.chars().count() > 60;
            view! {
                <td class:area-number=*number class:area-long=long title=rounded.then(|| exact.clone()) data-exact=exact>{words}</td>
            }
        });
        view! { <tr>{cells.collect_view()}</tr> }
    };
    let rows = rows.into_iter().map(row).collect_view();
    let notes = (!notes.is_empty()).then(|| view! { <p class="muted small">{notes.join(" ")}</p> });
    view! {
        <p class="small" id=format!("caption-{name}")>{caption.clone()}</p>
        <TableBox label testid=format!("table-{name}") heads>{rows}</TableBox>
        {notes}
    }
}

/// The text of a cell; a link where it stands for sessions.
fn cell_text(area: Area, study: &str, cell: &ShownCell) -> AnyView {
    let words = cell.text.clone();
    let shown = if cell.strong {
        view! { <strong>{words}</strong> }.into_any()
    } else {
        words.into_any()
    };
    match &cell.leads_to {
        None => shown,
        Some(to) => {
            let (to, about) = route_to(study, to);
            view! {
                <Link area to testid="to-behind">{shown} <span class="visually-hidden">{about}</span></Link>
            }
            .into_any()
        }
    }
}

/// The page on which sessions are, and words for it.
fn route_to(study: &str, to: &LeadsTo) -> (Route, String) {
    match to {
        LeadsTo::Sessions { filter, words } => (sessions_with(study, filter), words.clone()),
        LeadsTo::Replay { session } => {
            let to = Route::replay(study, &session.0, None);
            (to, text().results.replay().to_owned())
        }
    }
}
