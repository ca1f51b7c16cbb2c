//! Signing in through a provider of OpenID Connect, where the server has one.

use api::research::{Me, OpenIdBegun, OpenIdRequest, WaysToSignIn};
use api::routes;
use frontend::runtime::client::ClientError;
use frontend::runtime::{page, research_client};
use frontend::ui::parts::Press;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::area::Area;
use crate::text::text;

/// The button that leads to the provider, and back to the page of the address. On a page with something typed on it, which
/// would be lost on the way, it leads to another tab.
#[component]
pub fn ProviderButton(
    area: Area,
    /// Whether somebody's sign-in has ended while they were on a page.
    again: bool,
) -> impl IntoView {
    let provider = RwSignal::new(None::<String>);
    spawn_local(async move {
        // Without an answer there is no button. A password does in any case.
        let ways = research_client::get::<WaysToSignIn>(routes::SIGN_IN).await;
        let name = ways.ok().and_then(|ways| ways.openid);
        // The page may have been left.
        let _ = provider.try_set(name);
    });
    move || {
        provider.get().map(|name| {
            if again {
                view! { <InAnotherTab area name/> }.into_any()
            } else {
                let go = Callback::new(move |()| begin(area));
                view! {
                    <p class="actions">
                        <Press testid="provider" class="button" on_press=go>{text().entrance.with_provider(name)}</Press>
                    </p>
                }
                .into_any()
            }
        })
    }
}

/// Goes to the provider.
fn begin(area: Area) {
    let request = OpenIdRequest {
        back: area.route.get_untracked().to_string(),
    };
    area.attempt(async move {
        let begun: OpenIdBegun = research_client::post(routes::OPENID, &request, None).await?;
        let gone = page::window().map(|window| window.location().assign(&begun.address));
        match gone {
            Some(Ok(())) => Ok(()),
            _ => Err(ClientError::Unintelligible(
                text().entrance.provider_page().to_owned(),
            )),
        }
    });
}

#[component]
fn InAnotherTab(area: Area, name: String) -> impl IntoView {
    let go_on = Callback::new(move |()| {
        area.attempt(async move {
            match research_client::get::<Me>(routes::ME).await {
                Ok(me) => area.enter(me),
                Err(ClientError::Refused(_)) => {
                    let words = text().entrance.not_yet();
                    area.problem.set(Some(words.to_owned()));
                }
                Err(error) => return Err(error),
            }
            Ok(())
        });
    });
    view! {
        <p>
            {text().entrance.or_with(name)}
            <a href=page::address(routes::RESEARCH) target="_blank" rel="noopener" data-testid="provider-tab">{text().entrance.other_tab()}</a>
            {text().entrance.then()}
            <Press testid="provider-done" class="button quiet" on_press=go_on>{text().entrance.go_on_here()}</Press>
        </p>
    }
}
