//! Options put in order, by choosing them one after the other: nothing has to be dragged.

use domain::questionnaire::ChoiceOption;
use leptos::prelude::*;

use crate::text::text;
use crate::ui::form::filling::FormField;

pub(super) fn ranking(
    field: FormField,
    options: Vec<ChoiceOption>,
    top: Option<usize>,
) -> impl IntoView {
    let words = &text().questionnaire;
    let most = top.unwrap_or(options.len());
    let names = StoredValue::new(options.clone());
    let rows = options.into_iter().enumerate().map(|(number, option)| {
        let ChoiceOption { id, text: name, .. } = option;
        let (id, name) = (StoredValue::new(id), StoredValue::new(name));
        let place = Memo::new(move |_| {
            field.draft.with(|draft| {
                let mut chosen = draft.chosen.iter();
                id.with_value(|id| chosen.position(|other| other == id))
            })
        });
        let full = move || field.draft.with(|draft| draft.chosen.len() >= most);
        // Behind the visible words, so that speech control finds the button by these.
        let spoken_place = move || match place.get() {
            Some(place) => words.rank_placed(place + 1),
            None => words.rank_open().to_owned(),
        };
        // Places are read before: while a draft is changed it cannot be.
        let toggle = move |_| {
            let is_placed = place.get_untracked().is_some();
            field.answer(|draft| {
                let id = id.get_value();
                if is_placed {
                    draft.chosen.retain(|other| *other != id);
                } else if draft.chosen.len() < most {
                    draft.chosen.push(id);
                }
            });
        };
        let swap = move |by: isize| {
            let Some(from) = place.get_untracked() else {
                return;
            };
            field.answer(|draft| {
                if let Some(to) = from
                    .checked_add_signed(by)
                    .filter(|to| *to < draft.chosen.len())
                {
                    draft.chosen.swap(from, to);
                }
            });
        };
        let test_id = format!("{}-{number}", field.test_id());
        let is_last = move || {
            let last = field.draft.with(|draft| draft.chosen.len());
            place.get().is_none_or(|place| place + 1 >= last)
        };
        view! {
            <li class="rank" class:placed=move || place.get().is_some()>
                <button
                    type="button"
                    class="rank-option"
                    data-testid=test_id.clone()
                    aria-pressed=move || if place.get().is_some() { "true" } else { "false" }
                    aria-describedby=field.described_by()
                    aria-disabled=move || (place.get().is_none() && full()).then_some("true")
                    on:click=toggle
                >
                    // A picture of the place, drawn from an attribute: it is said below.
                    <span
                        class="rank-place"
                        data-place=move || place.get().map(|place| (place + 1).to_string())
                    ></span>
                    <span>
                        {name.get_value()}
                        <span class="visually-hidden">{spoken_place}</span>
                    </span>
                </button>
                <button
                    type="button"
                    class="rank-move"
                    data-testid=format!("{test_id}-earlier")
                    aria-label=words.rank_earlier(name.get_value())
                    disabled=move || place.get().is_none_or(|place| place == 0)
                    on:click=move |_| swap(-1)
                >
                    <span aria-hidden="true">"↑"</span>
                </button>
                <button
                    type="button"
                    class="rank-move"
                    data-testid=format!("{test_id}-later")
                    aria-label=words.rank_later(name.get_value())
                    disabled=is_last
                    on:click=move |_| swap(1)
                >
                    <span aria-hidden="true">"↓"</span>
                </button>
            </li>
        }
    });
    let rows = rows.collect_view();
    let order = move || {
        let chosen = field.draft.with(|draft| draft.chosen.clone());
        let entries = chosen.iter().enumerate().map(|(place, id)| {
            let name = names.with_value(|names| {
                let option = names.iter().find(|option| option.id == *id);
                option.map(|option| option.text.clone()).unwrap_or_default()
            });
            words.rank_entry(place + 1, name)
        });
        let entries: Vec<String> = entries.collect();
        (!entries.is_empty()).then(|| words.rank_order(entries.join(", ")))
    };
    let hint = match top {
        Some(count) => words.rank_some(count),
        None => words.rank_all().to_owned(),
    };
    view! {
        <p class="muted small">{hint}</p>
        <ul class="ranks">{rows}</ul>
        <p class="rank-order small" role="status">{order}</p>
    }
}
