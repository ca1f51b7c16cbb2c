//! One's own account: the password, places where one is signed in, tokens, and for admins everybody's accounts.

use api::research::{Done, PasswordChange, SignInInfo, SignIns};
use api::routes;
use frontend::runtime::research_client;
use frontend::ui::parts::{Heading, Press};
use leptos::prelude::*;

use crate::accounts::Accounts;
use crate::area::Area;
use crate::entrance::{Field, HandIn, typed_twice};
use crate::table_box::{TableBox, words};
use crate::text::text;
use crate::tokens::Tokens;
use crate::words::date_and_time;

/// The page of one's own account.
#[component]
pub fn AccountPage(area: Area) -> impl IntoView {
    let me = area.me();
    let admin = me.as_ref().is_some_and(|me| me.admin);
    view! {
        <div data-screen="account" class="area-page">
            <Heading words=text().account.heading()/>
            <Tokens area/>
            <Places area/>
            {me.map(|me| view! { <Password area name=me.name/> })}
            {admin.then(|| view! { <Accounts area/> })}
        </div>
    }
}

/// Places where one is signed in.
#[component]
fn Places(area: Area) -> impl IntoView {
    let places = RwSignal::new(Vec::<SignInInfo>::new());
    let load = move || {
        area.attempt(async move {
            let found: SignIns = research_client::get(routes::SIGN_INS).await?;
            places.set(found.sign_ins);
            Ok(())
        });
    };
    area.load(load);
    let row = move |place: SignInInfo| {
        let path = routes::sign_in(&place.id);
        let end = Callback::new(move |()| {
            let path = path.clone();
            area.attempt(async move {
                let key = area.change_key();
                let _: Done = research_client::delete(&path, key.as_deref()).await?;
                load();
                area.done
                    .set(Some(text().account.sign_in_ended().to_owned()));
                Ok(())
            });
        });
        let act = if place.this {
            view! { <span class="muted">{text().account.this_one()}</span> }.into_any()
        } else {
            view! { <Press testid="end-sign-in" class="button quiet" on_press=end>{text().account.end()}</Press> }
                .into_any()
        };
        view! {
            <tr>
                <td>{date_and_time(place.began_at_unix_ms)}</td>
                <td>{date_and_time(place.used_at_unix_ms)}</td>
                <td>{place.address}</td>
                <td class="long">{place.browser}</td>
                <td>{act}</td>
            </tr>
        }
    };
    let texts = &text().account;
    let heads = words([
        texts.since(),
        texts.last_used(),
        texts.address(),
        texts.browser(),
        texts.action(),
    ]);
    view! {
        <section class="card">
            <h2>{text().account.places()}</h2>
            <TableBox label=text().account.sign_ins() heads>{move || places.get().into_iter().map(row).collect_view()}</TableBox>
        </section>
    }
}

#[component]
fn Password(area: Area, name: String) -> impl IntoView {
    let empty = || RwSignal::new(String::new());
    let (old, new, again) = (empty(), empty(), empty());
    let change = Callback::new(move |()| {
        let new_password = match typed_twice(&new.get_untracked(), &again.get_untracked()) {
            Ok(password) => password,
            Err(words) => {
                area.problem.set(Some(words));
                return;
            }
        };
        let request = PasswordChange {
            old: old.get_untracked(),
            new: new_password,
        };
        area.attempt(async move {
            let key = area.change_key();
            let _: Done = research_client::post(routes::PASSWORD, &request, key.as_deref()).await?;
            for typed in [old, new, again] {
                typed.set(String::new());
            }
            let words = text().account.password_changed();
            area.done.set(Some(words.to_owned()));
            Ok(())
        });
    });
    view! {
        <section class="card narrow">
            <h2>{text().account.password()}</h2>
            <HandIn testid="change-password" class="button" words=text().account.change() on_submit=change>
                // Whose password it is, for password managers.
                <input type="text" autocomplete="username" prop:value=name readonly hidden/>
                <Field label=text().account.old_password() testid="old-password" kind="password" autocomplete="current-password" value=old/>
                <Field label=text().account.new_password() testid="new-password" kind="password" autocomplete="new-password" value=new/>
                <Field label=text().entrance.same_again() testid="new-again" kind="password" autocomplete="new-password" value=again/>
            </HandIn>
        </section>
    }
}
