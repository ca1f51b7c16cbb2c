//! Whose sessions a page is about. Simulated people are never among real ones.

use api::research::ExportOf;
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::route::Route;

/// A switch between people, pilots and simulated people, and a sentence that says which the page shows.
#[component]
pub fn Whose(
    /// What the pages share.
    area: Area,
    /// Whose sessions are shown.
    shown: ExportOf,
    /// The address of the page about others.
    to: fn(String, ExportOf) -> Route,
    /// The study.
    study: String,
) -> impl IntoView {
    let choices = [
        (ExportOf::People, "People", "of-people"),
        (ExportOf::Pilots, "Pilots", "of-pilots"),
        (ExportOf::Simulated, "Simulated people", "of-simulated"),
    ];
    let links = choices.map(|(of, words, testid)| {
        let to = to(study.clone(), of);
        let here = Signal::stored(of == shown);
        view! { <Link area to class="area-chip" testid here>{words}</Link> }
    });
    let sentence = match shown {
        ExportOf::People => {
            "People who take part in earnest. Pilots and simulated people are not among them."
        }
        ExportOf::Pilots => "Pilots alone.",
        ExportOf::Simulated => {
            "Simulated people alone: nothing here says anything about real ones."
        }
    };
    let class = match shown {
        ExportOf::Simulated => "note area-simulated",
        _ => "muted small",
    };
    view! {
        <nav class="area-filters" aria-label="Whose sessions">{links.into_iter().collect_view()}</nav>
        <p class=class data-testid="whose">{sentence}</p>
    }
}
