//! Which columns are shown.

use api::research::SessionColumn;
use leptos::prelude::*;

use super::People;

use crate::text::text;

/// A box for each column; those that can say who somebody is stand apart.
#[component]
pub fn Columns(people: People) -> impl IntoView {
    let all = Memo::new(move |_| {
        people
            .table
            .with(|it| it.as_ref().map(|it| it.columns.clone()))
            .unwrap_or_default()
    });
    let shown = Memo::new(move |_| {
        people
            .table
            .with(|it| it.as_ref().map(|it| it.shown.clone()))
            .unwrap_or_default()
    });
    let switch = move |name: &str| {
        let mut wanted = shown.get_untracked();
        if wanted.iter().any(|it| it == name) {
            wanted.retain(|it| it != name);
        } else {
            wanted.push(name.to_owned());
        }
        // In the order of the export.
        let in_order = all.with_untracked(|all| {
            let names = all.iter().map(|it| it.name.clone());
            names.filter(|it| wanted.contains(it)).collect::<Vec<_>>()
        });
        people.ask(|query| query.columns = in_order.join(","));
    };
    let tick = move |column: SessionColumn| {
        let name = StoredValue::new(column.name.clone());
        let on = move || name.with_value(|name| shown.with(|it| it.contains(name)));
        view! {
            <label class="area-tick" title=column.meaning>
                <input
                    type="checkbox"
                    autocomplete="off"
                    value=column.name.clone()
                    prop:checked=on
                    on:change=move |_| name.with_value(|name| switch(name))
                />
                {column.name}
            </label>
        }
    };
    let ticks = move |identifying: bool| {
        let columns = all.get().into_iter();
        let of_kind = columns.filter(|it| it.identifying == identifying);
        of_kind.map(tick).collect_view()
    };
    let identifying = move || {
        all.with(|all| all.iter().any(|it| it.identifying))
            .then(|| {
                view! {
                    <fieldset>
                        <legend>{text().people.identifying()}</legend>
                        {ticks(true)}
                    </fieldset>
                }
            })
    };
    view! {
        <details class="area-columns" data-testid="columns">
            <summary>{text().people.columns()}</summary>
            <div class="area-ticks">{move || ticks(false)}</div>
            {identifying}
        </details>
    }
}
