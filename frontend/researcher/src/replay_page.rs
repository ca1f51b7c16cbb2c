//! A session, replayed: the participant's screen at any moment, decoded again from the log.

use std::rc::Rc;

use api::replay::{MAX_NEW_EVENTS, NewEvents, ReplayState};
use api::research::Right;
use api::routes;
use domain::session::event::{Event, SessionId};
use frontend::replay::Replay;
use frontend::replay::clock::clock;
use frontend::replay::player::{Player, SPEEDS, end_of_rest};
use frontend::replay::view::{Compared, Happenings, ReplayFrame};
use frontend::runtime::clock::monotonic_ms;
use frontend::runtime::retry::Retry;
use frontend::runtime::{language, research_client};
use frontend::ui::parts::{Heading, Press};
use frontend::ui::typed::passing_id;
use leptos::ev::{KeyboardEvent, keydown};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::area::Area;
use crate::links::Link;
use crate::route::Route;
use crate::words::{moment, parse_moment};

mod strip;

use strip::Strip;

/// How often the moment moves while it plays.
const FRAME: std::time::Duration = std::time::Duration::from_millis(33);

/// A session that is open on the page.
#[derive(Clone)]
struct Opened {
    state: ReplayState,
    replay: Rc<Replay>,
}

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct Viewer {
    area: Area,
    study: StoredValue<String>,
    session: StoredValue<String>,
    opened: StoredValue<Option<Opened>, LocalStorage>,
    /// Counts up with each log that is opened.
    serial: RwSignal<u64>,
    player: RwSignal<Player>,
    /// The time of the last event, in milliseconds since the session's start.
    end_ms: RwSignal<u64>,
    /// Whether all of the log is here.
    whole: RwSignal<bool>,
    /// Whether typed words are shown.
    identifying: RwSignal<bool>,
    /// Whether the page follows a session that is under way.
    following: RwSignal<bool>,
}

impl Viewer {
    fn replay(&self) -> Option<Rc<Replay>> {
        self.opened
            .with_value(|opened| opened.as_ref().map(|it| Rc::clone(&it.replay)))
    }

    /// Opens the session's log from its beginning, and shows a moment once it is there; none: the beginning, or, of a
    /// session that is under way, what is now.
    fn open(self, at_ms: Option<u64>) {
        let session = SessionId(self.session.get_value());
        let study = self.study.get_value();
        self.serial.update(|serial| *serial += 1);
        let mine = self.serial.get_untracked();
        self.whole.set(false);
        self.opened.set_value(None);
        self.area.attempt(async move {
            let path = routes::research_session(&study, &session);
            let state: ReplayState = research_client::get(&path).await?;
            language::speak(self.area.language, &state.plan.language).await;
            let replay = Replay::open(state.plan.clone(), self.area.decoders());
            self.following.set(!state.session.ended && at_ms.is_none());
            let ended = state.session.ended;
            self.opened.set_value(Some(Opened {
                state,
                replay: Rc::clone(&replay),
            }));
            self.serial.update(|serial| *serial += 1);
            let mine = mine + 1;
            if !self.following.get_untracked() {
                replay.seek(Some(0));
            }
            let path = routes::research_events(&study, &session);
            let words = self.identifying.get_untracked();
            let retry = Retry::default();
            while self.serial.try_get_untracked() == Some(mine) {
                let ends = replay.ends();
                let (participant, server, experimenter) =
                    (ends.participant, ends.server, ends.experimenter);
                let query = format!("participant={participant}&server={server}&experimenter={experimenter}&identifying={words}");
                let new: NewEvents = match research_client::wait_for(&format!("{path}?{query}")).await {
                    Ok(new) => new,
                    Err(error) if self.whole.try_get_untracked() != Some(true) => return Err(error),
                    // It is all here already; what is new comes later.
                    Err(_) => {
                        retry.pause().await;
                        continue;
                    }
                };
                retry.succeeded();
                if self.serial.try_get_untracked() != Some(mine) {
                    return Ok(());
                }
                let count = new.events.len();
                replay.take(new);
                let end_ms = replay.with_events(|events, _| events.last().map_or(0, |it| it.at_ms));
                self.end_ms.set(end_ms + 1);
                if count < MAX_NEW_EVENTS && !self.whole.get_untracked() {
                    self.whole.set(true);
                    if !self.following.get_untracked() {
                        self.seek(at_ms.unwrap_or(0));
                    }
                }
                if self.whole.get_untracked() && ended {
                    return Ok(());
                }
            }
            Ok(())
        });
    }

    /// Shows a moment.
    fn seek(self, at_ms: u64) {
        let end_ms = self.end_ms.get_untracked();
        self.following.set(false);
        self.player.update(|player| player.seek(at_ms, end_ms));
        let at_ms = self.player.with_untracked(Player::at_ms);
        if let Some(replay) = self.replay() {
            replay.seek(Some(at_ms));
        }
        self.note_address();
    }

