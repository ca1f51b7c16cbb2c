//! Columns of the table of sessions that say how far its numbers can be believed. They are flags
//! for a person to look at, and exclude nobody.

use domain::common::table::ColumnType::{Boolean, Integer, Json, Number, Text};
use domain::common::table::{Field, field};
use domain::study::automation::SIGNALS;
use serde_json::{Value, json};

use super::replay::ReplayedSession;

type Row = ReplayedSession;

/// The columns.
pub(super) fn fields() -> Vec<Field<Row>> {
    let mut fields = verified();
    fields.extend(automation());
    fields
}

/// What the server found.
fn verified() -> Vec<Field<Row>> {
    vec![
        field(
            "claimed_ahead_ms",
            Integer,
            "ms",
            "0 and up",
            "By how much the page's times were at most ahead of the server's clock: more than a few seconds means that more time is claimed than has passed",
            |r| {
                json!(
                    r.log
                        .delays_ms
                        .map_or(0, |(least, _)| least.saturating_neg().max(0))
                )
            },
        ),
        field(
            "longest_upload_delay_ms",
            Integer,
            "ms",
            "0 and up",
            "The longest time from an event to its arrival at the server: a bad connection, or a page that was away",
            |r| json!(r.log.delays_ms.map_or(0, |(_, most)| most.max(0))),
        ),
        field(
            "app_builds",
            Text,
            "",
            "any",
            "Builds of the app that the session's pages ran, in order, separated by spaces: names of the module with the hash of its content",
            |r| json!(r.log.app_builds),
        ),
        field(
            "relaxed_simd",
            Boolean,
            "",
            "true, false",
            "Whether the first page decoded with relaxed SIMD, whose last digits may differ; empty in logs of earlier versions",
            |r| json!(r.log.relaxed_simd),
        ),
        field(
            "restored",
            Boolean,
            "",
            "true, false",
            "Whether the server had lost the session, as after an older backup was put back, and made it again from what its page had kept: arrival times are then those of the second time",
            |r| json!(r.log.restored),
        ),
        field(
            "page_translated",
            Boolean,
            "",
            "true, false",
            "Whether the browser translated a page, so that the participant read other words than those of the study; false in logs of earlier versions, which did not look",
            |r| json!(r.log.translated),
        ),
        field(
            "decoded_again",
            Integer,
            "",
            "0 and up",
            "Number of latent vectors that the server decoded again after the session; empty if it has not. `redial verify` decodes all",
            |r| json!(r.log.verified.as_ref().map(|found| found.decoded)),
        ),
        field(
            "contradictions",
            Integer,
            "",
            "0 and up",
            "Number of reported distances, errors and dial positions among them that do not follow from their inputs",
            |r| json!(r.log.verified.as_ref().map(|found| found.contradictions)),
        ),
        field(
            "first_contradiction",
            Text,
            "",
            "any",
            "The first of them: which event, and what does not agree",
            |r| {
                json!(
                    r.log
                        .verified
                        .as_ref()
                        .and_then(|found| found.first.as_ref())
                )
            },
        ),
    ]
}

/// The column of a signal.
fn signal<const N: usize>() -> Field<Row> {
    let signal = &SIGNALS[N];
    let value: fn(&Row) -> Value = |row| json!((SIGNALS[N].value)(&row.automation));
    field(
        signal.name,
        Number,
        signal.unit,
        "0 and up",
        signal.meaning,
        value,
    )
}

/// Signs that a script or an agent took part.
fn automation() -> Vec<Field<Row>> {
    vec![
        field(
            "automation_flags",
            Json,
            "",
            "list of column names",
            "Which of the signals that follow lie beyond the study's thresholds: reasons to look at the session, none to reject it; empty if the study's file cannot be read",
            |r| json!(r.automation_flags),
        ),
        signal::<0>(),
        signal::<1>(),
        signal::<2>(),
        signal::<3>(),
        signal::<4>(),
        signal::<5>(),
        signal::<6>(),
        signal::<7>(),
        field(
            "gestures",
            Integer,
            "",
            "0 and up",
            "Number of times a pointer was on a control of a question, from down to up",
            |r| json!(r.automation.gestures),
        ),
        field(
            "sub_movements",
            Number,
            "",
            "1 and up",
            "Times a gesture sped up and slowed down, mean over gestures that moved; empty without one",
            |r| json!(r.automation.sub_movements),
        ),
        field(
            "peak_px_per_s",
            Number,
            "px/s",
            "0 and up",
            "Highest speed of a gesture that moved, median, in CSS pixels; empty without one",
            |r| json!(r.automation.peak_px_per_s),
        ),
        field(
            "left_while_writing",
            Integer,
            "",
            "0 and up",
            "How often the page was left while a text field had the focus",
            |r| json!(r.automation.left_while_writing),
        ),
    ]
}
