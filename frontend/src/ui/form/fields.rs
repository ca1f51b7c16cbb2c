//! The fields of a form: one for each kind of item.

use domain::questionnaire::{Item, ItemKind, NoAnswer};
use leptos::prelude::*;

mod choice;
mod matrix;
mod messages;
mod motion;
mod ranking;
mod scale;
mod slider;
mod written;

use super::filling::{Form, FormField};
use crate::text::text;

/// One item of a form.
#[component]
pub fn ItemField(
    /// The item.
    item: Item,
    /// The form.
    form: Form,
) -> impl IntoView {
    let field = form.field(&item.id);
    let asked = StoredValue::new(item.clone());
    let message = move || {
        let problem = field.problem.get()?;
        Some(asked.with_value(|item| messages::message(item, &problem)))
    };
    let refusals = [
        (NoAnswer::DontKnow, item.dont_know),
        (NoAnswer::PreferNot, item.prefer_not),
        (
            NoAnswer::CannotSee,
            matches!(item.answer, ItemKind::MotionLetters { .. }),
        ),
    ];
    let Item {
        id,
        text: question,
        hint,
        answer,
        optional,
        ..
    } = item;
    let grouped = matches!(
        answer,
        ItemKind::Scale { .. }
            | ItemKind::Matrix { .. }
            | ItemKind::Choice { .. }
            | ItemKind::Ranking { .. }
    );
    let is_line = matches!(
        answer,
        ItemKind::Slider { .. } | ItemKind::Gradations { .. }
    );
    let kind = answer.name();
    let heading = view! {
        {question}
        {optional.then(|| view! { " "<span class="muted">{text().questionnaire.optional()}</span> })}
    };
    let hint = view! { <p class="item-hint" id=format!("hint-{id}")>{hint}</p> };
    let control = control(answer, field);
    let refusals = refusals
        .into_iter()
        .filter(|(_, offered)| *offered)
        .map(|(reason, _)| view! { <Refusal field reason/> })
        .collect::<Vec<_>>();
    let refusals = (!refusals.is_empty()).then(|| view! { <div class="refusals">{refusals}</div> });
    let trouble = view! { <p class="item-problem" id=field.problem_id()>{message}</p> };
    let wrong = move || field.problem.get().is_some();
    if grouped {
        view! {
            <fieldset class="card item" class:wrong=wrong data-item=id data-kind=kind>
                <legend>{heading}</legend>
                {hint}
                {control}
                {refusals}
                {trouble}
            </fieldset>
        }
        .into_any()
    } else {
        let label = format!("label-{id}");
        // A click on a label is a click on its control, and would mark a line in its middle.
        let of = (!is_line).then(|| field.control_id());
        view! {
            <div class="card item" class:wrong=wrong data-item=id data-kind=kind>
                <label id=label for=of>{heading}</label>
                {hint}
                {control}
                {refusals}
                {trouble}
            </div>
        }
        .into_any()
    }
}

fn control(answer: ItemKind, field: FormField) -> AnyView {
    match answer {
        ItemKind::Scale {
            min,
            max,
            min_label,
            max_label,
        } => scale::scale(field, (min, max), [min_label, max_label]).into_any(),
        ItemKind::Matrix { points, rows, .. } => matrix::matrix(field, &points, rows).into_any(),
        ItemKind::Gradations {
            min_label,
            max_label,
        } => slider::gradations(field, min_label, max_label).into_any(),
        ItemKind::Slider {
            min,
            max,
            step,
            min_label,
            max_label,
            show_value,
        } => slider::slider(field, (min, max, step), [min_label, max_label], show_value).into_any(),
        ItemKind::Text {
            max_length,
            one_line,
            ..
        } => written::text_field(field, max_length, one_line).into_any(),
        ItemKind::Choice {
            options, several, ..
        } => choice::choice(field, options, several).into_any(),
        ItemKind::Dropdown { options } => choice::dropdown(field, options).into_any(),
        ItemKind::Ranking { options, top, .. } => ranking::ranking(field, options, top).into_any(),
        ItemKind::Number { decimals, unit, .. } => {
            written::number(field, decimals, unit).into_any()
        }
        ItemKind::Date { min, max } => written::date(field, min, max).into_any(),
        ItemKind::MotionLetters { film } => motion::letters(field, film).into_any(),
    }
}

/// A line or a row of points between the words of its ends.
fn between_ends(
    kind: &'static str,
    [min, max]: [String; 2],
    control: impl IntoView,
) -> impl IntoView {
    // The points at the ends have these words in their names.
    let hidden = (kind == "points").then_some("true");
    view! {
        <div class="ends" data-of=kind>
            <div class="ends-row">
                <span class="end" aria-hidden=hidden>{min}</span>
                {control}
                <span class="end" aria-hidden=hidden>{max}</span>
            </div>
        </div>
    }
}

/// "I don't know", "prefer not to answer".
#[component]
fn Refusal(field: FormField, reason: NoAnswer) -> impl IntoView {
    let words = &text().questionnaire;
    let label = match reason {
        NoAnswer::DontKnow => words.dont_know(),
        NoAnswer::PreferNot => words.prefer_not(),
        NoAnswer::CannotSee => words.cannot_see(),
    };
    view! {
        <label class="tick refusal">
            <input
                type="checkbox"
                data-testid=format!("{}-{}", field.test_id(), reason.name())
                prop:checked=move || field.draft.with(|draft| draft.no_answer == Some(reason))
                on:change:target=move |event| field.refuse(event.target().checked().then_some(reason))
            />
            <span>{label}</span>
        </label>
    }
}
