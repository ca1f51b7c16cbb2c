//! Links between pages of the area.

use frontend::runtime::page;
use leptos::prelude::*;
use web_sys::MouseEvent;

use crate::area::Area;
use crate::route::Route;

/// A link to a page. With a key held, or another button, the browser does with it what it does with any link.
#[component]
pub fn Link(
    /// The state that the pages share.
    area: Area,
    /// Where it leads.
    #[prop(into)]
    to: Signal<Route>,
    /// How it looks.
    #[prop(default = "")]
    class: &'static str,
    /// Its name for tests.
    #[prop(default = "")]
    testid: &'static str,
    /// Whether it leads to the page on display.
    #[prop(optional)]
    here: Option<Signal<bool>>,
    /// The words of it.
    children: Children,
) -> impl IntoView {
    let follow = move |event: MouseEvent| {
        let plain = event.button() == 0
            && !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key());
        if plain {
            event.prevent_default();
            area.go(to.get_untracked());
        }
    };
    view! {
        <a
            class=class
            data-testid=testid
            href=move || page::address(&to.get().to_string())
            aria-current=move || here.is_some_and(|here| here.get()).then_some("page")
            on:click=follow
        >
            {children()}
        </a>
    }
}
