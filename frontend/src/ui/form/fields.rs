//! The fields of a form: scales, texts and choices.

use domain::questionnaire::{Item, ItemKind, MAX_TEXT};
use leptos::prelude::*;

use super::answers::{Draft, Problem};
use super::filling::Form;
use crate::text::text;

/// The counter appears when no more than this many characters are left.
const COUNTER_FROM: usize = 500;

fn message(problem: Problem) -> String {
    let words = &text().questionnaire;
    match problem {
        Problem::NoPoint => words.missing_scale().to_owned(),
        Problem::NoText => words.missing_text().to_owned(),
        Problem::NoChoice => words.missing_choice().to_owned(),
        Problem::TooLong => words.too_long(MAX_TEXT),
    }
}

/// Ids of an item's parts in the page.
#[derive(Clone)]
struct Ids {
    item: String,
    control: String,
    problem: String,
}

/// One item of a form.
#[component]
pub fn ItemField(
    /// The item.
    item: Item,
    /// The form.
    form: Form,
) -> impl IntoView {
    let Item {
        id,
        text: question,
        answer,
        optional,
    } = item;
    let ids = Ids {
        control: format!("control-{id}"),
        problem: format!("problem-{id}"),
        item: id,
    };
    let item_id = ids.item.clone();
    let problem = Memo::new(move |_| {
        form.problems
            .with(|problems| problems.get(&item_id).copied())
    });
    let data_item = ids.item.clone();
    let problem_id = ids.problem.clone();
    let control_id = ids.control.clone();
    let grouped = matches!(
        answer,
        ItemKind::Scale { .. } | ItemKind::Choice { several: true, .. }
    );
    let question = view! {
        {question}
        {optional.then(|| view! { " "<span class="muted">{text().questionnaire.optional()}</span> })}
    };
    let control = match answer {
        ItemKind::Scale {
            min,
            max,
            min_label,
            max_label,
        } => view! { <Scale ids form problem points=(min, max) labels=(min_label, max_label)/> }
            .into_any(),
        ItemKind::Text => view! { <TextArea ids form problem/> }.into_any(),
        ItemKind::Choice {
            options,
            several: false,
        } => view! { <Select ids form problem options/> }.into_any(),
        ItemKind::Choice {
            options,
            several: true,
        } => view! { <Boxes ids form problem options/> }.into_any(),
    };
    let trouble = view! {
        <p class="item-problem" id=problem_id>{move || problem.get().map(message)}</p>
    };
    let wrong = move || problem.get().is_some();
    if grouped {
        view! {
            <fieldset class="card item" class:wrong=wrong data-item=data_item>
                <legend>{question}</legend>
                {control}
                {trouble}
            </fieldset>
        }
        .into_any()
    } else {
        view! {
            <div class="card item" class:wrong=wrong data-item=data_item>
                <label for=control_id>{question}</label>
                {control}
                {trouble}
            </div>
        }
        .into_any()
    }
}

/// `true` for `aria-invalid`, absent where all is well.
fn invalid(problem: Memo<Option<Problem>>) -> Option<&'static str> {
    problem.get().map(|_| "true")
}

