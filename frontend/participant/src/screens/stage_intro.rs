//! Before a stage: what is coming, and that the dials now act otherwise.

use domain::task::TaskKind;
use frontend::text::text;
use frontend::ui::parts::{Heading, counted};
use leptos::prelude::*;

/// The introduction of a stage.
#[component]
pub fn StageIntroScreen(
    /// Its task.
    task: TaskKind,
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
    let begin = if practice {
        words.practice_begin()
    } else {
        words.begin()
    };
    let single = task == TaskKind::SingleDimension;
    let heading = match (task, practice, first) {
        (TaskKind::Exploration, ..) => words.exploration_heading(),
        (_, true, _) => words.practice_heading(),
        (_, false, true) => words.first_heading(),
        (TaskKind::SingleDimension, false, false) => words.single_change_heading(),
        (TaskKind::Reconstruction, false, false) => words.change_heading(),
    };
    let amount = counted(questions, words.questions_one(), |n| words.questions(n));
    let body = match (task, practice) {
        (TaskKind::Exploration, _) => {
            view! { <p class="lead">{words.exploration_body()}</p> }.into_any()
        }
        (_, true) => {
            let amount = if single {
                counted(questions, words.single_practice_body_one(), |n| {
                    words.single_practice_body(n)
                })
            } else {
                counted(questions, words.practice_body_one(), |n| {
                    words.practice_body(n)
                })
            };
            view! { <p class="lead">{amount}</p> }.into_any()
        }
        (_, false) => {
            let change = match (single, first) {
                (true, true) => words.single_first_body(),
                (true, false) => words.single_change_body(),
                (false, true) => words.first_body(),
                (false, false) => words.change_body(),
            };
            // The single-dimension task asks for care, not for speed.
            let pace = (!single).then(|| words.pace());
            view! { <p class="lead">{change}</p><p>{amount}" "{pace}</p> }.into_any()
        }
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
