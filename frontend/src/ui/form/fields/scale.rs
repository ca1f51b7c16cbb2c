//! A whole number between two labelled ends, as a row of buttons.

use leptos::prelude::*;

use super::between_ends;
use crate::text::text;
use crate::ui::form::filling::FormField;

pub(super) fn scale(
    field: FormField,
    (min, max): (i64, i64),
    labels: [String; 2],
) -> impl IntoView {
    let [min_label, max_label] = &labels;
    let spoken = |point: i64| match point {
        _ if point == min => spoken(point, min_label),
        _ if point == max => spoken(point, max_label),
        _ => point.to_string(),
    };
    let radios = (min..=max).map(|point| {
        let test_id = format!("{}-{point}", field.test_id());
        let on_choose = move || field.answer(|draft| draft.number = Some(as_number(point)));
        let chosen = move || {
            field
                .draft
                .with(|draft| draft.number == Some(as_number(point)))
        };
        radio(
            field,
            field.test_id(),
            test_id,
            spoken(point),
            point.to_string(),
            chosen,
            on_choose,
        )
    });
    let radios = radios.collect_view();
    let row = view! { <div class="scale" class:long={max - min > 10}>{radios}</div> };
    between_ends("points", labels, row)
}

/// A point and its word.
pub(super) fn spoken(point: i64, label: &str) -> String {
    if label.is_empty() {
        point.to_string()
    } else {
        text().questionnaire.low_end(point, label)
    }
}

/// One point of a scale or of a row.
pub(super) fn radio(
    field: FormField,
    group: String,
    test_id: String,
    spoken: String,
    shown: String,
    chosen: impl Fn() -> bool + Send + Sync + 'static,
    on_choose: impl Fn() + Send + Sync + 'static,
) -> impl IntoView {
    view! {
        <label class="point">
            <input
                type="radio"
                name=group
                data-testid=test_id
                aria-label=spoken
                aria-describedby=field.described_by()
                aria-invalid=move || field.invalid()
                prop:checked=chosen
                on:change=move |_| on_choose()
            />
            <span aria-hidden="true">{shown}</span>
        </label>
    }
}

pub(super) fn as_number(point: i64) -> f64 {
    point as f64
}
