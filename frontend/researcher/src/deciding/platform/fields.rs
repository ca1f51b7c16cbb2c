//! The fields to fill in before a platform is told, or a payment is noted.

use domain::recruitment::outbox::{LONGEST_MESSAGE, RejectionCategory, SHORTEST_MESSAGE};
use leptos::prelude::*;

use super::Typed;
use crate::entrance::Field;
use crate::text::text;

/// Why work is rejected: a category, and a message that the participant reads.
#[component]
pub fn RejectFields(
    /// The input of the forms.
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
            {text().deeds.category()}
            <select
                data-testid="category"
                prop:value=chosen
                on:change=move |event| choose(event_target_value(&event))
            >
                <option value="">{text().deeds.choose_one()}</option>
                {options}
            </select>
        </label>
        {(!too_fast).then(|| view! { <p class="small muted">{text().deeds.too_fast()}</p> })}
        <label class="area-field">
            {text().deeds.message()}
            <textarea
                rows="4"
                data-testid="message"
                prop:value=move || typed.message.get()
                on:input=move |event| typed.message.set(event_target_value(&event))
            ></textarea>
        </label>
        <p class="small muted tabular" data-testid="message-length">
            {move || text().deeds.message_length(length(), SHORTEST_MESSAGE, LONGEST_MESSAGE)}
        </p>
    }
}

/// How much a bonus is, and why.
#[component]
pub fn BonusFields(
    /// The input of the forms.
    typed: Typed,
    /// Enter was pressed.
    done: Callback<()>,
) -> impl IntoView {
    view! {
        <Field label=text().deeds.amount() testid="amount" value=typed.amount on_enter=done/>
        <Field label=text().deeds.bonus_reason() testid="reason" value=typed.reason on_enter=done/>
        <Field label=text().deeds.bonus_reference() testid="reference" value=typed.reference on_enter=done/>
    }
}

/// Why somebody is asked to return their work.
#[component]
pub fn ReturnFields(
    /// The input of the forms.
    typed: Typed,
    /// Enter was pressed.
    done: Callback<()>,
) -> impl IntoView {
    view! {
        <Field label=text().deeds.return_reason() testid="reason" value=typed.reason on_enter=done/>
    }
}

/// The field that tells a payment from others.
#[component]
pub fn PayFields(
    /// The input of the forms.
    typed: Typed,
    /// Enter was pressed.
    done: Callback<()>,
) -> impl IntoView {
    view! {
        <Field label=text().deeds.transfer() testid="transfer" value=typed.transfer on_enter=done/>
    }
}
