//! Playing, stepping, a slider to any moment, and keys for all of it.

use frontend::replay::chart::Zoom;
use frontend::replay::player::Player;
use frontend::ui::parts::Press;
use leptos::ev::{KeyboardEvent, keydown};
use leptos::prelude::*;

use super::viewer::{Stop, Viewer};
use crate::playing::{Slider, Speed, free_key};

/// Keys and what they do.
const KEYS: [(&str, &str); 11] = [
    ("Space", "plays and stops"),
    ("← →", "one event back and forth"),
    ("Shift + ← →", "the question before and after"),
    ("M, Shift + M", "the next mark and the one before"),
    ("O, Shift + O", "the next overshoot and the one before"),
    ("S", "skips the rest that the moment lies in"),
    ("+ −", "faster and slower"),
    ("Home, End", "the beginning and the end"),
    ("N", "now, of a session that is under way"),
    ("Z", "the whole session, or the question"),
    ("↑ ↓", "in the list: the entry before and after"),
];

/// The controls.
#[component]
pub fn Controls(
    /// The page.
    viewer: Viewer,
    /// Whether nothing more will happen.
    ended: bool,
) -> impl IntoView {
    let playing = move || viewer.player.with(Player::is_playing);
    let press = move |work: fn(Viewer)| Callback::new(move |()| work(viewer));
    let now = (!ended).then(|| {
        let following = Signal::derive(move || viewer.following.get());
        view! { <Press testid="now" class="button quiet" disabled=following on_press=press(Viewer::follow)>"Now"</Press> }
    });
    let overshoots = move || {
        let some = viewer.chart.overshoots.with(|all| !all.is_empty());
        some.then(|| view! {
            <span class="area-pair">
                <Press testid="overshoot-back" class="button quiet" on_press=press(|it| it.jump(Stop::Overshoot, false))>"‹ Overshoot"</Press>
                <Press testid="overshoot" class="button quiet" on_press=press(|it| it.jump(Stop::Overshoot, true))>"Overshoot ›"</Press>
            </span>
        })
    };
    view! {
        <div class="area-player" role="group" aria-label="Playing">
            <Press testid="play" on_press=press(Viewer::toggle)>
                {move || if playing() { "Pause" } else { "Play" }}
            </Press>
            <span class="area-pair">
                <Press testid="step-back" class="button quiet" on_press=press(|it| it.step(false))>"‹ Event"</Press>
                <Press testid="step" class="button quiet" on_press=press(|it| it.step(true))>"Event ›"</Press>
            </span>
            <span class="area-pair">
                <Press testid="jump-back" class="button quiet" on_press=press(|it| it.jump(Stop::Question, false))>"‹ Question"</Press>
                <Press testid="jump" class="button quiet" on_press=press(|it| it.jump(Stop::Question, true))>"Question ›"</Press>
            </span>
            <span class="area-pair">
                <Press testid="mark-back" class="button quiet" on_press=press(|it| it.jump(Stop::Mark, false))>"‹ Mark"</Press>
                <Press testid="mark" class="button quiet" on_press=press(|it| it.jump(Stop::Mark, true))>"Mark ›"</Press>
            </span>
            {overshoots}
            <Speed player=viewer.player/>
            <label class="area-tick">
                <input
                    type="checkbox"
                    data-testid="skip-rests"
                    prop:checked=move || viewer.player.with(Player::skips)
                    on:change=move |event| {
                        let on = event_target_checked(&event);
                        viewer.player.update(|player| player.set_skips(on));
                    }
                />
                "Skip long rests"
            </label>
            {now}
        </div>
    }
}

/// The moment, a slider to another one, and how much of the session is in sight.
#[component]
pub fn Seeking(
    /// The page.
    viewer: Viewer,
) -> impl IntoView {
    let at_ms = Signal::derive(move || viewer.at_ms());
    let on_seek = Callback::new(move |at_ms| viewer.seek(at_ms));
    let zoom = viewer.chart.zoom;
    let zooms = [
        (Zoom::Whole, "Whole session"),
        (Zoom::Question, "This question"),
    ];
    let zooms = zooms.map(|(which, words)| {
        view! {
            <button
                type="button"
                class="area-chip"
                aria-pressed=move || (zoom.get() == which).to_string()
                on:click=move |_| zoom.set(which)
            >
                {words}
            </button>
        }
    });
    view! {
        <div class="area-seek">
            <Slider at_ms end_ms=viewer.end_ms on_seek/>
            <span class="area-pair" role="group" aria-label="In sight">{zooms.collect_view()}</span>
        </div>
    }
}

/// Which keys there are, and whether they count.
#[component]
pub fn KeyHelp(
    /// The page.
    viewer: Viewer,
) -> impl IntoView {
    let rows = KEYS.map(|(keys, does)| {
        view! { <div><dt><kbd>{keys}</kbd></dt><dd>{does}</dd></div> }
    });
    view! {
        <details class="small" data-testid="keys">
            <summary>"Keys"</summary>
            <label class="area-tick">
                <input
                    type="checkbox"
                    prop:checked=move || viewer.keys.get()
                    on:change=move |event| viewer.keys.set(event_target_checked(&event))
                />
                "Keys count on this page"
            </label>
            <dl class="area-keys">{rows.collect_view()}</dl>
        </details>
    }
}

/// Listens to keys for as long as the page is there. What is typed or chosen with a key somewhere stays there.
pub fn listen(viewer: Viewer) {
    let keys = window_event_listener(keydown, move |event: KeyboardEvent| {
        let Some(key) = free_key(&event).filter(|_| viewer.keys.get_untracked()) else {
            return;
        };
        let shift = event.shift_key();
        match key.as_str() {
            " " => viewer.toggle(),
            "ArrowLeft" if shift => viewer.jump(Stop::Question, false),
            "ArrowRight" if shift => viewer.jump(Stop::Question, true),
            "ArrowLeft" => viewer.step(false),
            "ArrowRight" => viewer.step(true),
            "m" | "M" => viewer.jump(Stop::Mark, !shift),
            "o" | "O" => viewer.jump(Stop::Overshoot, !shift),
            "s" | "S" => viewer.skip(),
            "+" => viewer.player.update(|player| player.change_speed(true)),
            "-" | "−" => viewer.player.update(|player| player.change_speed(false)),
            "Home" => viewer.seek(0),
            "End" => viewer.seek_end(),
            "n" | "N" => {
                let opened = viewer.opened.get_value();
                if opened.is_some_and(|it| !it.state.session.ended) {
                    viewer.follow();
                }
            }
            "z" | "Z" => viewer.chart.zoom.update(|zoom| {
                *zoom = match zoom {
                    Zoom::Whole => Zoom::Question,
                    Zoom::Question => Zoom::Whole,
                };
            }),
            _ => return,
        }
        event.prevent_default();
    });
    on_cleanup(move || keys.remove());
}
