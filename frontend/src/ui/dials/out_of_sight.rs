//! Says that there are more dials where some are below the window.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

use crate::text::text;

/// The height that the ways out cover at the lower end of the window, `--ways-height` in `static/question.css`.
const COVERED: &str = "0px 0px -56px 0px";

/// A fade above the ways out, with the number of dials, while the last one is out of sight. The browser
/// says when it is: nothing is asked of the layout. A screen reader has the number from the list.
#[component]
pub(super) fn DialsBelow(list: NodeRef<html::Ol>, count: usize) -> impl IntoView {
    let below = RwSignal::new(false);
    let watch =
        StoredValue::new_local(None::<(IntersectionObserver, Closure<dyn FnMut(js_sys::Array)>)>);
    list.on_load(move |list| {
        let Some(last) = list.last_element_child() else {
            return;
        };
        let told = Closure::new(move |entries: js_sys::Array| {
            let entry: IntersectionObserverEntry = entries.at(-1).unchecked_into();
            let is_below = !entry.is_intersecting() && entry.bounding_client_rect().top() > 0.0;
            below.try_set(is_below);
        });
        let options = IntersectionObserverInit::new();
        options.set_root_margin(COVERED);
        let made = IntersectionObserver::new_with_options(told.as_ref().unchecked_ref(), &options);
        // Without one, the last dial has to be looked for.
        if let Ok(observer) = made {
            observer.observe(&last);
            watch.set_value(Some((observer, told)));
        }
    });
    on_cleanup(move || {
        if let Some(Some((observer, _))) = watch.try_update_value(Option::take) {
            observer.disconnect();
        }
    });
    view! {
        <p class="dials-below" class:shown=move || below.get() aria-hidden="true">
            <span>{text().dial.count(count)}</span>
        </p>
    }
}
