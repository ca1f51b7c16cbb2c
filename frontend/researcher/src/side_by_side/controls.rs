//! Playing sessions that stand side by side.

use frontend::replay::player::Player;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::together::Together;
use crate::playing::{Slider, Speed};
use crate::text::text;

/// Play, step, speed, and a slider to any moment of the common clock.
#[component]
pub fn Controls(together: Together) -> impl IntoView {
    let playing = move || together.player.with(Player::is_playing);
    let press = move |work: fn(Together)| Callback::new(move |()| work(together));
    let at_ms = Signal::derive(move || together.at_ms());
    let end_ms = Signal::derive(move || together.end_ms());
    let on_seek = Callback::new(move |at_ms| together.seek(at_ms));
    view! {
        <div class="area-player" role="group" aria-label=text().replay.playing()>
            <Press testid="play" on_press=press(Together::toggle)>
                {move || if playing() { text().replay.pause() } else { text().replay.play() }}
            </Press>
            <span class="area-pair">
                <Press testid="step-back" class="button quiet" on_press=press(|it| it.step(false))>{text().replay.event_back()}</Press>
                <Press testid="step" class="button quiet" on_press=press(|it| it.step(true))>{text().replay.event()}</Press>
            </span>
            <Speed player=together.player/>
        </div>
        <div class="area-seek"><Slider at_ms end_ms on_seek/></div>
    }
}
