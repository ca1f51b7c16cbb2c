//! How lines ended: their shapes, how many there are, and which are shown.

use api::research::{ABANDONED, QuestionLines};
use domain::task::Outcome;
use frontend::replay::chart::legend::OutcomeSample;
use leptos::prelude::*;

use super::line::{OUTCOMES, outcome_of, outcome_words};
use crate::area::Area;
use crate::route::{OnQuestion, Route};
use crate::text::text;

/// The name that an address has for an outcome.
pub fn name(outcome: Option<Outcome>) -> &'static str {
    outcome.map_or(ABANDONED, Outcome::name)
}

/// A switch for each outcome that there is. The address keeps what is left out.
#[component]
pub fn OutcomeSwitches(
    area: Area,
    study: String,
    on: Memo<OnQuestion>,
    found: RwSignal<Option<QuestionLines>>,
) -> impl IntoView {
    let study = StoredValue::new(study);
    let switch = move |outcome: Option<Outcome>, count: usize| {
        let shown = move || on.with(|on| !on.without.iter().any(|it| it == name(outcome)));
        let toggle = move |_| {
            let mut now = on.get_untracked();
            let before = now.without.len();
            now.without.retain(|it| it != name(outcome));
            if now.without.len() == before {
                now.without.push(name(outcome).to_owned());
            }
            area.replace(Route::Questions {
                study: study.get_value(),
                on: now,
            });
        };
        view! {
            <li>
                <label class="chart-kind">
                    <input type="checkbox" data-outcome=name(outcome) prop:checked=shown on:change=toggle/>
                    <span class="chart-sample"><OutcomeSample outcome/></span>
                    {text().questions.outcome(outcome_words(outcome), count)}
                </label>
            </li>
        }
    };
    let counts = move || {
        found.with(|found| {
            let lines = found.iter().flat_map(|it| &it.lines);
            let all: Vec<Option<Outcome>> = lines.map(outcome_of).collect();
            let counts =
                OUTCOMES.map(|outcome| (outcome, all.iter().filter(|it| **it == outcome).count()));
            counts
                .into_iter()
                .filter(|(_, count)| *count > 0)
                .collect::<Vec<_>>()
        })
    };
    let switches = move || {
        let counts = counts().into_iter();
        counts
            .map(|(outcome, count)| switch(outcome, count))
            .collect_view()
    };
    view! { <ul class="chart-legend" aria-label=text().questions.legend() data-testid="outcomes">{switches}</ul> }
}
