//! The ways out of a question: on from a solved one, past it, or declared done.

use domain::task::reconstruction::{Plan, SkipRule};
use leptos::html;
use leptos::prelude::*;

use crate::text::text;
use crate::ui::parts::Press;
use crate::ui::presses;

/// When the question can be skipped, in words. How much of that time has passed is not shown.
pub(super) fn skip_hint(plan: &Plan) -> String {
    let words = &text().question;
    match plan.skip {
        SkipRule::Never => words.skip_never().to_owned(),
        SkipRule::Always => words.skip_always().to_owned(),
        SkipRule::AfterActive { seconds } => words.skip_after(seconds.round() as usize),
    }
}

/// *Done* and *Give up*, where the participant declares the end.
#[component]
pub(super) fn DeclaredEnd(
    can_skip: Signal<bool>,
    on_done: Callback<()>,
    on_skip: Callback<()>,
) -> impl IntoView {
    let words = &text().question;
    let give_up = move || {
        can_skip.get().then(|| {
            presses::new_page();
            view! {
                <Press testid="skip" class="button" on_press=on_skip>{words.give_up()}</Press>
            }
        })
    };
    view! {
        <div class="ways-out declared">
            <Press testid="done" on_press=on_done>{words.done()}</Press>
            {give_up}
        </div>
    }
}

/// Skip and Move on. Until one of them appears, a hint stands in its place, so that nothing jumps.
#[component]
pub(super) fn WaysOut(
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
                on:click=move |_| on_move_on.run(())
            >
                {text().ways.go_on()}
            </button>
        }
    };
    let skip = move || {
        view! {
            <Press testid="skip" class="button" on_press=on_skip>{words.skip()}</Press>
        }
    };
    let out = Memo::new(move |_| (locked.get(), can_skip.get()));
    view! {
        <div class="ways-out">
            {move || {
                // The ways out stand in one place.
                presses::new_page();
                match out.get() {
                (true, _) => move_on().into_any(),
                (false, true) => skip().into_any(),
                (false, false) => view! { <p class="muted small">{hint.clone()}</p> }.into_any(),
            }}}
        </div>
    }
}
