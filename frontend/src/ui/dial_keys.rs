//! Keys and small buttons that turn a dial.

use domain::model::latent::Dimension;

/// Share of the range that an arrow key moves.
const ARROW_SHARE: f64 = 0.01;
/// Share of the range that Page Up and Page Down move.
const PAGE_SHARE: f64 = 0.1;

/// Where a key takes a slider; `None` for keys that mean nothing to it and for
/// discrete dimensions, whose radio buttons have the browser's own keys.
///
/// Arrows move by 1 % of the range, rounded to the slider's step and at least
/// one step; with Shift by one step. Page Up and Page Down move by 10 %, Home
/// and End go to the ends.
#[must_use]
pub fn after_key(dimension: &Dimension, value: f64, key: &str, shift: bool) -> Option<f64> {
    let &Dimension::Continuous { min, max, step } = dimension else {
        return None;
    };
    let steps = |share: f64| ((max - min) * share / step).round().max(1.0) as i32;
    let arrow = if shift { 1 } else { steps(ARROW_SHARE) };
    let steps = match key {
        "ArrowRight" | "ArrowUp" => arrow,
        "ArrowLeft" | "ArrowDown" => -arrow,
        "PageUp" => steps(PAGE_SHARE),
        "PageDown" => -steps(PAGE_SHARE),
        "Home" => return Some(min),
        "End" => return Some(max),
        _ => return None,
    };
    Some(dimension.stepped(value, steps))
}

/// Repetitions of a held button after which its steps double, and double again.
const LONGER_AFTER: u32 = 8;

/// Where a press of a step button takes a dial: as far as an arrow key, which is little and can
/// be seen. While the button is held, the steps grow to twice and then four times as much:
/// `repeat` counts the repetitions, from 0 for the press itself. Discrete dimensions stay as
/// they are.
#[must_use]
pub fn after_step(dimension: &Dimension, value: f64, up: bool, repeat: u32) -> f64 {
    let key = if up { "ArrowUp" } else { "ArrowDown" };
    let steps = 1 << (repeat / LONGER_AFTER).min(2);
    (0..steps).fold(value, |value, _| {
        after_key(dimension, value, key, false).unwrap_or(value)
    })
}

/// Where a slider stands between its ends, in [0, 1].
#[must_use]
pub fn share(dimension: &Dimension, value: f64) -> f64 {
    match *dimension {
        Dimension::Continuous { min, max, .. } => ((value - min) / (max - min)).clamp(0.0, 1.0),
        Dimension::Discrete { .. } => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIAL: Dimension = Dimension::continuous(-3.0, 3.274, 0.01);

    #[test]
    fn keys_follow_the_range_and_the_step() {
        let check = |value: f64, key: &str, shift: bool, expected: Option<f64>| {
            assert_eq!(
                after_key(&DIAL, value, key, shift),
                expected,
                "{value} {key} {shift}"
            );
        };
        check(0.0, "ArrowRight", false, Some(0.06));
        check(0.0, "ArrowUp", false, Some(0.06));
        check(0.0, "ArrowLeft", false, Some(-0.06));
        check(0.0, "ArrowDown", true, Some(-0.01));
        check(0.0, "PageUp", false, Some(0.63));
        check(0.0, "PageDown", true, Some(-0.63));
        check(1.0, "Home", false, Some(-3.0));
        check(1.0, "End", false, Some(3.274));
        check(3.26, "ArrowRight", false, Some(3.274));
        check(3.274, "ArrowRight", true, Some(3.274));
        check(3.274, "ArrowLeft", true, Some(3.27));
        check(3.274, "ArrowLeft", false, Some(3.22));
        check(0.0, "Tab", false, None);
        check(0.0, "a", false, None);
    }

    #[test]
    fn an_arrow_moves_at_least_one_step() {
        let coarse = Dimension::continuous(0.0, 1.0, 0.05);
        assert_eq!(after_key(&coarse, 0.5, "ArrowRight", false), Some(0.55));
        assert_eq!(
            after_key(&Dimension::Discrete { values: 3 }, 0.0, "ArrowRight", false),
            None
        );
    }

    #[test]
    fn a_step_can_be_seen_and_grows_while_the_button_is_held() {
        // 1 % of 6.274 on the grid of 0.01.
        assert_eq!(after_step(&DIAL, 0.29, true, 0), 0.35);
        assert_eq!(after_step(&DIAL, 0.35, false, 0), 0.29);
        assert_eq!(after_step(&DIAL, 0.0, true, 7), 0.06);
        assert_eq!(after_step(&DIAL, 0.0, true, 8), 0.12);
        assert_eq!(after_step(&DIAL, 0.0, false, 16), -0.24);
        assert_eq!(after_step(&DIAL, 0.0, true, 1000), 0.24);
        assert_eq!(
            after_step(&DIAL, 3.25, true, 16),
            3.274,
            "the end of the range"
        );
        let mut value = -3.0;
        for repeat in 0..60 {
            value = after_step(&DIAL, value, true, repeat);
        }
        assert_eq!(value, 3.274, "from end to end in four seconds");
        let choice = Dimension::Discrete { values: 3 };
        assert_eq!(after_step(&choice, 1.0, true, 0), 1.0);
    }

    #[test]
    fn the_share_of_the_way_stays_within_the_ends() {
        assert_eq!(share(&DIAL, -3.0), 0.0);
        assert_eq!(share(&DIAL, 9.0), 1.0);
    }
}
