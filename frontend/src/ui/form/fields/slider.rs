//! A place on a line between two ends. Nothing is marked until the participant marks it, so
//! that no answer is suggested.

use domain::questionnaire::GRADATIONS_MAX;
use leptos::ev::PointerEvent;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::{HtmlElement, HtmlInputElement};

use super::between_ends;
use super::scale::as_number;
use crate::text::text;
use crate::ui::form::filling::FormField;
use crate::ui::range_touch::RangeTouch;

/// Width of the thumb, `--mark` in `static/instruments.css`, in CSS pixels.
const THUMB_PX: f64 = 28.0;

/// 21 gradations, as the NASA-TLX has them.
pub(super) fn gradations(field: FormField, min_label: String, max_label: String) -> impl IntoView {
    let marks = (0..=GRADATIONS_MAX).map(|_| view! { <span></span> });
    let marks = marks.collect_view();
    let max = as_number(GRADATIONS_MAX);
    let line = view! {
        <div class="line">
            <div class="gradations" aria-hidden="true">{marks}</div>
            {line(field, (0.0, max, 1.0), move |value| text().questionnaire.marked_of(value, max))}
        </div>
    };
    view! {
        {hint()}
        {between_ends("line", [min_label, max_label], line)}
    }
}

pub(super) fn slider(
    field: FormField,
    bounds: (f64, f64, f64),
    labels: [String; 2],
    show_value: bool,
) -> impl IntoView {
    let value = move || {
        field
            .draft
            .with(|draft| draft.number)
            .map(|value| text().number(value))
    };
    let line = view! {
        <div class="line">
            {line(field, bounds, move |value| text().questionnaire.marked(text().number(value)))}
        </div>
    };
    view! {
        {hint()}
        {between_ends("line", labels, line)}
        {show_value.then(|| view! { <output class="line-value tabular">{value}</output> })}
    }
}

fn hint() -> impl IntoView {
    view! { <p class="muted small mark-hint">{text().questionnaire.mark_hint()}</p> }
}

/// Where a mark would be set: it goes with the mouse along a line without one.
fn show_ghost(line: &HtmlInputElement, event: &PointerEvent) {
    let track = line.get_bounding_client_rect();
    let way = (track.width() - THUMB_PX).max(1.0);
    let share = (f64::from(event.client_x()) - track.left() - THUMB_PX / 2.0) / way;
    let share = if document().dir() == "rtl" {
        1.0 - share
    } else {
        share
    }
    .clamp(0.0, 1.0);
    if let Some(around) = line
        .parent_element()
        .and_then(|it| it.dyn_into::<HtmlElement>().ok())
    {
        // Only a page that is being taken apart refuses.
        let _ = HtmlElement::style(&around).set_property("--ghost", &format!("{share:.4}"));
    }
}

/// The line itself.
fn line(
    field: FormField,
    (min, max, step): (f64, f64, f64),
    spoken: impl Fn(f64) -> String + Send + Sync + 'static,
) -> impl IntoView {
    // Rounding may have left a step such as 0.30000000000000004.
    let mark = move |value: f64| {
        let value = (value * 1e9).round() / 1e9;
        field.answer(|draft| draft.number = Some(value));
    };
    let middle = min + ((max - min) / 2.0 / step).round() * step;
    let value = move || field.draft.with(|draft| draft.number);
    let place = move || value().unwrap_or(middle);
    let finger = RangeTouch::along_text(THUMB_PX);
    let put_back = move |line: &HtmlInputElement| line.set_value(&untrack(place).to_string());
    view! {
        <input
            type="range"
            class="mark"
            class:unset=move || value().is_none()
            id=field.control_id()
            data-testid=field.test_id()
            aria-labelledby=format!("label-{}", field.id())
            min=min
            max=max
            step=step
            prop:value=move || place().to_string()
            style:--filled=move || format!("{:.4}", (place() - min) / (max - min))
            aria-valuetext=move || match value() {
                Some(value) => spoken(value),
                None => text().questionnaire.unmarked().to_owned(),
            }
            aria-describedby=field.described_by()
            aria-invalid=move || field.invalid()
            on:pointerdown:target=move |event| {
                finger.down(&event.target(), &event, untrack(value).map(|value| (value - min) / (max - min)));
            }
            on:pointermove:target=move |event| {
                if untrack(value).is_none() {
                    show_ghost(&event.target(), &event);
                }
                if let Some(value) = finger.moved(&event) {
                    mark(value);
                }
            }
            on:pointerup=move |event| {
                if let Some(value) = finger.up() {
                    mark(value);
                } else if event.pointer_type() == "touch" && untrack(value).is_none() {
                    // A tap on the very middle: a click need not follow it.
                    mark(middle);
                }
            }
            on:pointercancel:target=move |event| {
                finger.cancelled();
                put_back(&event.target());
            }
            on:input:target=move |event| {
                let value = event.target().value_as_number();
                if value.is_nan() {
                    return;
                }
                match finger.input(value) {
                    Some(value) => mark(value),
                    None => put_back(&event.target()),
                }
            }
            // On the very middle the browser sees no change, for there it keeps its own mark.
            on:click=move |_| {
                if untrack(value).is_none() {
                    mark(middle);
                }
            }
            on:keydown=move |event| {
                if event.key() == " " && untrack(value).is_none() {
                    event.prevent_default();
                    mark(middle);
                }
            }
        />
    }
}
