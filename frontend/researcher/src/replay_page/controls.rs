//! Playing, stepping, a slider to any moment, and keys for all of it.

use frontend::replay::chart::Zoom;
use frontend::replay::player::Player;
use frontend::ui::parts::Press;
use leptos::ev::{KeyboardEvent, keydown};
use leptos::prelude::*;

use super::viewer::{Stop, Viewer};
use crate::playing::{Slider, Speed, free_key};
use crate::text::text;

/// Keys and what they do.
fn keys() -> [(&'static str, &'static str); 11] {
    let words = &text().replay_keys;
    [
        (words.space(), words.space_does()),
        (words.arrows(), words.arrows_does()),
        (words.shift_arrows(), words.shift_arrows_does()),
        (words.m(), words.m_does()),
        (words.o(), words.o_does()),
        (words.s(), words.s_does()),
        (words.plus(), words.plus_does()),
        (words.home(), words.home_does()),
        (words.n(), words.n_does()),
        (words.z(), words.z_does()),
        (words.up(), words.up_does()),
    ]
}

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
        view! { <Press testid="now" class="button quiet" disabled=following on_press=press(Viewer::follow)>{text().replay.now()}</Press> }
    });
    let overshoots = move || {
        let some = viewer.chart.overshoots.with(|all| !all.is_empty());
        some.then(|| view! {
            <span class="area-pair">
                <Press testid="overshoot-back" class="button quiet" on_press=press(|it| it.jump(Stop::Overshoot, false))>{text().replay.overshoot_back()}</Press>
                <Press testid="overshoot" class="button quiet" on_press=press(|it| it.jump(Stop::Overshoot, true))>{text().replay.overshoot()}</Press>
            </span>
        })
    };
    view! {
        <div class="area-player" role="group" aria-label=text().replay.playing()>
            <Press testid="play" on_press=press(Viewer::toggle)>
                {move || if playing() { text().replay.pause() } else { text().replay.play() }}
            </Press>
            <span class="area-pair">
                <Press testid="step-back" class="button quiet" on_press=press(|it| it.step(false))>{text().replay.event_back()}</Press>
                <Press testid="step" class="button quiet" on_press=press(|it| it.step(true))>{text().replay.event()}</Press>
            </span>
            <span class="area-pair">
                <Press testid="jump-back" class="button quiet" on_press=press(|it| it.jump(Stop::Question, false))>{text().replay.question_back()}</Press>
                <Press testid="jump" class="button quiet" on_press=press(|it| it.jump(Stop::Question, true))>{text().replay.question()}</Press>
            </span>
            <span class="area-pair">
                <Press testid="mark-back" class="button quiet" on_press=press(|it| it.jump(Stop::Mark, false))>{text().replay.mark_back()}</Press>
                <Press testid="mark" class="button quiet" on_press=press(|it| it.jump(Stop::Mark, true))>{text().replay.mark()}</Press>
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
                {text().replay.skip_rests()}
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
        (Zoom::Whole, text().replay.whole_session()),
        (Zoom::Question, text().replay.this_question()),
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
            <span class="area-pair" role="group" aria-label=text().replay.in_sight()>{zooms.collect_view()}</span>
        </div>
    }
}

/// Which keys there are, and whether they count.
#[component]
pub fn KeyHelp(
    /// The page.
    viewer: Viewer,
) -> impl IntoView {
    let rows = keys().map(|(keys, does)| {
        view! { <div><dt><kbd>{keys}</kbd></dt><dd>{does}</dd></div> }
    });
    view! {
        <details class="small" data-testid="keys">
            <summary>{text().replay_keys.heading()}</summary>
            <label class="area-tick">
                <input
                    type="checkbox"
                    prop:checked=move || viewer.keys.get()
                    on:change=move |event| viewer.keys.set(event_target_checked(&event))
                />
                {text().replay_keys.count()}
            </label>
            <dl class="area-keys">{rows.collect_view()}</dl>
        </details>
    }
}

/// Listens to keys for as long as the page is there. A key that types or chooses something somewhere stays there.
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
