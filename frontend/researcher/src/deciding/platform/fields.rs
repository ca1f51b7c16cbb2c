//! What has to be typed before a platform is told, or a payment is noted.

use domain::recruitment::outbox::{LONGEST_MESSAGE, RejectionCategory, SHORTEST_MESSAGE};
use leptos::prelude::*;

use super::Typed;
use crate::entrance::Field;

/// Why work is rejected: a category, and a message that the participant reads.
#[component]
pub fn RejectFields(
    /// What is typed.
    typed: Typed,
    /// Whether those who are chosen were exceptionally fast.
    too_fast: bool,
) -> impl IntoView {
    let offered = RejectionCategory::ALL
        .into_iter()
        .filter(move |category| too_fast || *category != RejectionCategory::TooQuickly);
    let options: Vec<_> = offered
        .map(|category| view! { <option value=category.code()>{category.words()}</option> })
        .collect();
    let choose = move |code: String| {
        let mut all = RejectionCategory::ALL.into_iter();
        typed.category.set(all.find(|it| it.code() == code));
    };
    let length = move || typed.message.with(|text| text.trim().chars().count());
    let chosen = move || typed.category.get().map_or("", RejectionCategory::code);
    view! {
        <label class="area-field">
            "Reason at Prolific"
            <select
                data-testid="category"
                prop:value=chosen
                on:change=move |event| choose(event_target_value(&event))
            >
                <option value="">"Choose one"</option>
                {options}
            </select>
        </label>
        {(!too_fast).then(|| view! { <p class="small muted">"“Too fast” is offered only beyond three standard deviations below the study's mean time."</p> })}
        <label class="area-field">
            "Message, which the participant reads"
            <textarea
                rows="4"
                data-testid="message"
                prop:value=move || typed.message.get()
                on:input=move |event| typed.message.set(event_target_value(&event))
            ></textarea>
        </label>
        <p class="small muted tabular" data-testid="message-length">
            {move || format!("{} characters; Prolific wants {SHORTEST_MESSAGE} to {LONGEST_MESSAGE}", length())}
        </p>
    }
}

/// How much a bonus is, and why.
#[component]
pub fn BonusFields(
    /// What is typed.
    typed: Typed,
    /// Enter was pressed.
    done: Callback<()>,
) -> impl IntoView {
    view! {
        <Field label="Amount for each, such as 0.50" testid="amount" value=typed.amount on_enter=done/>
        <Field label="Why, which the participant may read" testid="reason" value=typed.reason on_enter=done/>
        <Field label="What tells it from other bonuses of the same session" testid="reference" value=typed.reference on_enter=done/>
    }
}

/// Why somebody is asked to return their work.
#[component]
pub fn ReturnFields(
    /// What is typed.
    typed: Typed,
    /// Enter was pressed.
    done: Callback<()>,
) -> impl IntoView {
    view! {
        <Field label="Why, which the participant reads" testid="reason" value=typed.reason on_enter=done/>
    }
}

/// What tells a payment from others.
#[component]
pub fn PayFields(
    /// What is typed.
    typed: Typed,
    /// Enter was pressed.
    done: Callback<()>,
) -> impl IntoView {
    view! {
        <Field label="What tells it from other payments, such as the number of a transfer (may be empty)" testid="transfer" value=typed.transfer on_enter=done/>
    }
}
