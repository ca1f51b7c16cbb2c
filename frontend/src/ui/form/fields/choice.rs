//! One of several options, or several of them.

use domain::questionnaire::{ChoiceOption, MAX_DESCRIPTION};
use leptos::prelude::*;

use crate::text::text;
use crate::ui::form::answers::Draft;
use crate::ui::form::filling::FormField;
use crate::ui::typed::passing_id;

pub(super) fn choice(field: FormField, options: Vec<ChoiceOption>, several: bool) -> impl IntoView {
    let alone: Vec<String> = options
        .iter()
        .filter(|option| option.exclusive)
        .map(|option| option.id.clone())
        .collect();
    let alone = StoredValue::new(alone);
    let rows = options.into_iter().enumerate().map(|(number, option)| {
        let id = StoredValue::new(option.id.clone());
        let chosen = Memo::new(move |_| {
            field
                .draft
                .with(|draft| id.with_value(|id| draft.chosen.contains(id)))
        });
        let input = view! {
            <input
                type=if several { "checkbox" } else { "radio" }
                name=field.test_id()
                data-testid=format!("{}-{number}", field.test_id())
                aria-describedby=field.described_by()
                aria-invalid=move || field.invalid()
                prop:checked=move || chosen.get()
                on:change:target=move |event| {
                    let on = event.target().checked();
                    field.answer(|draft| {
                        alone.with_value(|alone| choose(draft, &id.get_value(), on, several, alone));
                    });
                }
            />
        };
        let words = option.describe.map(|_| {
            let label = text().questionnaire.describe(&option.text);
            view! { <Show when=move || chosen.get()>{description(field, id, number, label.clone())}</Show> }
        });
        view! {
            <div class="option-row">
                <label class="tick">{input}<span>{option.text}</span></label>
                {words}
            </div>
        }
    });
    let rows = rows.collect_view();
    view! {
        {several.then(|| view! { <p class="muted small">{text().questionnaire.several()}</p> })}
        <div class="ticks">{rows}</div>
    }
}

/// Takes an option in or out. One that stands alone drives out the others, and is driven out
/// by them.
fn choose(draft: &mut Draft, id: &str, on: bool, several: bool, alone: &[String]) {
    if !several || (on && alone.iter().any(|of| of == id)) {
        draft.chosen.clear();
    }
    draft
        .chosen
        .retain(|chosen| chosen != id && !(on && alone.contains(chosen)));
    if on {
        draft.chosen.push(id.to_owned());
    }
}

/// The text field of an option.
fn description(
    field: FormField,
    option: StoredValue<String>,
    number: usize,
    label: String,
) -> impl IntoView {
    let words = move || {
        let id = option.get_value();
        let described = |draft: &Draft| draft.described.get(&id).cloned().unwrap_or_default();
        field.draft.with(described)
    };
    view! {
        <input
            type="text"
            class="description"
            autocomplete="off"
            id=passing_id()
            maxlength=MAX_DESCRIPTION
            data-testid=format!("{}-{number}-words", field.test_id())
            aria-label=label.clone()
            placeholder=label.clone()
            aria-describedby=field.problem_id()
            prop:value=words
            on:input:target=move |event| {
                let words = event.target().value();
                field.answer(|draft| {
                    draft.described.insert(option.get_value(), words);
                });
            }
        />
    }
}

pub(super) fn dropdown(field: FormField, options: Vec<ChoiceOption>) -> impl IntoView {
    let options = options.into_iter().map(|option| {
        let id = option.id.clone();
        let selected = move || field.draft.with(|draft| draft.chosen.contains(&id));
        view! { <option value=option.id prop:selected=selected>{option.text}</option> }
    });
    let options = options.collect_view();
    view! {
        <select
            autocomplete="off"
            id=field.control_id()
            data-testid=field.test_id()
            aria-describedby=field.described_by()
            aria-invalid=move || field.invalid()
            on:change:target=move |event| {
                let chosen = event.target().value();
                field.answer(|draft| {
                    draft.chosen = if chosen.is_empty() { Vec::new() } else { vec![chosen] };
                });
            }
        >
            <option value="" prop:selected=move || field.draft.with(|draft| draft.chosen.is_empty())>
                {text().questionnaire.choose()}
            </option>
            {options}
        </select>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_stands_alone_drives_out_the_others() {
        let mut draft = Draft::default();
        let alone = ["none".to_owned()];
        for (id, on, expected) in [
            ("a", true, vec!["a"]),
            ("b", true, vec!["a", "b"]),
            ("none", true, vec!["none"]),
            ("b", true, vec!["b"]),
            ("b", false, vec![]),
        ] {
            choose(&mut draft, id, on, true, &alone);
            assert_eq!(draft.chosen, expected);
        }
        choose(&mut draft, "a", true, false, &alone);
        choose(&mut draft, "b", true, false, &alone);
        assert_eq!(draft.chosen, ["b"]);
    }
}
