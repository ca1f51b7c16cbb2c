//! The rows.

use api::research::{SessionColumn, SessionRow, SessionTable};
use leptos::prelude::*;

use super::People;
use crate::links::Link;
use crate::route::Route;
use crate::text::text;

/// The sessions of the page, and how they are sorted.
#[component]
pub fn Table(people: People) -> impl IntoView {
    move || match people.table.get() {
        None => view! { <p class="muted">{text().people.loading()}</p> }.into_any(),
        Some(table) => view! { <Rows people table/> }.into_any(),
    }
}

#[component]
fn Rows(people: People, table: SessionTable) -> impl IntoView {
    let shown: Vec<SessionColumn> = table
        .shown
        .iter()
        .filter_map(|name| table.columns.iter().find(|it| it.name == *name).cloned())
        .collect();
    let kinds: Vec<String> = shown.iter().map(|it| it.kind.clone()).collect();
    let heads = shown
        .into_iter()
        .map(|column| view! { <Head people column/> });
    let rows = table.rows.into_iter();
    let rows = rows.map(|row| view! { <Row people kinds=kinds.clone() row/> });
    view! {
        <div class="area-scroll" tabindex="0" role="region" aria-label=text().people.sessions()>
            <table class="area-table" data-testid="sessions">
                <thead>
                    <tr>
                        <th scope="col"><span class="visually-hidden">{text().people.choose()}</span></th>
                        <th scope="col">{text().people.replay()}</th>
                        {heads.collect_view()}
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

/// A column's name, by which one sorts.
#[component]
fn Head(people: People, column: SessionColumn) -> impl IntoView {
    let name = column.name.clone();
    let sorted = {
        let name = name.clone();
        move || {
            people.query.with(|query| {
                let descending = query.sort.strip_prefix('-');
                match (query.sort == name, descending == Some(&name)) {
                    (true, _) => Some("ascending"),
                    (_, true) => Some("descending"),
                    _ => None,
                }
            })
        }
    };
    let arrow = {
        let sorted = sorted.clone();
        move || match sorted() {
            Some("ascending") => " ▲",
            Some(_) => " ▼",
            None => "",
        }
    };
    let numeric = is_numeric(&column.kind);
    let unit = if column.unit.is_empty() {
        String::new()
    } else {
        format!(" ({})", column.unit)
    };
    let sort = {
        let name = name.clone();
        move |_| {
            let name = name.clone();
            people.ask(|query| {
                query.sort = if query.sort == name {
                    format!("-{name}")
                } else {
                    name
                };
            });
        }
    };
    view! {
        <th scope="col" class:area-number=numeric aria-sort=sorted>
            <button type="button" class="area-sort" title=column.meaning data-testid=format!("sort-{name}") on:click=sort>
                {name.replace('_', " ")}
                {unit}
                <span aria-hidden="true">{arrow}</span>
            </button>
        </th>
    }
}

#[component]
fn Row(people: People, kinds: Vec<String>, row: SessionRow) -> impl IntoView {
    let SessionRow {
        session,
        ordinal,
        values,
        problems,
    } = row;
    let name = session.as_ref().map(ToString::to_string);
    let choose = {
        let id = session.clone();
        let chosen = id.clone();
        let on = move || {
            chosen
                .as_ref()
                .is_some_and(|id| people.chosen.with(|it| it.contains(id)))
        };
        let switch = move |_| {
            let Some(id) = id.clone() else { return };
            people.chosen.update(|chosen| {
                if chosen.contains(&id) {
                    chosen.retain(|it| *it != id);
                } else {
                    chosen.push(id);
                }
            });
        };
        let label = text().people.choose_session(ordinal);
        view! {
            <td>
                <input
                    type="checkbox"
                    class="area-choose"
                    autocomplete="off"
                    data-testid="choose"
                    aria-label=label
                    disabled=session.is_none()
                    prop:checked=on
                    on:change=switch
                />
            </td>
        }
    };
    let replay = session.as_ref().map(|id| {
        let (study, session) = (people.study(), id.to_string());
        let to = Signal::derive(move || Route::Replay {
            study: study.clone(),
            session: session.clone(),
            at: None,
            list: Some(people.query.get()),
        });
        view! { <Link area=people.area to testid="to-replay">{text().people.watch()}</Link> }
    });
    let cells = values.into_iter().zip(kinds);
    let cells = cells.map(|(value, kind)| {
        let numeric = is_numeric(&kind);
        let text = shown_text(value.unwrap_or_default(), &kind);
        let long = text.chars().count() > 40;
        let title = long.then(|| text.clone());
        view! { <td class:area-number=numeric class:long=long title=title>{text}</td> }
    });
    let problems = problems.into_iter();
    let problems: Vec<_> = problems
        .map(|it| view! { <p class="small area-damage">{it}</p> })
        .collect();
    view! {
        <tr data-session=name>
            {choose}
            <td>{replay} {problems}</td>
            {cells.collect_view()}
        </tr>
    }
}

/// Whether a column of this kind holds numbers.
fn is_numeric(kind: &str) -> bool {
    matches!(kind, "integer" | "number")
}

/// The text that is shown of a cell: an empty list is nothing to read.
fn shown_text(text: String, kind: &str) -> String {
    if kind == "json" && matches!(&*text, "[]" | "{}") {
        String::new()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_shows_nothing() {
        let shown = |text: &str, kind| shown_text(text.to_owned(), kind);
        assert_eq!(shown("[]", "json"), "");
        assert_eq!(shown("{}", "json"), "");
        assert_eq!(
            shown("[\"by_hand: a child\"]", "json"),
            "[\"by_hand: a child\"]"
        );
        // Somebody may have called their model so.
        assert_eq!(shown("[]", "text"), "[]");
    }
}
