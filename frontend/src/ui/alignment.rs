//! The alignment bar.

use std::time::Duration;

use domain::model::distance::Alignment;
use leptos::html;
use leptos::prelude::*;
use web_sys::HtmlElement;

use super::announce::{Advice, Announcer, REST_MS};
use super::parts::whole_percent;
use crate::text::text;

/// The state of the bar.
#[derive(Debug, Clone, PartialEq)]
struct BarState {
    /// Alignment in whole percent, never rounded up to the target.
    percent: u32,
    /// Whether the threshold is reached, by the rule that locks the dials.
    reached: bool,
    /// Length of the bar, in [0, 1].
    share: f64,
    /// Its colour.
    rgb: [u8; 3],
}

impl BarState {
    fn new(alignment: Alignment, threshold: f64) -> Self {
        let target = 1.0 - threshold;
        let Alignment { reached, .. } = alignment;
        let alignment = alignment.share();
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
    std::array::from_fn(|i| (RED[i] + (AMBER[i] - RED[i]) * way.clamp(0.0, 1.0)).round() as u8)
}

/// The bar, its mark at the target, both percentages in words, and a voice for
/// those who do not see it.
#[component]
pub fn AlignmentBar(
    /// How near the picture is to the target.
    alignment: Signal<Alignment>,
    /// ε, the largest distance that solves the question.
    threshold: f64,
) -> impl IntoView {
    let words = &text().meter;
    let target = 1.0 - threshold;
    let state = Memo::new(move |_| BarState::new(alignment.get(), threshold));
    let bar = NodeRef::<html::Div>::new();
    let fill = NodeRef::<html::Div>::new();
    // Everything that changes while a dial is dragged, in one effect: each costs a part of a frame.
    Effect::new(move |before: Option<Option<BarState>>| {
        let (bar, fill) = (bar.get()?, fill.get()?);
        let now = state.get();
        let before = before.flatten();
        // Only a page that is being taken apart refuses.
        let set = |name: &str, value: &str| drop(bar.set_attribute(name, value));
        let style =
            |name: &str, value: &str| drop(HtmlElement::style(&fill).set_property(name, value));
        set(
            "data-alignment",
            &alignment.get_untracked().share().to_string(),
        );
        style("--share", &format!("{:.4}", now.share));
        if before.as_ref().is_none_or(|before| before.rgb != now.rgb) {
            let [r, g, b] = now.rgb;
            style("background-color", &format!("rgb({r} {g} {b})"));
        }
        if before.is_none_or(|before| before.percent != now.percent) {
            set("aria-valuenow", &now.percent.to_string());
            set(
                "aria-valuetext",
                &words.both(now.percent, percent_text(target)),
            );
        }
        Some(now)
    });
    let words_now = Memo::new(move |_| state.with(|state| (state.percent, state.reached)));
    view! {
        <div class="alignment">
            <div
                role="meter"
                class="bar"
                data-testid="alignment"
                data-target=target.to_string()
                aria-label=words.label()
                aria-valuemin="0"
                aria-valuemax="100"
                node_ref=bar
            >
                <div class="bar-track">
                    <div class="bar-fill" node_ref=fill></div>
                </div>
                <div class="bar-mark" style:inset-inline-start=format!("{:.2}%", target.clamp(0.0, 1.0) * 100.0)></div>
            </div>
            <div class="bar-words tabular" aria-hidden="true">
                <span class="bar-now" class:reached=move || words_now.get().1>
                    {move || words.alignment(words_now.get().0)}
                </span>
                <span class="bar-goal">{words.target(percent_text(target))}</span>
            </div>
            <Voice now=words_now target/>
        </div>
    }
}

/// The live region.
#[component]
fn Voice(
    /// Alignment in whole percent, and whether the target is reached.
    now: Memo<(u32, bool)>,
    /// The target.
    target: f64,
) -> impl IntoView {
    let words = &text().meter;
    let said = RwSignal::new(String::new());
    let (percent, reached) = now.get_untracked();
    let watch = StoredValue::new(Watch {
        announcer: Announcer::knowing(percent, reached),
        changed_ms: js_sys::Date::now(),
        timer: None,
    });
    let say = Callback::new(move |()| {
        let (percent, reached) = now.get_untracked();
        said.set(if reached {
            words.reached(percent)
        } else {
            words.both(percent, percent_text(target))
        });
    });
    Effect::new(move |_| {
        now.track();
        watch.update_value(|watch| watch.changed_ms = js_sys::Date::now());
        if watch.with_value(|watch| watch.timer.is_none()) {
            ask_at_rest(watch, now, say, REST_MS);
        }
    });
    on_cleanup(move || {
        if let Some(Some(timer)) = watch.try_update_value(|watch| watch.timer.take()) {
            timer.clear();
        }
    });
    view! { <p class="visually-hidden" role="status" aria-live="polite">{move || said.get()}</p> }
}

/// The live region's knowledge of the bar.
struct Watch {
    announcer: Announcer,
    /// When the alignment last changed.
    changed_ms: f64,
    /// Runs while something may be to be said; a change while it runs starts no other.
    timer: Option<TimeoutHandle>,
}

fn ask_at_rest(
    watch: StoredValue<Watch>,
    now: Memo<(u32, bool)>,
    say: Callback<()>,
    after_ms: f64,
) {
    let ask = move || {
        let (percent, reached) = now.get_untracked();
        let now_ms = js_sys::Date::now();
        let advice = watch.try_update_value(|watch| {
            watch.timer = None;
            let rest_ms = watch.changed_ms + REST_MS - now_ms;
            if rest_ms > 0.0 {
                Advice::Wait(rest_ms)
            } else {
                watch.announcer.at_rest(now_ms, percent, reached)
            }
        });
        match advice {
            Some(Advice::Speak) => say.run(()),
            Some(Advice::Wait(ms)) => ask_at_rest(watch, now, say, ms),
            Some(Advice::Silence) | None => {}
        }
    };
    let after = Duration::from_millis(after_ms.max(0.0).ceil() as u64);
    let timer = set_timeout_with_handle(ask, after).ok();
    watch.update_value(|watch| watch.timer = timer);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_rounds_up_to_the_target() {
        let check = |distance: f64, threshold: f64, percent: u32, reached: bool| {
            let state = BarState::new(Alignment::at(distance, threshold), threshold);
            assert_eq!(
                (state.percent, state.reached),
                (percent, reached),
                "{distance}"
            );
        };
        check(0.1011, 0.1, 89, false);
        check(0.1009, 0.1, 90, true);
        check(0.1, 0.1, 90, true);
        check(0.0209, 0.02, 98, true);
        check(0.101, 0.1, 90, true);
        check(0.0211, 0.02, 97, false);
        check(0.71, 0.1, 29, false);
        check(0.0, 0.1, 100, true);
        check(1.0, 0.1, 0, false);
        check(f64::NAN, 0.1, 0, false);
    }

    #[test]
    fn colours_run_from_red_to_amber_and_are_green_only_at_the_target() {
        let rgb =
            |distance, threshold| BarState::new(Alignment::at(distance, threshold), threshold).rgb;
        assert_eq!(rgb(1.0, 0.1), [209, 67, 58]);
        assert_eq!(rgb(0.55, 0.1), [217, 113, 45]);
        assert_eq!(rgb(0.102, 0.1), [224, 158, 32]);
        assert_eq!(rgb(0.16, 0.02), [222, 145, 36]);
        assert_eq!(rgb(0.1, 0.1), GREEN);
        assert_eq!(rgb(0.0, 0.1), GREEN);
    }

    #[test]
    fn targets_are_written_without_needless_decimals() {
        assert_eq!(percent_text(1.0 - 0.1), "90");
        assert_eq!(percent_text(1.0 - 0.25), "75");
        assert_eq!(percent_text(0.975), "97.5");
    }
}
