//! Signing in, and setting a password with a link.

use api::research::{Done, LONGEST_PASSWORD, Me, PasswordByLink, SHORTEST_PASSWORD, SignInRequest};
use api::routes;
use frontend::runtime::research_client;
use frontend::ui::parts::{Heading, Press};
use frontend::ui::typed::hands_in;
use leptos::prelude::*;

use crate::area::Area;
use crate::behind_hash::{forget, key_of_link};
use crate::provider::ProviderButton;

/// The page of whoever is not signed in.
#[component]
pub fn EntrancePage(area: Area) -> impl IntoView {
    let key = RwSignal::new(key_of_link());
    let form = move || {
        match key.get() {
        Some(given) => {
            let on_set = Callback::new(move |()| {
                forget();
                key.set(None);
                area.done
                    .set(Some("Your password is set. Sign in with it.".to_owned()));
            });
            view! { <PasswordForm area given on_set/> }.into_any()
        }
        None => view! {
            <Heading words="Sign in"/>
            <SignInForm area again=false/>
            <p class="muted">"Whoever has no account, or has forgotten the password, asks the people who run the server."</p>
        }
        .into_any(),
    }
    };
    view! { <section class="card narrow" data-screen="entrance">{form}</section> }
}

/// A field of one line.
#[component]
pub fn Field(
    /// The words above it.
    label: &'static str,
    /// Its name for tests.
    testid: &'static str,
    /// Its `type`.
    #[prop(default = "text")]
    kind: &'static str,
    /// Its `autocomplete`.
    #[prop(default = "off")]
    autocomplete: &'static str,
    /// What is typed.
    value: RwSignal<String>,
    /// Enter was pressed in it.
    on_enter: Callback<()>,
) -> impl IntoView {
    view! {
        <label class="area-field">
            {label}
            <input
                type=kind
                autocomplete=autocomplete
                autocapitalize="none"
                spellcheck="false"
                data-testid=testid
                prop:value=move || value.get()
                on:input=move |event| value.set(event_target_value(&event))
                on:keydown=move |event| {
                    if hands_in(&event) {
                        on_enter.run(());
                    }
                }
            />
        </label>
    }
}

/// Name and password, or the provider of OpenID Connect.
#[component]
pub fn SignInForm(
    area: Area,
    /// Whether their sign-in has ended while they were on a page.
    again: bool,
) -> impl IntoView {
    let (name, password) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let enter = Callback::new(move |()| {
        let request = SignInRequest {
            name: name.get_untracked(),
            password: password.get_untracked(),
        };
        area.attempt(async move {
            let me: Me = research_client::post(routes::SIGN_IN, &request, None).await?;
            password.set(String::new());
            area.enter(me);
            Ok(())
        });
    });
    view! {
        <Field label="Name" testid="name" autocomplete="username" value=name on_enter=enter/>
        <Field label="Password" testid="password" kind="password" autocomplete="current-password" value=password on_enter=enter/>
        <p class="actions"><Press testid="enter" on_press=enter>"Sign in"</Press></p>
        <ProviderButton area again/>
    }
}

#[component]
fn PasswordForm(area: Area, given: String, on_set: Callback<()>) -> impl IntoView {
    let (password, again) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let given = StoredValue::new(given);
    let set = Callback::new(move |()| {
        if password.get_untracked() != again.get_untracked() {
            let words = "The two passwords differ. Type the same one twice.";
            area.problem.set(Some(words.to_owned()));
            return;
        }
        let request = PasswordByLink {
            key: given.get_value(),
            password: password.get_untracked(),
        };
        area.attempt(async move {
            let _: Done = research_client::post(routes::PASSWORD_BY_LINK, &request, None).await?;
            // The page may have been left.
            let _ = on_set.try_run(());
            Ok(())
        });
    });
    view! {
        <Heading words="Set your password"/>
        <p>{format!("It has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters.")}</p>
        <Field label="Password" testid="new" kind="password" autocomplete="new-password" value=password on_enter=set/>
        <Field label="The same again" testid="again" kind="password" autocomplete="new-password" value=again on_enter=set/>
        <p class="actions"><Press testid="set" on_press=set>"Set the password"</Press></p>
    }
}
