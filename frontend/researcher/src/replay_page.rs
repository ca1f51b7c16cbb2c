//! A session, replayed: the participant's screen at any moment, decoded again from the log.

use std::rc::Rc;

use api::research::{Right, SessionsQuery};
use domain::common::moment::parse_moment;
use frontend::replay::chart::legend::Legend;
use frontend::replay::chart::view::Chart;
use frontend::replay::view::Compared;
use frontend::replay::window::WindowFrame;
use frontend::runtime::clock::monotonic_ms;
use frontend::ui::parts::{Heading, Press};
use leptos::prelude::*;

use crate::area::Area;
use crate::decoding::Decoding;
use crate::links::Link;
use crate::playing::FRAME;
use crate::route::Route;
use crate::words::levels;

mod beside;
mod controls;
mod erase;
mod neighbours;
mod notes;
mod questions;
mod saved;
mod sound;
mod standing;
mod viewer;

use beside::{EventList, FactsBeside};
use controls::{Controls, KeyHelp, Seeking};
use erase::Erase;
use neighbours::Neighbours;
use notes::NoteHere;
use questions::Questions;
use saved::SaveMoment;
use sound::SoundHere;
use standing::SessionStanding;
use viewer::{Opened, Viewer};

/// What is said where an address leads to no session.
const NO_SESSION: &str = "This study has no such session, or it is a lab session that somebody else has run. It may have been erased, and the address may have been typed wrongly.";

/// The page.
#[component]
pub fn ReplayPage(
    area: Area,
    decoding: Decoding,
    study: String,
    session: String,
    at: Option<String>,
    list: Option<SessionsQuery>,
) -> impl IntoView {
    let back = Route::back_to(&study, list.as_ref());
    let leads_back = StoredValue::new(back.clone());
    let viewer = Viewer::new(area, decoding, study.clone(), session, list.clone());
    let neighbours = list.map(|list| view! { <Neighbours viewer list/> });
    let at_ms = at.as_deref().and_then(parse_moment);
    viewer.open(at_ms);
    viewer.load_overshoots();
    if at.is_some() && at_ms.is_none() {
        let words = "The address has no moment that can be read, such as t=12m30.5s. The session is shown from its beginning.";
        area.problem.set(Some(words.to_owned()));
    }
    let last = StoredValue::new(monotonic_ms());
    let ticks = set_interval_with_handle(
        move || {
            let now = monotonic_ms();
            viewer.pass(now - last.get_value());
            last.set_value(now);
        },
        FRAME,
    );
    on_cleanup(move || {
        if let Ok(ticks) = ticks {
            ticks.clear();
        }
    });
    controls::listen(viewer);
    let body = move || {
        viewer.serial.track();
        let opened = viewer.opened.get_value()?;
        Some(view! { <Shown viewer opened/> })
    };
    let below = move || match viewer.is_there.get() {
        None => ().into_any(),
        Some(true) => view! { <Below viewer back=leads_back.get_value()/> }.into_any(),
        Some(false) => view! { <p data-testid="no-session">{NO_SESSION}</p> }.into_any(),
    };
    view! {
        <div data-screen="replay" class="area-page wide">
            <p class="small actions">
                <Link area to=back.clone() testid="to-list">"People of "{study.clone()}</Link>
                {neighbours}
            </p>
            {body}
            {below}
        </div>
    }
}

/// What is decided about the session, and what is said of its replay.
#[component]
fn Below(viewer: Viewer, back: Route) -> impl IntoView {
    view! {
        <SessionStanding viewer/>
        <KeyHelp viewer/>
        <TypedWords viewer/>
        <Erase viewer back/>
        <p class="muted small">
            "Pictures are decoded again from the recorded dials, by the same decoder. What the log does not hold is not here: forms that are half filled in, where the pointer was, how far the page was scrolled. Measures stand in the export. Overshoots are found by the server, which has the right answers; those of a question that is under way come later."
        </p>
    }
}

/// Words that participants typed are shown only where somebody chose it, and that is noted.
#[component]
fn TypedWords(viewer: Viewer) -> impl IntoView {
    let study = viewer.study.get_value();
    let may = viewer.area.may_for_seen(Right::Identify, &study);
    let toggle = Callback::new(move |()| {
        let at_ms = viewer.at_ms();
        viewer.identifying.update(|it| *it = !*it);
        viewer.open(Some(at_ms));
    });
    let words = move || {
        if viewer.identifying.get() {
            "Hide typed words"
        } else {
            "Show typed words"
        }
    };
    let explained = if may {
        "Names of dials, notes and answers that somebody typed are hidden. That you show them is noted in the audit log, with your name and this session."
    } else {
        "Names of dials, notes and answers that somebody typed are hidden. Your role in this study does not show them."
    };
    view! {
        <p class="area-words small">
            {may.then(|| view! { <Press testid="typed-words" class="button quiet" on_press=toggle>{words}</Press> })}
            <span class="muted">{explained}</span>
        </p>
    }
}

#[component]
fn Shown(viewer: Viewer, opened: Opened) -> impl IntoView {
    let title = format!("Session {}", opened.state.session.ordinal);
    let replay = StoredValue::new_local(Rc::clone(&opened.replay));
    let broken = opened.replay.shown.broken;
    let state = move || match (viewer.whole.get(), viewer.following.get()) {
        (false, _) if viewer.unread.get() => "The rest of its log cannot be read",
        (false, _) => "Its log is being read…",
        (true, true) if broken.with(Option::is_none) => "Live",
        (true, _) => "",
    };
    let cell = levels(&opened.state.plan.cell);
    let facts = if cell.is_empty() {
        opened.state.title.clone()
    } else {
        format!("{} · {}", opened.state.title, cell)
    };
    let seek = Callback::new(move |at_ms: u64| viewer.seek(at_ms));
    let at = Signal::derive(move || viewer.at_ms());
    let settings = viewer.chart;
    let plan = StoredValue::new_local(opened.state.plan.clone());
    view! {
        <Heading words=title/>
        <p class="muted">{facts}" "<strong data-testid="state">{state}</strong></p>
        <Controls viewer ended=opened.state.session.ended/>
        <Seeking viewer/>
        <Chart replay settings at end=viewer.end_ms.into() on_seek=seek/>
        <Legend settings/>
        <SaveMoment viewer/>
        <SoundHere viewer replay/>
        <div class="area-replay">
            <section aria-label="The participant's screen"><WindowFrame replay/></section>
            <aside>
                <FactsBeside viewer replay/>
                <NoteHere viewer marks=opened.state.marks.clone()/>
                <Compared replay/>
                <EventList viewer replay/>
            </aside>
        </div>
        <Questions viewer replay plan/>
    }
}
