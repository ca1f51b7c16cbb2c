//! The controls of every page that plays sessions: speed, a slider to any moment, and which keys are the page's.

use frontend::replay::clock::{clock, fine_clock, length};
use frontend::replay::player::{Player, SPEEDS};
use frontend::ui::typed::passing_id;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::text::text;

/// How often the moment moves while something plays.
pub const FRAME: std::time::Duration = std::time::Duration::from_millis(33);

/// How many times as fast as the session it plays.
#[component]
pub fn Speed(player: RwSignal<Player>) -> impl IntoView {
    let speeds = SPEEDS.map(|speed| {
        let is_this = move || (player.with(Player::speed) - speed).abs() < 1e-9;
        view! { <option value=speed.to_string() prop:selected=is_this>{text().playing.times(speed)}</option> }
    });
    view! {
        <label>
            {text().playing.speed()}
            <select
                data-testid="speed"
                on:change=move |event| {
                    if let Ok(speed) = event_target_value(&event).parse() {
                        player.update(|player| player.set_speed(speed));
                    }
                }
            >
                {speeds.collect_view()}
            </select>
        </label>
    }
}

/// The moment, and a slider to another one. Both in milliseconds.
#[component]
pub fn Slider(
    #[prop(into)] at_ms: Signal<u64>,
    #[prop(into)] end_ms: Signal<u64>,
    on_seek: Callback<u64>,
) -> impl IntoView {
    let id = passing_id();
    view! {
        <label for=id.clone()>{text().playing.moment()}</label>
        <input
            type="range"
            id=id
            min="0"
            max=move || end_ms.get().to_string()
            step="100"
            data-testid="moment"
            aria-valuetext=move || clock(at_ms.get())
            prop:value=move || at_ms.get().to_string()
            on:input=move |event| {
                if let Ok(ms) = event_target_value(&event).parse() {
                    on_seek.run(ms);
                }
            }
        />
        <time class="tabular" data-testid="time">{move || of_end(at_ms.get(), end_ms.get())}</time>
    }
}

/// A moment in words. Behind the end lies what was written into a log later.
fn of_end(at_ms: u64, end_ms: u64) -> String {
    let shown = at_ms.min(end_ms);
    let (words, end) = (&text().playing, fine_clock(end_ms));
    match at_ms - shown {
        0 => words.at(fine_clock(shown), end),
        later_ms => words.after_end(fine_clock(shown), end, length(later_ms)),
    }
}

/// The key that the page may take; none where what is typed or chosen with it is somebody else's.
pub fn free_key(event: &KeyboardEvent) -> Option<String> {
    let target = event.target();
    let element = target.and_then(|it| it.dyn_into::<web_sys::Element>().ok());
    let is = |css: &str| {
        element
            .as_ref()
            .is_some_and(|it| it.matches(css) == Ok(true))
    };
    let key = event.key();
    let taken = if is("button, a, summary, input[type=checkbox]") {
        key == " " || key == "Enter"
    } else {
        is("input, textarea, select")
    };
    let held = event.ctrl_key() || event.meta_key() || event.alt_key();
    (!(taken || held || event.default_prevented())).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::of_end;

    #[test]
    fn what_comes_after_the_end_is_no_time_of_the_session() {
        assert_eq!(of_end(1_500, 178_000), "0:01.5 of 2:58.0");
        assert_eq!(of_end(178_000, 178_000), "2:58.0 of 2:58.0");
        let later = of_end(178_000 + 604_800_000, 178_000);
        assert_eq!(later, "2:58.0 of 2:58.0, 168 h after the end");
    }
}
