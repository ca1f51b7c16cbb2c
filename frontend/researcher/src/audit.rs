//! The audit log: who did what.

use api::research::{AuditEntry, AuditLog};
use api::routes;
use frontend::runtime::research_client;
use frontend::ui::parts::{Heading, Press};
use leptos::prelude::*;

use crate::area::Area;
use crate::table_box::{TableBox, words};
use crate::text::text;
use crate::words::date_and_time;

/// The page of the audit log, the newest first.
#[component]
pub fn AuditPage(area: Area) -> impl IntoView {
    let entries = RwSignal::new(Vec::<AuditEntry>::new());
    let before = RwSignal::new(None::<u64>);
    let load = move |from: Option<u64>| {
        area.attempt(async move {
            let query = from.map_or_else(String::new, |number| format!("?before={number}"));
            let path = format!("{}{query}", routes::AUDIT_LOG);
            let found: AuditLog = research_client::get(&path).await?;
            entries.update(|all| all.extend(found.entries));
            before.set(found.before);
            Ok(())
        });
    };
    area.load(move || {
        entries.set(Vec::new());
        load(None);
    });
    let row = |entry: AuditEntry| {
        let by = match (entry.by, &entry.address) {
            (Some(name), _) => name,
            (None, None) => text().audit.by_command().to_owned(),
            (None, Some(_)) => text().audit.by_nobody().to_owned(),
        };
        view! {
            <tr>
                <td>{date_and_time(entry.at_unix_ms)}</td>
                <td>{by}</td>
                <td>{entry.act.name().replace('_', " ")}</td>
                <td>{entry.study}</td>
                <td class="long">{entry.session}</td>
                <td>{entry.about}</td>
                <td>{entry.address}</td>
            </tr>
        }
    };
    let more = move || {
        let from = before.get()?;
        let on_press = Callback::new(move |()| load(Some(from)));
        Some(
            view! { <p class="actions"><Press testid="older" class="button" on_press>{text().audit.older()}</Press></p> },
        )
    };
    let texts = &text().audit;
    // The column heads of the table of entries.
    let heads = words([
        texts.when(),
        texts.who(),
        texts.what(),
        texts.study(),
        texts.session(),
        texts.about(),
        texts.from_where(),
    ]);
    view! {
        <div data-screen="audit" class="area-page">
            <Heading words=text().audit.heading()/>
            <TableBox label=text().audit.entries() testid="entries" heads>{move || entries.get().into_iter().map(row).collect_view()}</TableBox>
            {more}
        </div>
    }
}
