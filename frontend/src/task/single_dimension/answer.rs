//! The choice with the two items beside it, and what follows it.

use domain::questionnaire::{Answer, Item, ItemKind, Questionnaire};
use domain::task::single_dimension::LIKERT_POINTS;
use leptos::html;
use leptos::prelude::*;

use crate::state::Feedback;
use crate::text::text;
use crate::ui::form::answers::Drafts;
use crate::ui::form::fields::ItemField;
use crate::ui::form::filling::Form;
use crate::ui::parts::Press;
use crate::ui::presses;
use crate::ui::typed::hands_in;

const CONFIDENCE: &str = "confidence";
const UNDERSTANDING: &str = "understanding";

/// The two items after the choice.
fn items() -> Questionnaire {
    let words = &text().single;
    let item = |id: &str, text: &str| {
        let points = ItemKind::Scale {
            min: 1,
            max: i64::from(LIKERT_POINTS),
            min_label: words.disagree().to_owned(),
            max_label: words.agree().to_owned(),
        };
        Item::required(id, text, points)
    };
    let items = vec![
        item(CONFIDENCE, words.confident()),
        item(UNDERSTANDING, words.sense()),
    ];
    Questionnaire::page("", "", items)
}

/// The choice, how sure the participant is, and whether the dial makes sense.
#[component]
pub fn AnswerForm(
    /// The participant's name for the dial.
    dial: String,
    /// The names of the options.
    names: Vec<String>,
    /// Whether only their numbers stand on them.
    numbered: bool,
    /// The option chosen so far.
    chosen: Signal<Option<usize>>,
    /// The drafts from before the page was left.
    drafts: Drafts,
    /// Something was filled in.
    on_draft: Callback<Drafts>,
    /// An option was chosen.
    on_choose: Callback<usize>,
    /// The answer: option, confidence and understanding.
    on_answer: Callback<(usize, u8, u8)>,
) -> impl IntoView {
    let words = &text().single;
    let form = Form::resume(drafts);
    Effect::new(move |_| on_draft.run(form.drafts.get()));
    let missing = RwSignal::new(false);
    let first = NodeRef::<html::Input>::new();
    let items = items();
    let fields = items
        .items
        .iter()
        .cloned()
        .map(|item| view! { <ItemField item form/> });
    let fields = fields.collect_view();
    let submit = Callback::new(move |()| {
        let answers = form.drafts.with_untracked(|drafts| drafts.answers(&items));
        let option = chosen.get_untracked();
        missing.set(option.is_none());
        match (option, answers) {
            (Some(option), Ok(answers)) => {
                let point = |id: &str| match answers.get(id) {
                    Some(Answer::Number(point)) => u8::try_from(*point).unwrap_or(0),
                    _ => 0,
                };
                on_answer.run((option, point(CONFIDENCE), point(UNDERSTANDING)));
            }
            (option, answers) => {
                let problems = answers.err().unwrap_or_default();
                if option.is_none() {
                    if let Some(first) = first.get_untracked() {
                        // The message is on the page whether or not the focus follows.
                        let _ = first.focus();
                    }
                } else if let Some((item, _)) = problems.first() {
                    crate::ui::form::questionnaire::focus_item(item);
                }
                form.problems.set(problems.into_iter().collect());
            }
        }
    });
    let options = names.into_iter().enumerate().map(|(option, name)| {
        let node = if option == 0 { first } else { NodeRef::new() };
        let (shown, full) = if numbered {
            ((option + 1).to_string(), Some(name))
        } else {
            (name, None)
        };
        view! {
            <label class="option">
                <input
                    type="radio"
                    name="option"
                    node_ref=node
                    data-testid=format!("option-{option}")
                    aria-label=full
                    aria-describedby="option-problem"
                    aria-invalid=move || missing.get().then_some("true")
                    prop:checked=move || chosen.get() == Some(option)
                    on:change=move |_| {
                        missing.set(false);
                        on_choose.run(option);
                    }
                />
                <span>{shown}</span>
            </label>
        }
    });
    let options = options.collect_view();
    let choose = if numbered {
        words.choose_value(dial)
    } else {
        words.choose(dial)
    };
    view! {
        <div
            class="answer"
            on:keydown=move |event| {
                if hands_in(&event) {
                    submit.run(());
                }
            }
        >
            <fieldset class="item options" class:wrong=move || missing.get()>
                <legend>{choose}</legend>
                <div class="option-list" class:numbered=numbered>{options}</div>
                <p class="item-problem" id="option-problem">
                    {move || missing.get().then(|| words.missing())}
                </p>
            </fieldset>
            {fields}
            <div class="actions">
                <Press testid="answer" on_press=submit>{text().ways.go_on()}</Press>
            </div>
        </div>
    }
}

/// The right answer, or why it is not there.
#[component]
pub fn RightAnswer(
    /// The participant's name for the dial.
    dial: String,
    /// The names of the options.
    names: Vec<String>,
    /// The answer, and the right one.
    feedback: Signal<Feedback>,
    /// The participant goes on.
    on_move_on: Callback<()>,
) -> impl IntoView {
    let words = &text().single;
    let name = move |option: usize| names.get(option).cloned().unwrap_or_default();
    let said = move || match feedback.get() {
        Feedback::NotAnswered => ().into_any(),
        Feedback::Waiting { .. } => view! { <p class="waiting">{words.checking()}</p> }.into_any(),
        Feedback::Late { .. } => view! { <p>{words.late()}</p> }.into_any(),
        Feedback::Given { chosen, verdict } => {
            let option = name(verdict.option);
            if verdict.right {
                view! {
                    <p class="verdict right" data-testid="verdict" data-right="true">
                        <span aria-hidden="true" class="verdict-mark"></span>
                        {words.right(&dial, option)}
                    </p>
                }
                .into_any()
            } else {
                view! {
                    <p class="verdict wrong" data-testid="verdict" data-right="false">
                        <span aria-hidden="true" class="verdict-mark"></span>
                        {words.wrong(&dial, option)}
                    </p>
                    <p class="muted">{words.you_chose(name(chosen))}</p>
                }
                .into_any()
            }
        }
    };
    let can_go_on = Memo::new(move |_| {
        matches!(
            feedback.get(),
            Feedback::Late { .. } | Feedback::Given { .. }
        )
    });
    let go_on = move || {
        presses::new_page();
        let button = NodeRef::<html::Button>::new();
        button.on_load(|button| {
            // Focus spares the pointer or the Tab key a way; without it the button still works.
            let _ = button.focus();
        });
        view! {
            <button
                type="button"
                class="button primary"
                data-testid="move-on"
                node_ref=button
                on:click=move |_| on_move_on.run(())
            >
                {text().ways.go_on()}
            </button>
        }
    };
    view! {
        <div class="right-answer">
            <div role="status" aria-live="polite">{said}</div>
            {move || can_go_on.get().then(go_on)}
        </div>
    }
}
