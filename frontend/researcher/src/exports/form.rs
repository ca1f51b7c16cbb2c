//! The form that asks for an export.

use api::research::{ExportOf, NewExport};
use frontend::runtime::page;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::choices::{Choices, standings as all_standings};
use crate::area::Area;
use crate::entrance::Field;
use crate::text::text;
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
    /// The state that the pages share.
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
        let words = text().exports.identifying();
        view! { <Tick words=words.to_owned() value=Choice::Identifying chosen=options/> }
    });
    let audit = may_manage.then(|| {
        let words = text().exports.audit();
        view! { <Tick words=words.to_owned() value=Choice::Audit chosen=options/> }
    });
    let of_standing = all_standings().map(|(name, words)| {
        view! { <Tick words=words.to_owned() value=name chosen=standings/> }
    });
    view! {
        <label class="area-field">
            {text().exports.whose()}
            <select
                data-testid="of"
                on:change=move |event| {
                    let chosen = event_target_value(&event);
                    of.set(ExportOf::of_name(&chosen).unwrap_or_default());
                }
            >
                <option value="people">{text().exports.whose_people()}</option>
                <option value="pilots">{text().exports.whose_pilots()}</option>
                <option value="simulated">{text().exports.whose_simulated()}</option>
            </select>
        </label>
        <div>
            <Tick words=text().exports.spreadsheet_safe().to_owned() value=Choice::SpreadsheetSafe chosen=options/>
            {identify}
            {audit}
        </div>
        <details class="area-columns" data-testid="only">
            <summary>{text().exports.some()}</summary>
            <fieldset>
                <legend>{text().exports.some_standings()}</legend>
                <div class="area-ticks">{of_standing.collect_view()}</div>
            </fieldset>
            <div class="area-form">
                <Field label=text().exports.since() testid="since" kind="date" value=since on_enter=make/>
                <Field label=text().exports.before() testid="before" kind="date" value=before on_enter=make/>
                <Field label=text().exports.versions() testid="versions" value=versions on_enter=make/>
            </div>
        </details>
        <p class="actions"><Press testid="make-export" on_press=make>{text().exports.make()}</Press></p>
    }
}
