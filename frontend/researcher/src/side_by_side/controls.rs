//! Playing sessions that stand side by side.

use frontend::replay::player::Player;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::together::Together;
use crate::playing::{Slider, Speed};

/// Play, step, speed, and a slider to any moment of the common clock.
#[component]
pub fn Controls(together: Together) -> impl IntoView {
    let playing = move || together.player.with(Player::is_playing);
    let press = move |work: fn(Together)| Callback::new(move |()| work(together));
    let at_ms = Signal::derive(move || together.at_ms());
    let end_ms = Signal::derive(move || together.end_ms());
    let on_seek = Callback::new(move |at_ms| together.seek(at_ms));
    view! {
        <div class="area-player" role="group" aria-label="Playing">
            <Press testid="play" on_press=press(Together::toggle)>
                {move || if playing() { "Pause" } else { "Play" }}
            </Press>
            <span class="area-pair">
                <Press testid="step-back" class="button quiet" on_press=press(|it| it.step(false))>"‹ Event"</Press>
                <Press testid="step" class="button quiet" on_press=press(|it| it.step(true))>"Event ›"</Press>
            </span>
            <Speed player=together.player/>
        </div>
        <div class="area-seek"><Slider at_ms end_ms on_seek/></div>
    }
}