    /// The address leads to the moment that is shown.
    fn note_address(self) {
        if self.player.with_untracked(Player::is_playing) {
            return;
        }
        self.area.replace(Route::Replay {
            study: self.study.get_value(),
            session: self.session.get_value(),
            at: Some(moment(self.player.with_untracked(Player::at_ms))),
        });
    }

    fn toggle(self) {
        let end_ms = self.end_ms.get_untracked();
        self.following.set(false);
        self.player.update(|player| player.toggle(end_ms));
        self.note_address();
    }

    /// One event forward or back.
    fn step(self, forward: bool) {
        self.player.update(Player::stop);
        let at_ms = self.player.with_untracked(Player::at_ms);
        let Some(replay) = self.replay() else { return };
        // What is shown at a moment is what happened before it.
        let (before, after) = replay.neighbours(at_ms);
        let to = if forward {
            after.map(|ms| ms + 1)
        } else {
            before.map(|ms| if ms + 1 < at_ms { ms + 1 } else { ms })
        };
        if let Some(to) = to {
            self.seek(to);
        }
    }

    /// The beginning of the question before or after.
    fn jump(self, forward: bool) {
        let at_ms = self.player.with_untracked(Player::at_ms);
        let Some(replay) = self.replay() else { return };
        let to = replay.with_events(|events, _| {
            let begun = events.iter().filter_map(|it| match it.event {
                Event::QuestionStarted { .. } => Some(it.at_ms + 1),
                _ => None,
            });
            if forward {
                begun.filter(|ms| *ms > at_ms).min()
            } else {
                begun.filter(|ms| *ms < at_ms).max()
            }
        });
        if let Some(to) = to {
            self.seek(to);
        }
    }

    /// The end of a long rest that the moment lies in.
    fn skip(self) {
        let at_ms = self.player.with_untracked(Player::at_ms);
        let Some(replay) = self.replay() else { return };
        let end =
            replay.with_events(|events, _| end_of_rest(events.iter().map(|it| it.at_ms), at_ms));
        if let Some(end) = end {
            self.seek(end + 1);
        }
    }

    /// Some time has gone by.
    fn pass(self, elapsed_ms: f64) {
        let Some(replay) = self.replay() else { return };
        replay.tick();
        if !self.player.with_untracked(Player::is_playing) {
            replay.compare_some();
            return;
        }
        let end_ms = self.end_ms.get_untracked();
        self.player.update(|player| player.pass(elapsed_ms, end_ms));
        replay.advance(self.player.with_untracked(Player::at_ms));
        self.note_address();
    }
}

/// The page.
#[component]
pub fn ReplayPage(area: Area, study: String, session: String, at: Option<String>) -> impl IntoView {
    let may_identify = area.may(Right::Identify, &study);
    let viewer = Viewer {
        area,
        study: StoredValue::new(study.clone()),
        session: StoredValue::new(session),
        opened: StoredValue::new_local(None),
        serial: RwSignal::new(0),
        player: RwSignal::new(Player::default()),
        end_ms: RwSignal::new(0),
        whole: RwSignal::new(false),
        identifying: RwSignal::new(false),
        following: RwSignal::new(false),
    };
    let at_ms = at.as_deref().and_then(parse_moment);
    if at.is_some() && at_ms.is_none() {
        let words = "The address has no moment that can be read, such as t=12m30.5s. The session is shown from its beginning.";
        area.problem.set(Some(words.to_owned()));
    }
    viewer.open(at_ms);
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
    listen_to_keys(viewer);
    let body = move || {
        viewer.serial.track();
        let opened = viewer.opened.get_value()?;
        Some(view! { <Shown viewer opened/> })
    };
    let words = may_identify.then(|| {
        let show = Callback::new(move |()| {
            viewer.identifying.update(|it| *it = !*it);
            let at_ms = viewer.player.with_untracked(Player::at_ms);
            viewer.open(Some(at_ms));
        });
        view! {
            <p class="small">
                <Press testid="typed-words" class="button quiet" on_press=show>
                    {move || if viewer.identifying.get() { "Hide typed words" } else { "Show typed words (this is noted)" }}
                </Press>
            </p>
        }
    });
    view! {
        <div data-screen="replay" class="area-page wide">
            <p class="small">
                <Link area to=Route::participants(&study)>"People of "{study.clone()}</Link>
            </p>
            {body}
            {words}
            <p class="muted small">
                "Pictures are decoded again from the recorded dials. A log does not hold half-filled forms, nor where the pointer was."
            </p>
        </div>
    }
}

