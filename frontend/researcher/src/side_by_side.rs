//! Two to four sessions side by side: the same question, or the same model, with one clock from its beginning.

use domain::common::moment::parse_moment;
use frontend::runtime::clock::monotonic_ms;
use frontend::ui::parts::Heading;
use leptos::ev::keydown;
use leptos::prelude::*;

use crate::area::Area;
use crate::decoding::Decoding;
use crate::links::Link;
use crate::playing::{FRAME, free_key};
use crate::route::{BESIDE, Beside, Common, Route};
use crate::text::text;

mod choice;
mod column;
mod common;
mod controls;
mod reading;
mod saved;
mod together;

use choice::Choice;
use column::Column;
use controls::Controls;
use saved::SaveTogether;
use together::{Together, shared_seat};

/// The page.
#[component]
pub fn BesidePage(area: Area, decoding: Decoding, study: String, beside: Beside) -> impl IntoView {
    let enough = BESIDE.contains(&beside.sessions.len());
    let count = beside.sessions.len();
    let at_ms = beside.at.as_deref().and_then(parse_moment);
    if beside.at.is_some() && at_ms.is_none() {
        let words = text().beside.no_moment();
        area.problem.set(Some(words.to_owned()));
    }
    let together = Together::new(area, decoding, study.clone(), beside);
    if enough {
        together.open(at_ms.unwrap_or(0));
    }
    let last = StoredValue::new(monotonic_ms());
    let ticks = set_interval_with_handle(
        move || {
            let now = monotonic_ms();
            together.pass(now - last.get_value());
            last.set_value(now);
        },
        FRAME,
    );
    let keys = window_event_listener(keydown, move |event| {
        let Some(key) = free_key(&event) else { return };
        match key.as_str() {
            " " => together.toggle(),
            "ArrowLeft" => together.step(false),
            "ArrowRight" => together.step(true),
            "+" => together.player.update(|player| player.change_speed(true)),
            "-" | "−" => together.player.update(|player| player.change_speed(false)),
            "Home" => together.seek(0),
            "End" => together.seek(u64::MAX),
            _ => return,
        }
        event.prevent_default();
    });
    on_cleanup(move || {
        keys.remove();
        if let Ok(ticks) = ticks {
            ticks.clear();
        }
    });
    let body = move || {
        if !enough {
            return view! { <p data-testid="how-many">{how_many(count)}</p> }.into_any();
        }
        if !together.ready.get() {
            return view! { <p class="muted" role="status">{text().beside.being_read()}</p> }
                .into_any();
        }
        view! { <Shown together/> }.into_any()
    };
    view! {
        <div data-screen="beside" class="area-page wide">
            <p class="small"><Link area to=Route::participants(&study)>{text().pages.people(&study)}</Link></p>
            <Heading words=text().beside.heading()/>
            {body}
        </div>
    }
}

#[component]
fn Shown(together: Together) -> impl IntoView {
    let left_out = move || {
        let words = together.left_out();
        let items = words.into_iter().map(|it| view! { <li>{it}</li> });
        let items = items.collect_view();
        (!items.is_empty()).then(|| view! { <ul class="note" data-testid="left-out">{items}</ul> })
    };
    let columns = move || {
        let spans = together.spans.get();
        let places = spans.into_iter().enumerate();
        let shown = places.filter_map(|(place, span)| Some((place, span?)));
        let columns = shown.filter_map(|(place, span)| {
            let seat = together.seat(place)?;
            let replay = shared_seat(&seat);
            Some(view! { <Column together seat replay span/> })
        });
        let columns: Vec<_> = columns.collect();
        if columns.is_empty() {
            let words = nothing_shown(together.common.get().as_ref(), together.options().len());
            return view! { <p data-testid="nothing-common">{words}</p> }.into_any();
        }
        view! { <div class="area-beside" data-testid="columns">{columns}</div> }.into_any()
    };
    view! {
        <Choice together/>
        {left_out}
        <Controls together/>
        <SaveTogether together/>
        {columns}
        <p class="muted small">
            {text().beside.about()}
        </p>
    }
}

/// Why nothing is shown of the sessions; `in_common` is how many questions and models they have in common.
fn nothing_shown(asked: Option<&Common>, in_common: usize) -> String {
    let words = &text().beside;
    let unknown = match asked {
        Some(Common::Question(_)) => words.unknown_question(),
        Some(Common::Model(_)) => words.unknown_model(),
        None => return words.nothing_common().to_owned(),
    };
    let instead = match in_common {
        0 => words.nothing_common(),
        _ => words.choose_instead(),
    };
    format!("{unknown} {instead}")
}

/// The advice on a number of sessions that is no number for this page.
pub fn how_many(count: usize) -> String {
    let words = &text().beside;
    match count {
        0 => words.choose().to_owned(),
        1 => words.one_chosen().to_owned(),
        2..=4 => words.chosen(count),
        _ => words.too_many(count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_names_something_else_is_told_from_nothing_in_common() {
        let model = Common::Model("faces".to_owned());
        let words = nothing_shown(Some(&model), 2);
        assert!(words.contains("names a model that none of these") && words.contains("Choose"));
        let words = nothing_shown(Some(&Common::Question("a".to_owned())), 0);
        assert!(words.contains("names a question") && !words.contains("Choose"));
        assert!(nothing_shown(None, 0).starts_with("These sessions have no question"));
    }
}
