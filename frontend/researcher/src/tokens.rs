//! Tokens for scripts.

use api::research::{
    ApiTokenInfo, ApiTokenMade, ApiTokens, Done, LONGEST_TOKEN_DAYS, NewApiToken, Scope, TOKEN_DAYS,
};
use api::routes;
use frontend::runtime::research_client;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use crate::area::Area;
use crate::entrance::Field;
use crate::table_box::{TableBox, words};
use crate::text::text;
use crate::words::date_and_time;

/// The tokens of whoever is signed in, and a new one.
#[component]
pub fn Tokens(area: Area) -> impl IntoView {
    let tokens = RwSignal::new(Vec::<ApiTokenInfo>::new());
    let made = RwSignal::new(None::<String>);
    let load = move || {
        area.attempt(async move {
            let found: ApiTokens = research_client::get(routes::API_TOKENS).await?;
            tokens.set(found.tokens);
            Ok(())
        });
    };
    area.load(load);
    let row = move |token: ApiTokenInfo| {
        let path = routes::api_token(&token.id);
        let end = Callback::new(move |()| {
            let path = path.clone();
            area.attempt(async move {
                let key = area.change_key();
                let _: Done = research_client::delete(&path, key.as_deref()).await?;
                load();
                area.done.set(Some(text().tokens.token_ended().to_owned()));
                Ok(())
            });
        });
        let scopes: Vec<&str> = token.scopes.iter().map(|it| about(*it)).collect();
        let used = token
            .used_at_unix_ms
            .map_or_else(|| text().tokens.never().to_owned(), date_and_time);
        view! {
            <tr>
                <th scope="row">{token.label}</th>
                <td>{scopes.join(", ")}</td>
                <td>{token.studies.join(", ")}</td>
                <td>{date_and_time(token.ends_at_unix_ms)}</td>
                <td>{used}</td>
                <td><Press testid="end-token" class="button quiet" on_press=end>{text().tokens.end()}</Press></td>
            </tr>
        }
    };
    let table = move || {
        let tokens = tokens.get();
        let texts = &text().tokens;
        let heads = words([
            texts.purpose(),
            texts.may(),
            texts.within(),
            texts.ends(),
            texts.last_used(),
            texts.action(),
        ]);
        (!tokens.is_empty()).then(|| {
            view! {
                <TableBox label=texts.yours() heads>{tokens.into_iter().map(row).collect_view()}</TableBox>
            }
        })
    };
    let shown = move || {
        made.get().map(|token| {
            view! {
                <div class="note">
                    <p>{text().tokens.keep()}</p>
                    <code class="area-token" data-testid="token">{token}</code>
                </div>
            }
        })
    };
    let on_made = Callback::new(move |token| {
        made.set(Some(token));
        load();
    });
    view! {
        <section class="card">
            <h2>{text().tokens.heading()}</h2>
            {table}
            {shown}
            <NewToken area on_made/>
        </section>
    }
}

fn about(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => text().tokens.scope_read(),
        Scope::Export => text().tokens.scope_export(),
        Scope::Manage => text().tokens.scope_manage(),
    }
}

#[component]
fn NewToken(area: Area, on_made: Callback<String>) -> impl IntoView {
    let label = RwSignal::new(String::new());
    let days = RwSignal::new(TOKEN_DAYS.to_string());
    let scopes = RwSignal::new(Vec::<Scope>::new());
    let studies = RwSignal::new(Vec::<String>::new());
    let make = Callback::new(move |()| {
        let Some(days) = days.get_untracked().trim().parse().ok() else {
            let words = text().tokens.which_days(LONGEST_TOKEN_DAYS);
            area.problem.set(Some(words));
            return;
        };
        let request = NewApiToken {
            label: label.get_untracked(),
            scopes: scopes.get_untracked(),
            studies: studies.get_untracked(),
            days: Some(days),
        };
        area.attempt(async move {
            let key = area.change_key();
            let made: ApiTokenMade =
                research_client::post(routes::API_TOKENS, &request, key.as_deref()).await?;
            label.set(String::new());
            // The page may have been left.
            let _ = on_made.try_run(made.token);
            Ok(())
        });
    });
    let of_scope = Scope::ALL.map(|scope| {
        view! { <Tick words=about(scope).to_owned() value=scope chosen=scopes/> }
    });
    let own: Vec<String> = area
        .me()
        .into_iter()
        .flat_map(|me| me.studies)
        .map(|it| it.study)
        .collect();
    let of_study = own
        .into_iter()
        .map(|study| view! { <Tick words=study.clone() value=study chosen=studies/> });
    view! {
        <div class="area-form">
            <Field label=text().tokens.label() testid="label" value=label on_enter=make/>
            <fieldset><legend>{text().tokens.it_may()}</legend>{of_scope.collect_view()}</fieldset>
            <fieldset><legend>{text().tokens.within()}</legend>{of_study.collect_view()}</fieldset>
            <Field label=text().tokens.days() testid="days" kind="number" value=days on_enter=make/>
            <p class="actions"><Press testid="make" on_press=make>{text().tokens.make()}</Press></p>
        </div>
    }
}

/// A box that puts a value among those that are chosen.
#[component]
pub fn Tick<T>(
    /// The words beside it.
    words: String,
    /// The value.
    value: T,
    /// Those that are chosen.
    chosen: RwSignal<Vec<T>>,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let value = StoredValue::new(value);
    let name = words.clone();
    view! {
        <label class="area-tick">
            <input
                type="checkbox"
                autocomplete="off"
                value=name
                prop:checked=move || chosen.with(|it| value.with_value(|value| it.contains(value)))
                on:change=move |event| {
                    let ticked = event_target_checked(&event);
                    chosen.update(|it| {
                        it.retain(|other| value.with_value(|value| other != value));
                        if ticked {
                            it.push(value.get_value());
                        }
                    });
                }
            />
            {words}
        </label>
    }
}
