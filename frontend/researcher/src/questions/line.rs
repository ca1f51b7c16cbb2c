//! The facts that the page says of somebody's line.

use api::research::AlignmentLine;
use domain::lanes::Point;
use domain::task::Outcome;
use frontend::replay::chart::curves::Curve;

use crate::text::text;

/// How a question ended, in the order in which the page lists it; the last: it has not.
pub const OUTCOMES: [Option<Outcome>; 7] = [
    Some(Outcome::Solved),
    Some(Outcome::Answered),
    Some(Outcome::Finished),
    Some(Outcome::Missed),
    Some(Outcome::Skipped),
    Some(Outcome::Cut),
    None,
];

/// How it ended, in words.
pub fn outcome_words(outcome: Option<Outcome>) -> &'static str {
    let words = &text().questions;
    match outcome {
        Some(Outcome::Solved) => words.solved(),
        Some(Outcome::Answered) => words.answered(),
        Some(Outcome::Finished) => words.finished(),
        Some(Outcome::Missed) => words.missed(),
        Some(Outcome::Skipped) => words.given_up(),
        Some(Outcome::Cut) => words.cut(),
        None => words.not_ended(),
    }
}

/// How a line ended.
pub fn outcome_of(line: &AlignmentLine) -> Option<Outcome> {
    Outcome::of_name(&line.outcome)
}

/// The line as a drawing has it.
pub fn curve_of(line: &AlignmentLine) -> Curve {
    let points = line.elapsed_ms.iter().zip(&line.alignment);
    Curve {
        points: points
            .map(|(&at_ms, &value)| Point { at_ms, value })
            .collect(),
        until_ms: line.lasted_ms,
        wanted: line.wanted,
        outcome: outcome_of(line),
    }
}

/// The best alignment; none without a stored state.
pub fn best_of(line: &AlignmentLine) -> Option<f64> {
    line.alignment.iter().copied().reduce(f64::max)
}

/// By outcome, then by time.
pub fn sort(lines: &mut [AlignmentLine]) {
    let place = |line: &AlignmentLine| {
        let outcome = outcome_of(line);
        OUTCOMES.iter().position(|it| *it == outcome)
    };
    lines.sort_by_key(|line| (place(line), line.lasted_ms, line.ordinal));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(ordinal: u64, outcome: &str, lasted_ms: u64) -> AlignmentLine {
        serde_json::from_value(serde_json::json!({
            "session": "s", "ordinal": ordinal, "stage": 0, "question": 2, "stage_id": "one",
            "number": 3, "levels": {}, "standing": "counted", "outcome": outcome,
            "started_at_ms": 5_000, "lasted_ms": lasted_ms, "wanted": 0.9,
            "elapsed_ms": [0, 700], "alignment": [0.4, 0.3],
        }))
        .unwrap()
    }

    #[test]
    fn lines_are_in_order_of_outcome_and_time() {
        let mut lines = [
            line(1, "abandoned", 100),
            line(2, "skipped", 200),
            line(3, "solved", 900),
            line(4, "solved", 300),
            line(5, "of a later version", 1),
        ];
        sort(&mut lines);
        let order = lines.each_ref().map(|it| it.ordinal);
        // A name that is not known is as if it had not ended.
        assert_eq!(order, [4, 3, 2, 5, 1]);
        assert_eq!(best_of(&lines[0]), Some(0.4));
        let curve = curve_of(&lines[0]);
        assert_eq!(curve.value_at(700), Some(0.3));
        assert_eq!(
            (curve.until_ms, curve.outcome),
            (300, Some(Outcome::Solved))
        );
    }
}
