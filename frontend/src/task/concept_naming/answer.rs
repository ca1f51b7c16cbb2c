//! The terms: a group of buttons for each group of the vocabulary, and that there are none.

use std::sync::Arc;

use domain::concepts::VocabularyGroup;
use domain::task::concept_naming::{Answer, Choice, Missing, Plan};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::help::Definitions;
use crate::text::text;
use crate::ui::parts::Press;

/// One set of terms or two, or that no term fits.
#[component]
pub fn AnswerForm(
    /// The stage.
    plan: Arc<Plan>,
    /// The answer as it stands.
    answer: Signal<Answer>,
    /// Whether the participant has tried to go on: what is missing is said then.
    tried: Signal<bool>,
    /// The answer is changed.
    on_change: Callback<Choice>,
    /// The definitions of a group are opened.
    on_definitions: Callback<usize>,
) -> impl IntoView {
    let words = &text().naming;
    let missing = {
        let plan = plan.clone();
        Memo::new(move |_| match tried.get() {
            true => answer.with(|answer| answer.missing(&plan.vocabulary)),
            false => Vec::new(),
        })
    };
    let set = move |plan: &Arc<Plan>, set: usize| {
        let groups = plan.vocabulary.groups.iter().cloned().enumerate();
        let groups = groups.map(|(group, known)| {
            view! { <TermGroup set group known answer missing on_change on_definitions/> }
        });
        groups.collect_view()
    };
    let first = set(&plan, 0);
    let has_second = Memo::new(move |_| answer.with(|answer| answer.second().is_some()));
    let is_none = Memo::new(move |_| answer.with(Answer::is_none_of_them));
    let second = {
        let plan = plan.clone();
        move || {
            if has_second.get() {
                let give_up = Callback::new(move |()| on_change.run(Choice::SecondSetGivenUp));
                view! {
                    <section class="second-set" aria-label=text().naming.second()>
                        <h2>{text().naming.second()}</h2>
                        {set(&plan, 1)}
                        <Press testid="no-second-set" class="button quiet" on_press=give_up>
                            {text().naming.second_remove()}
                        </Press>
                    </section>
                }
                .into_any()
            } else if plan.vocabulary.second_set && !is_none.get() {
                let begin = Callback::new(move |()| on_change.run(Choice::SecondSetBegun));
                view! {
                    <Press testid="second-set" class="button quiet" on_press=begin>
                        {text().naming.second_add()}
                    </Press>
                }
                .into_any()
            } else {
                ().into_any()
            }
        }
    };
    view! {
        <div class="answer terms">
            {first}
            {second}
            <label class="option none-of-them">
                <input
                    type="radio"
                    name="none-of-them"
                    data-testid="none-of-them"
                    prop:checked=move || is_none.get()
                    on:change=move |_| on_change.run(Choice::NoneOfThem)
                />
                <span>{words.none_of_them()}</span>
            </label>
        </div>
    }
}

#[component]
fn TermGroup(
    set: usize,
    group: usize,
    known: VocabularyGroup,
    answer: Signal<Answer>,
    missing: Memo<Vec<Missing>>,
    on_change: Callback<Choice>,
    on_definitions: Callback<usize>,
) -> impl IntoView {
    let words = &text().naming;
    let name = format!("terms-{set}-{group}");
    let problem_id = format!("{name}-problem");
    let chosen = Memo::new(move |_| {
        answer.with(|answer| {
            let terms = if set == 0 {
                Some(answer.first())
            } else {
                answer.second()
            };
            terms.and_then(|terms| terms.get(group).copied().flatten())
        })
    });
    // Where any group would do, each of them says so.
    let is_missing = Memo::new(move |_| {
        let concerns = |it: &Missing| it.set == set && it.group.is_none_or(|of| of == group);
        missing.with(|missing| missing.iter().any(concerns))
    });
    let option = |term: Option<usize>, testid: String, label: String| {
        view! {
            <label class="option">
                <input
                    type="radio"
                    name=name.clone()
                    data-testid=testid
                    aria-describedby=problem_id.clone()
                    aria-invalid=move || is_missing.get().then_some("true")
                    prop:checked=move || {
                        chosen.get() == term && !answer.with(Answer::is_none_of_them)
                    }
                    on:change=move |_| on_change.run(Choice::Term { set, group, term })
                />
                <span>{label}</span>
            </label>
        }
    };
    let terms = known.terms.iter().enumerate().map(|(term, known)| {
        let testid = format!("term-{set}-{group}-{term}");
        option(Some(term), testid, known.text.clone())
    });
    let terms = terms.collect_view();
    let empty = known.may_stay_empty.then(|| {
        let testid = format!("term-{set}-{group}-none");
        option(None, testid, words.no_term().to_owned())
    });
    let defined = known.terms.iter().any(|term| term.definition.is_some());
    let definitions = (defined && set == 0).then(|| {
        view! { <Definitions group=known.clone() on_open=Callback::new(move |()| on_definitions.run(group))/> }
    });
    view! {
        <fieldset
            class="item options"
            class:wrong=move || is_missing.get()
            data-terms=name.clone()
        >
            <legend>{known.text.clone()}</legend>
            <div class="option-list">
                {terms}
                {empty}
            </div>
            <p class="item-problem" id=problem_id.clone()>
                {move || is_missing.get().then(|| words.missing_term())}
            </p>
            {definitions}
        </fieldset>
    }
}

/// Brings the first place that is missing into focus.
pub(super) fn focus(missing: &Missing) {
    let group = missing.group.unwrap_or(0);
    let css = format!("[data-terms='terms-{}-{group}'] input", missing.set);
    let input = document().query_selector(&css).ok().flatten();
    if let Some(input) = input.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
        // The message is on the page whether or not the focus follows.
        let _ = input.focus();
    }
}
