//! The tutorial: a few short steps with something to play with.

mod play_box;

use std::sync::Arc;

use domain::model::{Arrangement, ModelFacts};
use leptos::prelude::*;

use self::play_box::{Play, PlayBox, Shows};
use crate::state::LocalDecode;
use crate::text::text;
use crate::ui::parts::{Heading, Remount};

/// The steps, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Dials,
    Target,
    Together,
    End,
}

const STEPS: [Step; 4] = [Step::Dials, Step::Target, Step::Together, Step::End];

/// The tutorial, played with any model; it keeps what is played to itself.
#[component]
pub fn TutorialScreen(
    /// The model to play with.
    facts: ModelFacts,
    /// Its decoder.
    decode: LocalDecode,
    /// The last step was read.
    on_done: Callback<()>,
) -> impl IntoView {
    let words = &text().tutorial;
    let facts = Arc::new(facts);
    let position = RwSignal::new(0_usize);
    let play = Play::new(&facts, decode);
    let last = STEPS.len() - 1;
    let ways = move |position_now: usize| {
        view! {
            <div class="actions">
                {(position_now < last).then(|| view! {
                    <button
                        type="button"
                        class="button primary"
                        data-testid="tutorial-next"
                        on:click=move |_| position.update(|position| *position = (*position + 1).min(last))
                    >
                        {words.next()}
                    </button>
                })}
                {(position_now == last).then(|| view! {
                    <button
                        type="button"
                        class="button primary"
                        data-testid="tutorial-finish"
                        on:click=move |_| on_done.run(())
                    >
                        {words.finish()}
                    </button>
                })}
                {(position_now > 0).then(|| view! {
                    <button
                        type="button"
                        class="button quiet"
                        data-testid="tutorial-back"
                        on:click=move |_| position.update(|position| *position = position.saturating_sub(1))
                    >
                        {words.back()}
                    </button>
                })}
            </div>
        }
    };
    let step = move |now: usize| {
        view! {
            <div class="card">
                <p class="eyebrow">{words.step(now + 1, STEPS.len())}</p>
                {step_view(STEPS[now.min(last)], &facts, play)}
                {ways(now)}
            </div>
        }
        .into_any()
    };
    view! {
        <div class="screen tutorial" data-screen="tutorial">
            <Remount of=position.into() children=step/>
        </div>
    }
}

fn step_view(step: Step, facts: &Arc<ModelFacts>, play: Play) -> AnyView {
    let words = &text().tutorial;
    let facts = facts.clone();
    match step {
        Step::Dials => view! {
            <Heading words=words.dials_heading()/>
            <p>{words.dials_body()}</p>
            <PlayBox facts play shows=Shows::Picture/>
            <p class="muted small">{words.dials_keys()}</p>
        }
        .into_any(),
        Step::Target => {
            play.place(Arrangement::Apart);
            view! {
                <Heading words=words.target_heading()/>
                <p>{words.target_body()}" "{words.target_bar()}</p>
                <PlayBox facts play shows=Shows::Target/>
            }
            .into_any()
        }
        Step::Together => {
            // Where both are alike there is nothing to see of the two hues.
            play.restart();
            view! {
                <Heading words=words.together_heading()/>
                <p>{words.together_body()}" "{words.together_try()}</p>
                <PlayBox facts play shows=Shows::TargetAndSwitch/>
            }
            .into_any()
        }
        Step::End => {
            let ends = [
                (words.end_matched_title(), words.end_matched()),
                (words.end_skip_title(), words.end_skip()),
                (words.end_saved_title(), words.end_saved()),
            ];
            let ends =
                ends.map(|(title, body)| view! { <div><dt>{title}</dt><dd>{body}</dd></div> });
            view! {
                <Heading words=words.end_heading()/>
                <dl class="endings">{ends.collect_view()}</dl>
            }
            .into_any()
        }
    }
}
