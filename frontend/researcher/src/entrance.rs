//! Signing in, and setting a password with a link.

use api::research::{Done, LONGEST_PASSWORD, Me, PasswordByLink, SHORTEST_PASSWORD, SignInRequest};
use api::routes;
use frontend::runtime::clock::monotonic_ms;
use frontend::runtime::research_client;
use frontend::ui::parts::Heading;
use frontend::ui::typed::hands_in;
use leptos::prelude::*;

use crate::area::Area;
use crate::behind_hash::{forget, key_of_link};
use crate::provider::ProviderButton;
use crate::text::text;

/// The page of whoever is not signed in.
#[component]
pub fn EntrancePage(area: Area) -> impl IntoView {
    let key = RwSignal::new(key_of_link());
    let form = move || match key.get() {
        Some(given) => {
            let on_set = Callback::new(move |()| {
                forget();
                key.set(None);
                area.done
                    .set(Some(text().entrance.password_is_set().to_owned()));
            });
            view! { <PasswordForm area given on_set/> }.into_any()
        }
        None => view! {
            <Heading words=text().entrance.heading()/>
            <SignInForm area again=false/>
            <p class="muted">{text().entrance.no_account()}</p>
        }
        .into_any(),
    };
    view! { <section class="card narrow" data-screen="entrance">{form}</section> }
}

/// A form is handed in again after so long at the soonest, in milliseconds.
const AGAIN_AFTER_MS: f64 = 500.0;

/// Fields that are handed in together, by Enter in one of them or by the button. Password managers want such a form;
/// the browser itself sends nothing.
#[component]
pub fn HandIn(
    /// The button's name for tests.
    testid: &'static str,
    /// How the button looks.
    #[prop(default = "button primary")]
    class: &'static str,
    /// The words on the button.
    words: &'static str,
    /// It is handed in.
    on_submit: Callback<()>,
    /// The fields.
    children: Children,
) -> impl IntoView {
    let handed_in_ms = StoredValue::new(f64::NEG_INFINITY);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        // A double press, or a key that is held, is one.
        let now_ms = monotonic_ms();
        if now_ms - handed_in_ms.get_value() < AGAIN_AFTER_MS {
            return;
        }
        handed_in_ms.set_value(now_ms);
        on_submit.run(());
    };
    view! {
        <form class="area-form" on:submit=submit>
            {children()}
            <p class="actions"><button type="submit" class=class data-testid=testid>{words}</button></p>
        </form>
    }
}

/// A new password that was typed twice.
///
/// # Errors
/// That the two differ, in words.
pub fn typed_twice(password: &str, again: &str) -> Result<String, String> {
    if password == again {
        Ok(password.to_owned())
    } else {
        Err(text().entrance.passwords_differ().to_owned())
    }
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
    /// The text in the field.
    value: RwSignal<String>,
    /// Enter was pressed in it. In [`HandIn`] the browser asks for that itself.
    #[prop(optional)]
    on_enter: Option<Callback<()>>,
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
                    if let Some(on_enter) = on_enter && hands_in(&event) {
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
        <HandIn testid="enter" words=text().entrance.heading() on_submit=enter>
            <Field label=text().entrance.name() testid="name" autocomplete="username" value=name/>
            <Field label=text().entrance.password() testid="password" kind="password" autocomplete="current-password" value=password/>
        </HandIn>
        <ProviderButton area again/>
    }
}

#[component]
fn PasswordForm(area: Area, given: String, on_set: Callback<()>) -> impl IntoView {
    let (password, again) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let given = StoredValue::new(given);
    let set = Callback::new(move |()| {
        let password = match typed_twice(&password.get_untracked(), &again.get_untracked()) {
            Ok(password) => password,
            Err(words) => {
                area.problem.set(Some(words));
                return;
            }
        };
        let request = PasswordByLink {
            key: given.get_value(),
            password,
        };
        area.attempt(async move {
            let _: Done = research_client::post(routes::PASSWORD_BY_LINK, &request, None).await?;
            // The page may have been left.
            let _ = on_set.try_run(());
            Ok(())
        });
    });
    view! {
        <Heading words=text().entrance.set_heading()/>
        <p>{text().entrance.password_length(SHORTEST_PASSWORD, LONGEST_PASSWORD)}</p>
        <HandIn testid="set" words=text().entrance.set() on_submit=set>
            <Field label=text().entrance.password() testid="new" kind="password" autocomplete="new-password" value=password/>
            <Field label=text().entrance.same_again() testid="again" kind="password" autocomplete="new-password" value=again/>
        </HandIn>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_passwords_that_differ_are_told() {
        assert_eq!(typed_twice("a b", "a b"), Ok("a b".to_owned()));
        assert!(typed_twice("a b", "a b ").is_err_and(|it| it.contains("differ")));
    }
}
