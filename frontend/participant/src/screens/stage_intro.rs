//! Before a stage: what is coming, and that the dials now act otherwise.

use frontend::text::text;
use frontend::ui::parts::{Heading, counted};
use leptos::prelude::*;

/// The introduction of a stage.
#[component]
pub fn StageIntroScreen(
    /// Number of the stage from 1, practice not counted.
    number: usize,
    /// How many stages there are, practice not counted.
    count: usize,
    /// Whether the stage is practice.
    practice: bool,
    /// Whether it is the first stage that is no practice.
    first: bool,
    /// How many questions it has.
    questions: usize,
    /// The participant is ready.
    on_begin: Callback<()>,
) -> impl IntoView {
    let words = &text().stage_intro;
    let (heading, begin) = match (practice, first) {
        (true, _) => (words.practice_heading(), words.practice_begin()),
        (false, true) => (words.first_heading(), words.begin()),
        (false, false) => (words.change_heading(), words.begin()),
    };
    let body = if practice {
        let amount = counted(questions, words.practice_body_one(), |n| {
            words.practice_body(n)
        });
        view! { <p class="lead">{amount}</p> }.into_any()
    } else {
        let change = if first {
            words.first_body()
        } else {
            words.change_body()
        };
        let amount = counted(questions, words.questions_one(), |n| words.questions(n));
        view! { <p class="lead">{change}</p><p>{amount}" "{words.pace()}</p> }.into_any()
    };
    view! {
        <div class="screen notice" data-screen="stage-intro">
            <div class="card">
                {(!practice).then(|| view! { <p class="eyebrow">{words.position(number, count)}</p> })}
                <Heading words=heading/>
                {body}
                <div class="actions">
                    <button
                        type="button"
                        class="button primary"
                        data-testid="stage-begin"
                        on:click=move |_| on_begin.run(())
                    >
                        {begin}
                    </button>
                </div>
            </div>
        </div>
    }
}
