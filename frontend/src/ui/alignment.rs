//! The alignment bar.

use std::time::Duration;

use domain::distance::reaches;
use leptos::prelude::*;

use super::announce::{Advice, Announcer, REST_MS};
use super::parts::whole_percent;
use crate::text::text;

/// What the bar shows.
#[derive(Debug, Clone, PartialEq)]
struct BarState {
    /// Alignment in whole percent, never rounded up to the target.
    percent: u32,
    /// Target in percent, as written.
    target: String,
    /// Whether the threshold is reached, by the rule that locks the dials.
    reached: bool,
    /// Length of the bar, in [0, 1].
    share: f64,
    /// Its colour.
    rgb: [u8; 3],
}

impl BarState {
    fn new(alignment: f64, threshold: f64) -> Self {
        let target = 1.0 - threshold;
        // Taking a distance from 1 twice can cost its last digit.
        let reached = reaches(1.0 - alignment - 1e-12, threshold);
        let floor = whole_percent(alignment);
        // The tolerance can solve a question a hair below the target: then the target is shown.
        let percent = if reached {
            floor.max(whole_percent(target))
        } else {
            floor
        };
        let share = if alignment.is_nan() {
            0.0
        } else {
            alignment.clamp(0.0, 1.0)
        };
        let way = if target > 0.0 {
            (share / target).min(1.0)
        } else {
            1.0
        };
        Self {
            percent,
            target: percent_text(target),
            reached,
            share,
            rgb: if reached { GREEN } else { colour(way) },
        }
    }
}

/// A share as a percentage with at most one decimal.
fn percent_text(share: f64) -> String {
    let percent = format!("{:.1}", share * 100.0);
    percent
        .strip_suffix(".0")
        .map_or(percent.clone(), str::to_owned)
}

/// The target is reached, and only then.
const GREEN: [u8; 3] = [38, 150, 84];

/// Red at 0, amber just before the target.
fn colour(way: f64) -> [u8; 3] {
    const RED: [f64; 3] = [209.0, 67.0, 58.0];
    const AMBER: [f64; 3] = [224.0, 158.0, 32.0];
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between two colours
    std::array::from_fn(|i| (RED[i] + (AMBER[i] - RED[i]) * way.clamp(0.0, 1.0)).round() as u8)
}

/// The bar, its mark at the target, both percentages in words, and a voice for
/// those who do not see it.
#[component]
pub fn AlignmentBar(
    /// 1 − d(x, x′).
    alignment: Signal<f64>,
    /// ε, the largest distance that solves the question.
    threshold: f64,
) -> impl IntoView {
    let words = &text().meter;
    let state = Memo::new(move |_| BarState::new(alignment.get(), threshold));
    let target = 1.0 - threshold;
    let colour = move || {
        let [r, g, b] = state.get().rgb;
        format!("rgb({r} {g} {b})")
    };
    view! {
        <div class="alignment">
            <div
                role="meter"
                class="bar"
                data-testid="alignment"
                data-alignment=move || alignment.get().to_string()
                data-target=target.to_string()
                aria-label=words.label()
                aria-valuemin="0"
                aria-valuemax="100"
                aria-valuenow=move || state.get().percent.to_string()
                aria-valuetext=move || {
                    let state = state.get();
                    words.both(state.percent, state.target)
                }
            >
                <div class="bar-track">
                    <div
                        class="bar-fill"
                        style:--share=move || format!("{:.4}", state.get().share)
                        style:background-color=colour
                    ></div>
                </div>
                <div class="bar-mark" style:inset-inline-start=format!("{:.2}%", target.clamp(0.0, 1.0) * 100.0)></div>
            </div>
            <div class="bar-words tabular" aria-hidden="true">
                <span class="bar-now" class:reached=move || state.get().reached>
                    {move || words.alignment(state.get().percent)}
                </span>
                <span class="bar-goal">{move || words.target(state.get().target)}</span>
            </div>
            <Voice state/>
        </div>
    }
}

/// The live region.
#[component]
fn Voice(state: Memo<BarState>) -> impl IntoView {
    let words = &text().meter;
    let said = RwSignal::new(String::new());
    let announcer = StoredValue::new(
        state.with_untracked(|state| Announcer::knowing(state.percent, state.reached)),
    );
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let stop = move || {
        if let Some(Some(handle)) = timer.try_update_value(Option::take) {
            handle.clear();
        }
    };
    // Every change starts the wait for rest anew.
    Effect::new(move |_| {
        let BarState {
            percent,
            reached,
            target,
            ..
        } = state.get();
        stop();
        let sentence = if reached {
            words.reached(percent)
        } else {
            words.both(percent, target)
        };
        ask_at_rest(
            announcer,
            timer,
            said,
            (percent, reached, sentence),
            REST_MS,
        );
    });
    on_cleanup(stop);
    view! { <p class="visually-hidden" role="status" aria-live="polite">{move || said.get()}</p> }
}

fn ask_at_rest(
    announcer: StoredValue<Announcer>,
    timer: StoredValue<Option<TimeoutHandle>>,
    said: RwSignal<String>,
    (percent, reached, sentence): (u32, bool, String),
    after_ms: f64,
) {
    let ask = move || {
        let now_ms = js_sys::Date::now();
        match announcer.try_update_value(|it| it.at_rest(now_ms, percent, reached)) {
            Some(Advice::Speak) => said.set(sentence),
            Some(Advice::Wait(ms)) => {
                ask_at_rest(announcer, timer, said, (percent, reached, sentence), ms)
            }
            Some(Advice::Silence) | None => {}
        }
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most a few seconds
    let after = Duration::from_millis(after_ms.max(0.0) as u64);
    timer.set_value(set_timeout_with_handle(ask, after).ok());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_rounds_up_to_the_target() {
        let check = |alignment: f64, threshold: f64, percent: u32, reached: bool| {
            let state = BarState::new(alignment, threshold);
            assert_eq!(
                (state.percent, state.reached),
                (percent, reached),
                "{alignment}"
            );
        };
        check(0.8989, 0.1, 89, false);
        check(0.8991, 0.1, 90, true);
        check(0.9, 0.1, 90, true);
        check(0.9791, 0.02, 98, true);
        check(1.0 - 0.101, 0.1, 90, true);
        check(0.9789, 0.02, 97, false);
        check(0.29, 0.1, 29, false);
        check(1.0, 0.1, 100, true);
        check(0.0, 0.1, 0, false);
        check(f64::NAN, 0.1, 0, false);
    }

    #[test]
    fn colours_run_from_red_to_amber_and_are_green_only_at_the_target() {
        assert_eq!(BarState::new(0.0, 0.1).rgb, [209, 67, 58]);
        assert_eq!(BarState::new(0.45, 0.1).rgb, [217, 113, 45]);
        assert_eq!(BarState::new(0.898, 0.1).rgb, [224, 158, 32]);
        assert_eq!(BarState::new(0.84, 0.02).rgb, [222, 145, 36]);
        assert_eq!(BarState::new(0.9, 0.1).rgb, GREEN);
        assert_eq!(BarState::new(1.0, 0.1).rgb, GREEN);
    }

    #[test]
    fn targets_are_written_without_needless_decimals() {
        assert_eq!(percent_text(1.0 - 0.1), "90");
        assert_eq!(percent_text(1.0 - 0.25), "75");
        assert_eq!(percent_text(0.975), "97.5");
    }
}
