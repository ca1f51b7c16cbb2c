//! Columns of the table of sessions that say how far its numbers can be believed. They are flags
//! for a person to look at, and exclude nobody.

use domain::common::table::{Column, ColumnType, Field};
use domain::fields;
use domain::study::automation::SIGNALS;
use serde_json::json;

use super::replay::ReplayedSession;

type Row = ReplayedSession;

/// The columns: what the server found, then signs that a script or an agent took part.
pub(super) fn fields() -> Vec<Field<Row>> {
    let mut fields = fields! { |r: &Row|
        "claimed_ahead_ms": "By how much the page's times were at most ahead of the server's clock: more than a few seconds means that more time is claimed than has passed",
            Integer, "ms", "0 and up" => r.log.delays_ms.map_or(0, |(least, _)| least.saturating_neg().max(0));
        "longest_upload_delay_ms": "The longest time from an event to its arrival at the server: a bad connection, or a page that was away",
            Integer, "ms", "0 and up" => r.log.delays_ms.map_or(0, |(_, most)| most.max(0));
        "app_builds": "Builds of the app that the session's pages ran, in order, separated by spaces: names of the module with the hash of its content",
            Text, "", "any" => r.log.app_builds;
        "relaxed_simd": "Whether the first page decoded with relaxed SIMD, whose last digits may differ; empty in logs of earlier versions",
            Boolean, "", "true, false" => r.log.relaxed_simd;
        "restored": "Whether the server had lost the session, as after an older backup was put back, and made it again from what its page had kept: arrival times are then those of the second time",
            Boolean, "", "true, false" => r.log.restored;
        "page_translated": "Whether the browser translated a page, so that the participant read other words than those of the study; false in logs of earlier versions, which did not look",
            Boolean, "", "true, false" => r.log.translated;
        "decoded_again": "Number of latent vectors that the server decoded again after the session; empty if it has not. `redial verify` decodes all",
            Integer, "", "0 and up" => r.log.verified.as_ref().map(|found| found.decoded);
        "contradictions": "Number of reported distances, errors and dial positions among them that do not follow from their inputs",
            Integer, "", "0 and up", usual => r.log.verified.as_ref().map(|found| found.contradictions);
        "first_contradiction": "The first of them: which event, and what does not agree",
            Text, "", "any" => r.log.verified.as_ref().and_then(|found| found.first.as_ref());
        "automation_flags": "Which of the signals that follow lie beyond the study's thresholds: reasons to look at the session, none to reject it; empty if the study's file cannot be read",
            Json, "", "list of column names", usual => r.automation_flags;
        "too_fast": "Whether the time from Start until the last answer arrived is more than three standard deviations below the mean of all participants who completed the study; empty for a session that is not complete or no participant's",
            Boolean, "", "true, false", usual => r.too_fast;
    };
    fields.extend([signal::<0>(), signal::<1>(), signal::<2>(), signal::<3>()]);
    fields.extend([signal::<4>(), signal::<5>(), signal::<6>(), signal::<7>()]);
    fields.extend(fields! { |r: &Row|
        "gestures": "Number of times a pointer was on a control of a question, from down to up",
            Integer, "", "0 and up" => r.automation.gestures;
        "sub_movements": "Times a gesture sped up and slowed down, mean over gestures that moved; empty without one",
            Number, "", "1 and up" => r.automation.sub_movements;
        "peak_px_per_s": "Highest speed of a gesture that moved, median, in CSS pixels; empty without one",
            Number, "px/s", "0 and up" => r.automation.peak_px_per_s;
        "left_while_writing": "How often the page was left while a text field had the focus",
            Integer, "", "0 and up" => r.automation.left_while_writing;
    });
    fields
}

/// The column of a signal.
fn signal<const N: usize>() -> Field<Row> {
    let signal = &SIGNALS[N];
    Field {
        column: Column {
            name: signal.name,
            column_type: ColumnType::Number,
            unit: signal.unit,
            allowed: "0 and up",
            meaning: signal.meaning,
            identifying: false,
            usual: false,
            link: false,
        },
        value: |row| json!((SIGNALS[N].value)(&row.automation)),
    }
}