#[component]
fn Shown(viewer: Viewer, opened: Opened) -> impl IntoView {
    let title = format!("Session {}", opened.state.session.ordinal);
    let replay = StoredValue::new_local(Rc::clone(&opened.replay));
    let state = move || match (viewer.whole.get(), viewer.following.get()) {
        (false, _) => "Its log is being read…",
        (true, true) => "Live",
        (true, false) => "",
    };
    let choose = Callback::new(move |at_ms: u64| viewer.seek(at_ms + 1));
    let cell: Vec<String> = opened
        .state
        .plan
        .cell
        .iter()
        .map(|(factor, level)| format!("{factor}: {level}"))
        .collect();
    let facts = if cell.is_empty() {
        opened.state.title.clone()
    } else {
        format!("{} · {}", opened.state.title, cell.join(", "))
    };
    view! {
        <Heading words=title/>
        <p class="muted">{facts}" "<strong data-testid="state">{state}</strong></p>
        <Controls viewer ended=opened.state.session.ended/>
        <Strip viewer_end=viewer.end_ms whole=viewer.whole replay at=Signal::derive(move || viewer.player.with(Player::at_ms)) on_choose=choose/>
        <div class="area-replay">
            <section aria-label="The participant's screen"><ReplayFrame replay/></section>
            <aside><Compared replay/><Happenings replay on_choose=choose/></aside>
        </div>
    }
}

/// Playing, stepping, and a slider to any moment.
#[component]
fn Controls(viewer: Viewer, ended: bool) -> impl IntoView {
    let at_ms = move || viewer.player.with(Player::at_ms);
    let playing = move || viewer.player.with(Player::is_playing);
    let id = passing_id();
    let speeds = SPEEDS.map(|speed| {
        view! {
            <option value=speed.to_string() selected=move || (viewer.player.with(Player::speed) - speed).abs() < 1e-9>
                {format!("{speed}×")}
            </option>
        }
    });
    let press = move |work: fn(Viewer)| Callback::new(move |()| work(viewer));
    let now = (!ended).then(|| {
        let follow = Callback::new(move |()| {
            viewer.player.update(Player::stop);
            viewer.following.set(true);
            if let Some(replay) = viewer.replay() {
                replay.seek(None);
            }
        });
        view! { <Press testid="now" class="button" disabled=Signal::derive(move || viewer.following.get()) on_press=follow>"Now"</Press> }
    });
    view! {
        <div class="area-player" role="group" aria-label="Playing">
            <Press testid="play" on_press=press(Viewer::toggle)>{move || if playing() { "Stop" } else { "Play" }}</Press>
            <Press testid="step-back" class="button" on_press=press(|viewer| viewer.step(false))>"Event before"</Press>
            <Press testid="step" class="button" on_press=press(|viewer| viewer.step(true))>"Next event"</Press>
            <Press testid="jump-back" class="button" on_press=press(|viewer| viewer.jump(false))>"Question before"</Press>
            <Press testid="jump" class="button" on_press=press(|viewer| viewer.jump(true))>"Next question"</Press>
            <Press testid="skip" class="button" on_press=press(Viewer::skip)>"Skip the rest"</Press>
            <label>
                "Speed "
                <select
                    data-testid="speed"
                    on:change=move |event| {
                        if let Ok(speed) = event_target_value(&event).parse() {
                            viewer.player.update(|player| player.set_speed(speed));
                        }
                    }
                >
                    {speeds.collect_view()}
                </select>
            </label>
            {now}
        </div>
        <div class="area-seek">
            <label for=id.clone()>"Moment"</label>
            <input
                type="range"
                id=id
                min="0"
                max=move || viewer.end_ms.get().to_string()
                step="100"
                data-testid="moment"
                aria-valuetext=move || clock(at_ms())
                prop:value=move || at_ms().to_string()
                on:input=move |event| {
                    if let Ok(ms) = event_target_value(&event).parse() {
                        viewer.seek(ms);
                    }
                }
            />
            <time class="tabular" data-testid="time">{move || format!("{} of {}", moment(at_ms()), clock(viewer.end_ms.get()))}</time>
        </div>
        <details class="small">
            <summary>"Keys"</summary>
            <p>"Space plays and stops. ← and → go one event back and forth, with Shift to the question before and after. S skips a long rest. Home and End lead to the beginning and the end."</p>
        </details>
    }
}

/// Keys count everywhere but where something is typed or chosen with them.
fn listen_to_keys(viewer: Viewer) {
    let keys = window_event_listener(keydown, move |event: KeyboardEvent| {
        let name = event.target().and_then(|target| {
            let element = target.dyn_into::<web_sys::Element>().ok()?;
            Some(element.tag_name())
        });
        let taken = matches!(
            name.as_deref(),
            Some("INPUT" | "TEXTAREA" | "SELECT" | "BUTTON" | "A" | "SUMMARY")
        );
        if taken || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        match (event.key().as_str(), event.shift_key()) {
            (" ", _) => viewer.toggle(),
            ("ArrowLeft", false) => viewer.step(false),
            ("ArrowRight", false) => viewer.step(true),
            ("ArrowLeft", true) => viewer.jump(false),
            ("ArrowRight", true) => viewer.jump(true),
            ("s" | "S", _) => viewer.skip(),
            ("Home", _) => viewer.seek(0),
            ("End", _) => viewer.seek(u64::MAX),
            _ => return,
        }
        event.prevent_default();
    });
    on_cleanup(move || keys.remove());
}
