//! The way back to the platform that a participant came from.

use domain::recruitment::platform::WayBack;
use leptos::prelude::*;

use crate::text::text;
use crate::ui::presses;

/// A button that leads there: a link, or a form that is handed in. Where the platform has a code
/// for how the session ended, it stands below, in case the button does not work. Where the platform
/// takes nothing from us, a sentence says how to return the task there.
#[component]
pub fn GoBack(
    /// The way.
    way_back: WayBack,
) -> impl IntoView {
    let words = &text().go_back;
    // It may come to a screen that has been there for a while.
    presses::new_page();
    let WayBack {
        platform,
        code,
        url,
        form,
    } = way_back;
    if url.is_empty() {
        return view! {
            <p data-testid="return-by-hand">{words.by_hand(&platform)}</p>
        }
        .into_any();
    }
    let label = words.button(&platform);
    let button = if form.is_empty() {
        view! { <a class="button primary" data-testid="go-back" href=url>{label}</a> }.into_any()
    } else {
        let fields = form.into_iter().map(|(name, value)| {
            view! { <input type="hidden" name=name value=value/> }
        });
        view! {
            <form method="post" action=url>
                {fields.collect_view()}
                <button type="submit" class="button primary" data-testid="go-back">{label}</button>
            </form>
        }
        .into_any()
    };
    view! {
        <div class="actions">{button}</div>
        {code.map(|code| view! {
            <p class="muted">
                {words.code(&platform)} " " <code class="notranslate" translate="no" data-testid="platform-code">{code}</code>
            </p>
        })}
    }
    .into_any()
}
