//! Conditions on the sessions: a chip for each, and new ones.

use api::research::{Comparison, Condition, Filter, SessionColumn};
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::People;
use crate::entrance::Field;
use crate::text::text;

/// Conditions that are often wanted: the words, a column, and its value.
fn often() -> [(&'static str, &'static str, &'static str); 6] {
    let words = &text().conditions;
    [
        (words.participants(), "purpose", "participant"),
        (words.pilots(), "purpose", "pilot"),
        (words.simulated(), "purpose", "simulated"),
        (words.under_way(), "standing", "unfinished"),
        (words.counted(), "standing", "counted"),
        (words.excluded(), "standing", "excluded"),
    ]
}

/// The same filter with one condition on a column in the place of those that ask it to be a value; or without, where it is
/// there already.
fn switched(filter: &Filter, column: &str, value: &str) -> Filter {
    let is = |it: &Condition| it.column == column && it.comparison == Comparison::Is;
    let was_there = filter.0.iter().any(|it| is(it) && it.value == value);
    let others = filter.0.iter().filter(|it| !is(it)).cloned();
    let new = (!was_there).then(|| Condition {
        column: column.to_owned(),
        comparison: Comparison::Is,
        value: value.to_owned(),
    });
    Filter(others.chain(new).collect())
}

/// A condition in words.
fn in_words(condition: &Condition) -> String {
    let Condition {
        column,
        comparison,
        value,
    } = condition;
    let words = &text().conditions;
    match comparison {
        Comparison::Is if value.is_empty() => words.is_empty(column),
        Comparison::Is => words.is(column, value.replace('|', words.or())),
        Comparison::Less => words.is_less(column, value),
        Comparison::More => words.is_more(column, value),
        Comparison::Holds => words.holds(column, value),
    }
}

/// All that is about conditions.
#[component]
pub fn Filters(people: People) -> impl IntoView {
    let often = often().map(|(words, column, value)| {
        let on = Memo::new(move |_| {
            let filter = people.filter();
            let is = |it: &Condition| it.comparison == Comparison::Is && it.column == column;
            filter.0.iter().any(|it| is(it) && it.value == value)
        });
        let press = move |_| {
            let filter = switched(&people.filter(), column, value);
            people.ask(|query| query.filter = filter.to_string());
        };
        view! {
            <button
                type="button"
                class="area-chip"
                aria-pressed=move || if on.get() { "true" } else { "false" }
                data-testid=format!("filter-{value}")
                on:click=press
            >
                {words}
            </button>
        }
    });
    let chips = move || {
        let filter = people.filter();
        let chip = |place: usize, condition: &Condition| {
            let words = in_words(condition);
            let mut rest = filter.clone();
            rest.0.remove(place);
            let rest = rest.to_string();
            let remove = move |_| {
                let rest = rest.clone();
                people.ask(|query| query.filter = rest);
            };
            view! {
                <li>
                    {words.clone()}
                    <button type="button" class="area-remove" aria-label=text().conditions.without(&words) on:click=remove>"×"</button>
                </li>
            }
        };
        let chips = filter.0.iter().enumerate();
        let chips: Vec<_> = chips.map(|(place, it)| chip(place, it)).collect();
        (!chips.is_empty()).then(|| view! { <ul class="area-chips" aria-label=text().conditions.label() data-testid="conditions">{chips}</ul> })
    };
    view! {
        <div class="area-filters" role="group" aria-label=text().conditions.which()>
            {often.collect_view()}
            <details>
                <summary>{text().conditions.another()}</summary>
                <NewCondition people/>
            </details>
        </div>
        {chips}
    }
}

#[component]
fn NewCondition(people: People) -> impl IntoView {
    let column = RwSignal::new(String::new());
    let comparison = RwSignal::new(Comparison::Is);
    let value = RwSignal::new(String::new());
    let columns = move || {
        let columns = people
            .table
            .with(|it| it.as_ref().map(|it| it.columns.clone()));
        let option = |it: SessionColumn| {
            view! { <option value=it.name.clone() title=it.meaning>{it.name.clone()}</option> }
        };
        columns.into_iter().flatten().map(option).collect_view()
    };
    let add = Callback::new(move |()| {
        let chosen = column.get_untracked();
        if chosen.is_empty() {
            return;
        }
        let mut filter = people.filter();
        filter.0.push(Condition {
            column: chosen,
            comparison: comparison.get_untracked(),
            // A semicolon would begin another condition.
            value: value.get_untracked().replace(';', " "),
        });
        value.set(String::new());
        people.ask(|query| query.filter = filter.to_string());
    });
    let words = &text().conditions;
    let comparisons = [
        ("=", words.sign_is()),
        ("<", words.sign_less()),
        (">", words.sign_more()),
        ("~", words.sign_holds()),
    ];
    let compare = move |sign: String| {
        comparison.set(match sign.as_str() {
            "<" => Comparison::Less,
            ">" => Comparison::More,
            "~" => Comparison::Holds,
            _ => Comparison::Is,
        });
    };
    view! {
        <div class="area-condition">
            <label class="area-field">
                {text().conditions.column()}
                <select data-testid="condition-column" on:change=move |event| column.set(event_target_value(&event))>
                    <option value="">{text().conditions.choose_one()}</option>
                    {columns}
                </select>
            </label>
            <label class="area-field">
                {text().conditions.comparison()}
                <select data-testid="condition-comparison" on:change=move |event| compare(event_target_value(&event))>
                    {comparisons.map(|(sign, words)| view! { <option value=sign>{words}</option> }).collect_view()}
                </select>
            </label>
            <Field label=text().conditions.value() testid="condition-value" value on_enter=add/>
            <Press testid="add-condition" class="button" on_press=add>{text().conditions.add()}</Press>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_condition_takes_the_place_of_its_like_and_goes_when_pressed_again() {
        let filter = Filter::parse("purpose=participant;events>10").unwrap();
        let pilots = switched(&filter, "purpose", "pilot");
        assert_eq!(pilots.to_string(), "events>10;purpose=pilot");
        assert_eq!(
            switched(&pilots, "purpose", "pilot").to_string(),
            "events>10"
        );
    }

    #[test]
    fn conditions_are_read_as_sentences() {
        let filter =
            Filter::parse("standing=counted|excluded;cell=;events<5;user_agent~Fire").unwrap();
        let words: Vec<String> = filter.0.iter().map(in_words).collect();
        assert_eq!(
            words,
            [
                "standing is counted or excluded",
                "cell is empty",
                "events is less than 5",
                "user_agent holds “Fire”"
            ]
        );
    }
}
