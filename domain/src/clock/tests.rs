use super::*;
use std::cell::Cell;

thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// A span was looked at.
pub(super) fn step() {
    STEPS.set(STEPS.get() + 1);
}

fn clock(rule: ActiveTimeRule) -> QuestionClock {
    QuestionClock::start(10_000, rule)
}

#[test]
fn the_capped_rule_counts_three_seconds_of_a_longer_gap() {
    let mut clock = clock(ActiveTimeRule::Capped);
    assert_eq!(clock.active_ms(12_000), 2_000);
    assert_eq!(clock.active_ms(60_000), 3_000);
    clock.on_task_event(60_000, Some(60_000));
    assert_eq!(clock.active_ms(60_500), 3_500);
    clock.on_task_event(60_600, Some(59_000)); // a late report of something earlier
    assert_eq!(clock.active_ms(61_000), 4_000);
}

#[test]
fn the_released_rule_counts_nothing_of_a_longer_gap() {
    let mut clock = clock(ActiveTimeRule::Released);
    assert_eq!(clock.active_ms(12_999), 2_999);
    assert_eq!(clock.active_ms(13_000), 0);
    for at_ms in [20_000, 21_500, 26_000] {
        clock.on_task_event(at_ms, Some(at_ms));
    }
    assert_eq!(clock.active_ms(26_000), 1_500);
}

#[test]
fn hidden_closed_and_asleep_are_away_and_count_once() {
    let mut clock = clock(ActiveTimeRule::Capped);
    clock.on_page_event(11_000, Some(PageChange::Hidden));
    clock.on_page_event(15_000, Some(PageChange::Shown));
    assert_eq!(clock.away_ms(10_000, 15_000), 4_000);
    assert_eq!(clock.away_ms(12_000, 13_000), 1_000, "only what is asked");
    // Asleep from 14 s to 20 s: the first of them was spent hidden.
    clock.on_page_event(20_000, Some(PageChange::Slept { slept_ms: 6_000 }));
    assert_eq!(clock.away_ms(10_000, 20_000), 9_000);
    // A crash: the last sign of life was at 21 s, the page is back at 30 s.
    clock.on_task_event(21_000, Some(21_000));
    clock.on_page_event(30_000, Some(PageChange::Opened));
    assert_eq!(clock.away_ms(10_000, 31_000), 18_000);
    assert_eq!(
        (clock.reloads(), clock.present_ms(10_000, 31_000)),
        (1, 3_000)
    );
    // Hidden and never shown again, as far as the log goes.
    clock.on_page_event(32_000, Some(PageChange::Hidden));
    assert_eq!(clock.away_ms(10_000, 40_000), 26_000);
}

#[test]
fn a_pause_is_counted_apart() {
    let mut clock = clock(ActiveTimeRule::Capped);
    clock.on_page_event(11_000, Some(PageChange::Paused));
    clock.on_page_event(14_000, Some(PageChange::Resumed));
    assert_eq!(clock.paused_ms(10_000, 20_000), 3_000);
    assert_eq!(clock.away_ms(10_000, 20_000), 0);
    // Both at once count once.
    clock.on_page_event(15_000, Some(PageChange::Paused));
    clock.on_page_event(16_000, Some(PageChange::Hidden));
    assert_eq!(clock.present_ms(10_000, 20_000), 2_000);
}

#[test]
fn reading_the_consent_form_again_is_no_time_on_the_question() {
    let mut clock = clock(ActiveTimeRule::Capped);
    clock.on_task_event(12_000, Some(12_000));
    clock.on_page_event(20_000, Some(PageChange::Opened));
    clock.on_page_event(22_000, Some(PageChange::Hidden));
    clock.on_page_event(23_000, Some(PageChange::Shown));
    clock.on_page_event(25_000, Some(PageChange::ConsentGiven));
    // From the last sign of life to the agreement.
    assert_eq!(clock.away_ms(10_000, 30_000), 13_000);
    assert_eq!(clock.present_ms(10_000, 30_000), 7_000);
}

#[test]
fn nothing_counts_after_the_end() {
    let mut clock = clock(ActiveTimeRule::Capped);
    clock.end(12_000);
    clock.on_page_event(13_000, Some(PageChange::Hidden));
    clock.on_task_event(14_000, Some(14_000));
    assert_eq!((clock.until_ms(), clock.away_ms(0, 20_000)), (12_000, 0));
}

/// A session had 8,000 pauses, and each question about time looked at all of them.
#[test]
fn what_is_asked_of_a_clock_does_not_grow_with_its_pauses() {
    let steps_after = |pauses: u64| {
        let mut clock = clock(ActiveTimeRule::Capped);
        for pause in 0..pauses {
            let at_ms = 10_000 + 4 * pause;
            clock.on_page_event(at_ms, Some(PageChange::Paused));
            clock.on_page_event(at_ms + 2, Some(PageChange::Resumed));
            clock.on_page_event(at_ms + 1, Some(PageChange::Hidden));
            clock.on_page_event(at_ms + 3, Some(PageChange::Shown));
        }
        let end_ms = 10_000 + 4 * pauses;
        let before = STEPS.get();
        assert_eq!(clock.paused_ms(10_000, end_ms), 2 * pauses);
        assert_eq!(clock.away_ms(10_000, end_ms), 2 * pauses);
        // Of the last two pauses: 1 ms of each 4 was neither.
        assert_eq!(clock.present_ms(end_ms - 8, end_ms), 2);
        STEPS.get() - before
    };
    let (few, many) = (steps_after(8), steps_after(8_000));
    assert!(
        many <= 4 * few,
        "{few} steps for 8 pauses, {many} for 8,000"
    );
}
