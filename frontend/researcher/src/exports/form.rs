//! The form that asks for an export.

use api::research::{ExportOf, NewExport};
use frontend::runtime::page;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::choices::{Choices, STANDINGS};
use crate::area::Area;
use crate::entrance::Field;
use crate::tokens::Tick;

/// An option that can be ticked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Identifying,
    Audit,
    SpreadsheetSafe,
}

/// The options of `redial export`.
#[component]
pub fn Form(
    /// What the pages share.
    area: Area,
    /// Whether what is identifying may be asked for.
    may_identify: bool,
    /// Whether the audit log may be asked for.
    may_manage: bool,
    /// Asks for it.
    ask: Callback<NewExport>,
) -> impl IntoView {
    let of = RwSignal::new(ExportOf::People);
    let options = RwSignal::new(Vec::<Choice>::new());
    let standings = RwSignal::new(Vec::<&'static str>::new());
    let (since, before) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let versions = RwSignal::new(String::new());
    let make = Callback::new(move |()| {
        let chosen = |choice| options.with_untracked(|it| it.contains(&choice));
        let choices = Choices {
            of: of.get_untracked(),
            identifying: chosen(Choice::Identifying),
            audit: chosen(Choice::Audit),
            spreadsheet_safe: chosen(Choice::SpreadsheetSafe),
            standings: standings.get_untracked(),
            since: since.get_untracked(),
            before: before.get_untracked(),
            versions: versions.get_untracked(),
        };
        match choices.request() {
            Ok(request) => ask.run(NewExport {
                address: page::server(),
                ..request
            }),
            Err(words) => area.problem.set(Some(words)),
        }
    });
    let identify = may_identify.then(|| {
        let words = "With what can say who somebody is: codes, signatures, typed words, sound. It is noted.";
        view! { <Tick words=words.to_owned() value=Choice::Identifying chosen=options/> }
    });
    let audit = may_manage.then(|| {
        let words = "With the audit log: who looked, exported, decided and changed what.";
        view! { <Tick words=words.to_owned() value=Choice::Audit chosen=options/> }
    });
    let of_standing = STANDINGS.map(|(name, words)| {
        view! { <Tick words=words.to_owned() value=name chosen=standings/> }
    });
    view! {
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
            {audit}
        </div>
        <details class="area-columns" data-testid="only">
            <summary>"Only some sessions"</summary>
            <fieldset>
                <legend>"Only sessions that are (none ticked: all)"</legend>
                <div class="area-ticks">{of_standing.collect_view()}</div>
            </fieldset>
            <div class="area-form">
                <Field label="Started on this day or later (UTC)" testid="since" kind="date" value=since on_enter=make/>
                <Field label="Started before this day (UTC)" testid="before" kind="date" value=before on_enter=make/>
                <Field label="Study files: beginnings of their SHA-256" testid="versions" value=versions on_enter=make/>
            </div>
        </details>
        <p class="actions"><Press testid="make-export" on_press=make>"Make an export"</Press></p>
    }
}
