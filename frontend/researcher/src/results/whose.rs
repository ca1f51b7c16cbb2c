//! Whose sessions a page is about. Simulated people are never among real ones.

use api::research::ResultOf;
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::route::Route;
use crate::text::text;

/// A switch between people and simulated ones, and a sentence that says which the page shows.
#[component]
pub fn Whose(
    /// The state that the pages share.
    area: Area,
    /// Whose sessions are shown.
    shown: ResultOf,
    /// The address of the page about others.
    to: fn(String, ResultOf) -> Route,
    /// The study.
    study: String,
) -> impl IntoView {
    let choices = [
        (ResultOf::People, text().results.people(), "of-people"),
        (
            ResultOf::Simulated,
            text().results.simulated(),
            "of-simulated",
        ),
    ];
    let links = choices.map(|(of, words, testid)| {
        let to = to(study.clone(), of);
        let here = Signal::stored(of == shown);
        view! { <Link area to class="area-chip" testid here>{words}</Link> }
    });
    let sentence = match shown {
        ResultOf::People => text().results.people_only(),
        ResultOf::Simulated => text().results.simulated_only(),
    };
    let class = match shown {
        ResultOf::Simulated => "note area-simulated",
        _ => "muted small",
    };
    view! {
        <nav class="area-filters" aria-label=text().results.whose()>{links.into_iter().collect_view()}</nav>
        <p class=class data-testid="whose">{sentence}</p>
    }
}
