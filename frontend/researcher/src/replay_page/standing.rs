//! Where the session stands, and what is decided about it without leaving its replay.

use api::research::{Right, SessionTable, SessionsQuery};
use domain::session::event::SessionId;
use leptos::prelude::*;

use super::viewer::Viewer;
use crate::deciding::{Deciding, Decisions, PlatformDecisions};
use crate::session_rows::session_rows;
use crate::text::text;

/// The column with the currency of amounts.
const CURRENCY: &str = "pay_currency";

/// The columns of the table of sessions that are shown, with their words.
fn columns() -> [(&'static str, &'static str); 7] {
    let words = &text().standing;
    [
        ("purpose", words.purpose()),
        ("standing", words.standing()),
        ("exclusion_reasons", words.exclusion_reasons()),
        ("approval", words.approval()),
        ("pay_owed", words.pay_owed()),
        ("pay_paid", words.pay_paid()),
        ("pay_due", words.pay_due()),
    ]
}

/// Standing, approval and pay as the table of sessions has them, and the same decisions as there.
#[component]
pub fn SessionStanding(
    /// The page.
    viewer: Viewer,
) -> impl IntoView {
    let area = viewer.area;
    let study = viewer.study.get_value();
    let row = RwSignal::new(None::<SessionTable>);
    let waits = RwSignal::new(false);
    let load = move || {
        let (Some(study), Some(session)) =
            (viewer.study.try_get_value(), viewer.session.try_get_value())
        else {
            return;
        };
        let columns: Vec<&str> = columns().map(|(column, _)| column).to_vec();
        let query = SessionsQuery {
            columns: format!("{},{CURRENCY}", columns.join(",")),
            filter: format!("session={session}"),
            ..SessionsQuery::default()
        };
        area.attempt(async move {
            let take = |table: SessionTable| {
                let is_missing = table.missing > 0 && table.rows.is_empty();
                // The page may have been left.
                let is_left = waits.try_set(is_missing).is_some();
                let _ = row.try_set(Some(table));
                is_missing && !is_left
            };
            session_rows(&study, &query, take).await
        });
    };
    viewer.load(load);
    let deciding = Deciding {
        area,
        study: viewer.study,
        chosen: RwSignal::new(vec![SessionId(viewer.session.get_value())]),
        choosing: false,
        reload: Callback::new(move |()| load()),
    };
    let decisions = area.may(Right::Manage, &study).then(|| {
        view! { <Decisions deciding/> <PlatformDecisions deciding/> }
    });
    let facts = move || {
        let table = row.get()?;
        let facts = facts(&table).into_iter();
        let facts = facts.map(|(name, column, value)| {
            view! { <div><dt>{name}</dt><dd data-standing=column>{value}</dd></div> }
        });
        Some(facts.collect_view())
    };
    view! {
        <section class="area-facts area-standing" aria-label=text().standing.label()>
            <h2>{text().standing.heading()}</h2>
            <dl data-testid="standing">{facts}</dl>
            {move || waits.get().then(|| view! { <p class="small muted">{text().standing.waits()}</p> })}
            {decisions}
        </section>
    }
}

/// The facts that are shown of the session's row: words, column and value. Empty cells are left out.
fn facts(table: &SessionTable) -> Vec<(&'static str, &'static str, String)> {
    let cell = |column: &str| {
        let place = table.shown.iter().position(|shown| shown == column)?;
        table.rows.first()?.values.get(place)?.clone()
    };
    let currency = cell(CURRENCY).unwrap_or_default();
    columns()
        .into_iter()
        .filter_map(|(column, words)| {
            let value = cell(column)?;
            let value = match column {
                "exclusion_reasons" => reasons(&value),
                _ if column.starts_with("pay_") => amount(&value, &currency),
                _ => value,
            };
            (!value.is_empty()).then_some((words, column, value))
        })
        .collect()
}

/// An amount with two decimals and its currency; a cell that is no number is shown as it is.
fn amount(cell: &str, currency: &str) -> String {
    let Ok(amount) = cell.parse::<f64>() else {
        return format!("{cell} {currency}");
    };
    format!("{amount:.2} {currency}")
}

/// A list of reasons in words; a cell that is no list is shown as it is.
fn reasons(cell: &str) -> String {
    serde_json::from_str::<Vec<String>>(cell).map_or_else(|_| cell.to_owned(), |it| it.join("; "))
}

#[cfg(test)]
mod tests {
    use api::research::SessionRow;

    use super::*;

    #[test]
    fn empty_cells_are_left_out_and_amounts_have_their_currency() {
        let cells = [
            ("standing", Some("excluded")),
            ("exclusion_reasons", Some("[\"a\",\"by_hand: b\"]")),
            ("approval", None),
            ("pay_due", Some("3.1")),
            ("pay_currency", Some("GBP")),
        ];
        let table = SessionTable {
            columns: Vec::new(),
            shown: cells.iter().map(|(name, _)| (*name).to_owned()).collect(),
            rows: vec![SessionRow {
                session: None,
                ordinal: 1,
                values: cells.iter().map(|(_, it)| it.map(str::to_owned)).collect(),
                problems: Vec::new(),
            }],
            matching: 1,
            all: 1,
            missing: 0,
            problems: Vec::new(),
            at_unix_ms: 0,
        };
        let found = facts(&table);
        let found: Vec<(&str, &str)> = found.iter().map(|it| (it.1, it.2.as_str())).collect();
        assert_eq!(
            found,
            [
                ("standing", "excluded"),
                ("exclusion_reasons", "a; by_hand: b"),
                ("pay_due", "3.10 GBP"),
            ]
        );
        assert_eq!(reasons("[]"), "");
        assert_eq!(amount("0.0", "GBP"), "0.00 GBP");
        assert_eq!(amount("?", "GBP"), "? GBP");
    }
}
