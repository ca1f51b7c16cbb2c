//! Fields to type into: text, numbers, dates.

use leptos::prelude::*;

use crate::text::text;
use crate::ui::form::filling::FormField;

/// The counter appears when no more than this share of the characters is left, in percent.
const COUNTER_FROM_PERCENT: usize = 10;

pub(super) fn text_field(field: FormField, max_length: usize, one_line: bool) -> impl IntoView {
    let id = field.control_id();
    let words = move || field.draft.with(|draft| draft.words.clone());
    let set = move |words: String| field.answer(|draft| draft.words = words);
    let control = if one_line {
        view! {
            <input
                type="text"
                autocomplete="off"
                id=id
                data-field=field.id()
                maxlength=max_length
                data-testid=field.test_id()
                aria-describedby=field.described_by()
                aria-invalid=move || field.invalid()
                prop:value=words
                on:input:target=move |event| set(event.target().value())
            />
        }
        .into_any()
    } else {
        view! {
            <textarea
                autocomplete="off"
                id=id
                data-field=field.id()
                rows="4"
                maxlength=max_length
                data-testid=field.test_id()
                aria-describedby=field.described_by()
                aria-invalid=move || field.invalid()
                prop:value=words
                on:input:target=move |event| set(event.target().value())
            ></textarea>
        }
        .into_any()
    };
    let left = Memo::new(move |_| {
        let used = field.draft.with(|draft| draft.words.chars().count());
        max_length.saturating_sub(used)
    });
    let nearly_full = move || left.get() * 100 <= max_length * COUNTER_FROM_PERCENT;
    view! {
        {control}
        <p class="counter muted small tabular" role="status">
            {move || nearly_full().then(|| text().questionnaire.left(left.get()))}
        </p>
    }
}

pub(super) fn number(field: FormField, decimals: bool, unit: Option<String>) -> impl IntoView {
    // Not type="number": that loses what it cannot read, and turns with the mouse wheel.
    let unit_id = format!("unit-{}", field.id());
    let described_by = format!("{} {unit_id}", field.described_by());
    view! {
        <div class="number">
            <input
                type="text"
                inputmode=if decimals { "decimal" } else { "numeric" }
                autocomplete="off"
                id=field.control_id()
                data-field=field.id()
                data-testid=field.test_id()
                aria-describedby=described_by
                aria-invalid=move || field.invalid()
                prop:value=move || field.draft.with(|draft| draft.words.clone())
                on:input:target=move |event| {
                    let words = event.target().value();
                    field.answer(|draft| draft.words = words);
                }
            />
            <span id=unit_id>{unit}</span>
        </div>
    }
}

pub(super) fn date(field: FormField, min: Option<String>, max: Option<String>) -> impl IntoView {
    view! {
        <input
            type="date"
            class="date"
            autocomplete="off"
            min=min
            max=max
            id=field.control_id()
            data-testid=field.test_id()
            aria-describedby=field.described_by()
            aria-invalid=move || field.invalid()
            prop:value=move || field.draft.with(|draft| draft.words.clone())
            on:input:target=move |event| {
                let words = event.target().value();
                field.answer(|draft| draft.words = words);
            }
        />
    }
}