#[component]
fn Scale(
    ids: Ids,
    form: Form,
    problem: Memo<Option<Problem>>,
    points: (i64, i64),
    labels: (String, String),
) -> impl IntoView {
    let words = &text().questionnaire;
    let (min, max) = points;
    let (min_label, max_label) = labels;
    let Ids {
        item,
        problem: problem_id,
        ..
    } = ids;
    let spoken = |point: i64| match point {
        _ if point == min && !min_label.is_empty() => words.low_end(point, &min_label),
        _ if point == max && !max_label.is_empty() => words.low_end(point, &max_label),
        _ => point.to_string(),
    };
    let before = form
        .drafts
        .with_untracked(|drafts| drafts.of(&item).cloned());
    let radios = (min..=max).map(|point| {
        let id = item.clone();
        let chosen = before == Some(Draft::Point(point));
        view! {
            <label class="point">
                <input
                    type="radio"
                    name=format!("item-{item}")
                    data-testid=format!("item-{item}-{point}")
                    aria-label=spoken(point)
                    aria-describedby=problem_id.clone()
                    aria-invalid=move || invalid(problem)
                    prop:checked=chosen
                    on:change=move |_| form.change(&id, |drafts| drafts.set(&id, Draft::Point(point)))
                />
                <span aria-hidden="true">{point.to_string()}</span>
            </label>
        }
    });
    let radios = radios.collect_view();
    view! {
        <div class="scale-ends" aria-hidden="true">
            <span>{spoken(min)}</span>
            <span>{spoken(max)}</span>
        </div>
        <div class="scale" class:long={max - min > 10}>{radios}</div>
    }
}

#[component]
fn TextArea(ids: Ids, form: Form, problem: Memo<Option<Problem>>) -> impl IntoView {
    let Ids {
        item,
        control,
        problem: problem_id,
    } = ids;
    let counted = item.clone();
    let before = form.drafts.with_untracked(|drafts| drafts.words(&item));
    let left = Memo::new(move |_| {
        let used = form.drafts.with(|drafts| drafts.length(&counted));
        MAX_TEXT.saturating_sub(used)
    });
    view! {
        <textarea
            id=control
            rows="4"
            maxlength=MAX_TEXT
            data-testid=format!("item-{item}")
            aria-describedby=problem_id
            aria-invalid=move || invalid(problem)
            prop:value=before
            on:input:target=move |event| {
                let words = event.target().value();
                form.change(&item, |drafts| drafts.set(&item, Draft::Words(words)));
            }
        ></textarea>
        <p class="counter muted small tabular" role="status">
            {move || (left.get() <= COUNTER_FROM).then(|| text().questionnaire.left(left.get()))}
        </p>
    }
}

#[component]
fn Select(
    ids: Ids,
    form: Form,
    problem: Memo<Option<Problem>>,
    options: Vec<String>,
) -> impl IntoView {
    let Ids {
        item,
        control,
        problem: problem_id,
    } = ids;
    let before = form.drafts.with_untracked(|drafts| drafts.words(&item));
    let options = options.into_iter().map(|option| {
        let selected = option == before;
        view! { <option value=option.clone() selected=selected>{option.clone()}</option> }
    });
    view! {
        <select
            id=control
            data-testid=format!("item-{item}")
            aria-describedby=problem_id
            aria-invalid=move || invalid(problem)
            on:change:target=move |event| {
                let choice = event.target().value();
                form.change(&item, |drafts| drafts.set(&item, Draft::Words(choice)));
            }
        >
            <option value="">{text().questionnaire.choose()}</option>
            {options.collect_view()}
        </select>
    }
}

#[component]
fn Boxes(
    ids: Ids,
    form: Form,
    problem: Memo<Option<Problem>>,
    options: Vec<String>,
) -> impl IntoView {
    let Ids {
        item,
        problem: problem_id,
        ..
    } = ids;
    let boxes = options.into_iter().enumerate().map(|(number, option)| {
        let (id, label) = (item.clone(), option.clone());
        let ticked = form
            .drafts
            .with_untracked(|drafts| drafts.is_ticked(&id, &option));
        view! {
            <label class="tick">
                <input
                    type="checkbox"
                    data-testid=format!("item-{item}-{number}")
                    aria-describedby=problem_id.clone()
                    aria-invalid=move || invalid(problem)
                    prop:checked=ticked
                    on:change:target=move |event| {
                        let on = event.target().checked();
                        form.change(&id, |drafts| drafts.tick(&id, &option, on));
                    }
                />
                <span>{label}</span>
            </label>
        }
    });
    let boxes = boxes.collect_view();
    view! {
        <p class="muted small">{text().questionnaire.several()}</p>
        <div class="ticks">{boxes}</div>
    }
}
