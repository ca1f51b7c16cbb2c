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
use crate::text::text;
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
        let words = text().replay.no_moment();
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
        Some(false) => {
            view! { <p data-testid="no-session">{text().replay.no_session()}</p> }.into_any()
        }
    };
    view! {
        <div data-screen="replay" class="area-page wide">
            <p class="small actions">
                <Link area to=back.clone() testid="to-list">{text().pages.people(&study)}</Link>
                {neighbours}
            </p>
            {body}
            {below}
        </div>
    }
}

/// The decisions about the session, and the words about its replay.
#[component]
fn Below(viewer: Viewer, back: Route) -> impl IntoView {
    view! {
        <SessionStanding viewer/>
        <KeyHelp viewer/>
        <TypedWords viewer/>
        <Erase viewer back/>
        <p class="muted small">
            {text().replay.about()}
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
            text().replay.hide_words()
        } else {
            text().replay.show_words()
        }
    };
    let explained = if may {
        text().replay.words_may()
    } else {
        text().replay.words_may_not()
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
    let title = text().replay.title(opened.state.session.ordinal);
    let replay = StoredValue::new_local(Rc::clone(&opened.replay));
    let broken = opened.replay.shown.broken;
    let state = move || match (viewer.whole.get(), viewer.following.get()) {
        (false, _) if viewer.unread.get() => text().replay.cut_off_state(),
        (false, _) => text().replay.being_read(),
        (true, true) if broken.with(Option::is_none) => text().replay.live(),
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
            <section aria-label=text().replay.screen()><WindowFrame replay/></section>
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
