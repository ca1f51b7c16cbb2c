//! A dial's name, which the participant can change.

use domain::task::reconstruction::MAX_DIAL_NAME;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::Dial;
use crate::text::text;
use crate::ui::typed::passing_id;

/// The name as a button. Pressed, it becomes a field over the whole line of the dial.
#[component]
pub(super) fn Name(dial: Dial, on_rename: Callback<(usize, String)>) -> impl IntoView {
    let Dial {
        index,
        position,
        name,
        ..
    } = dial;
    let words = &text().dial;
    let naming = RwSignal::new(false);
    let button = NodeRef::<html::Button>::new();
    let field = NodeRef::<html::Input>::new();
    // The field appears because its button was pressed, so it takes the focus from it.
    field.on_load(|field| {
        let _ = field.focus();
        field.select();
    });
    let done = move |by_key: bool| {
        // Leaving the field and pressing a key in it may both come.
        if !naming.get_untracked() {
            return;
        }
        let wanted = field.get_untracked().map(|field| field.value());
        naming.set(false);
        if let Some(wanted) = wanted {
            let wanted = wanted.trim().to_owned();
            if wanted != name.get_untracked() {
                on_rename.run((index, wanted));
            }
        }
        if by_key && let Some(button) = button.get_untracked() {
            let _ = button.focus();
        }
    };
    let on_key = move |event: KeyboardEvent| match event.key().as_str() {
        // Also the end of a word that an input method composes.
        "Enter" if !event.is_composing() => {
            event.prevent_default();
            done(true);
        }
        "Escape" => {
            naming.set(false);
            if let Some(button) = button.get_untracked() {
                let _ = button.focus();
            }
        }
        _ => {}
    };
    view! {
        <button
            type="button"
            class="dial-name rename"
            data-testid=format!("dial-{position}-name")
            aria-label=move || words.rename(name.get())
            title=move || name.get()
            node_ref=button
            on:click=move |_| naming.set(true)
        >
            <span class="dial-name-words">{move || name.get()}</span>
            <span class="rename-mark" aria-hidden="true"></span>
        </button>
        {move || naming.get().then(|| view! {
            <input
                type="text"
                class="dial-name-field"
                data-testid=format!("dial-{position}-name-field")
                aria-label=words.new_name(name.get_untracked())
                maxlength=MAX_DIAL_NAME
                autocomplete="off"
                id=passing_id()
                autocapitalize="off"
                enterkeyhint="done"
                spellcheck="false"
                value=name.get_untracked()
                node_ref=field
                on:keydown=on_key
                on:blur=move |_| done(false)
            />
        })}
    }
}
