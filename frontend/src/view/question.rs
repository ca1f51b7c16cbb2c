//! A question: dials, pictures, the alignment bar, and the ways out.

use domain::plan::{SkipRule, StagePlan};
use leptos::html;
use leptos::prelude::*;

use super::alignment::AlignmentBar;
use super::dials::DialList;
use super::parts::{Heading, whole_percent};
use super::picture::PictureArea;
use super::{Footer, QuestionView};
use crate::text::text;
use std::sync::Arc;

/// The screen of one question.
#[component]
pub fn QuestionScreen(
    /// What it shows, and where it reports to.
    q: QuestionView,
) -> impl IntoView {
    let words = &text().question;
    let on_activity = q.on_activity;
    let active = move || on_activity.run(());
    let facts = Arc::new(q.stage.model.clone());
    view! {
        <div
            class="screen question"
            data-screen="question"
            data-stage=q.at.stage.to_string()
            data-question=q.at.question.to_string()
            data-model=facts.name.clone()
            on:pointerdown=move |_| active()
            on:pointermove=move |_| active()
            on:keydown=move |_| active()
        >
            <div class="question-intro">
                <Heading words=words.heading()/>
                <p>{words.instruction()}</p>
            </div>
            <div class="workbench">
                <section class="controls" aria-label=words.dials()>
                    <DialList
                        latent=facts.latent.clone()
                        z=q.z
                        locked=q.locked
                        names=q.dial_names
                        rename=q.stage.rename_dials
                        on_input=q.on_input
                        on_rename=q.on_rename
                    />
                </section>
                <section class="viewing" aria-label=words.pictures()>
                    <PictureArea
                        facts=facts.clone()
                        picture=q.picture
                        target=Some(q.target.clone())
                        arrangement=q.arrangement
                        on_switch=Some(q.on_switch)
                    />
                    <AlignmentBar alignment=q.alignment threshold=facts.threshold/>
                </section>
                <WaysOut
                    hint=skip_hint(&q.stage)
                    locked=q.locked
                    can_skip=q.can_skip
                    on_skip=q.on_skip
                    on_move_on=q.on_move_on
                />
            </div>
            <Progress footer=q.footer/>
        </div>
    }
}

/// When the question can be skipped, in words. How much of that time has passed is not shown.
fn skip_hint(stage: &StagePlan) -> String {
    let words = &text().question;
    match stage.skip {
        SkipRule::Never => words.skip_never().to_owned(),
        SkipRule::Always => words.skip_always().to_owned(),
        SkipRule::AfterActive { seconds } => words.skip_after(seconds.round()),
    }
}

/// Skip and Move on. Until one of them appears, a hint stands in its place, so that nothing jumps.
#[component]
fn WaysOut(
    hint: String,
    locked: Signal<bool>,
    can_skip: Signal<bool>,
    on_skip: Callback<()>,
    on_move_on: Callback<()>,
) -> impl IntoView {
    let words = &text().question;
    let move_on = move || {
        let button = NodeRef::<html::Button>::new();
        button.on_load(|button| {
            // Focus spares the pointer or the Tab key a way; without it the button still works.
            let _ = button.focus();
        });
        view! {
            <p class="matched"><span aria-hidden="true" class="matched-mark"></span>{words.matched()}</p>
            <button
                type="button"
                class="button primary"
                data-testid="move-on"
                node_ref=button
                // A key still held down from the last small step must not press this button too.
                on:keydown=|event| if event.repeat() { event.prevent_default() }
                on:click=move |_| on_move_on.run(())
            >
                {words.move_on()}
            </button>
        }
    };
    let skip = move || {
        view! {
            <button type="button" class="button" data-testid="skip" on:click=move |_| on_skip.run(())>
                {words.skip()}
            </button>
        }
    };
    let out = Memo::new(move |_| (locked.get(), can_skip.get()));
    view! {
        <div class="ways-out">
            {move || match out.get() {
                (true, _) => move_on().into_any(),
                (false, true) => skip().into_any(),
                (false, false) => view! { <p class="muted small">{hint.clone()}</p> }.into_any(),
            }}
        </div>
    }
}

/// Stage, question and overall progress.
#[component]
fn Progress(footer: Footer) -> impl IntoView {
    let words = &text().progress;
    let percent = whole_percent(footer.overall);
    let stage = if footer.practice {
        words.practice().to_owned()
    } else {
        words.stage(footer.stage_number, footer.stage_count)
    };
    view! {
        <section class="progress-footer" aria-label=words.label()>
            <p class="progress-place">
                <span>{stage}</span>
                <span>{words.question(footer.question_number, footer.question_count)}</span>
            </p>
            <progress class="progress" max="100" value=percent.to_string() aria-label=words.label()></progress>
            <p class="tabular progress-overall">{words.overall(percent)}</p>
        </section>
    }
}
