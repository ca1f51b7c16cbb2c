//! Columns of the table of sessions that say how far its numbers can be believed. They are flags
//! for a person to look at, and exclude nobody.

use domain::event::{Author, Event, PageInfo};
use domain::table::ColumnType::{Boolean, Integer, Text};
use domain::table::{Field, field};
use serde_json::{Value, json};

use super::replay::ReplayedSession;

type Row = ReplayedSession;

/// Milliseconds from the moment that an event claims, by the server's clock, to the moment that
/// the server received it, of each of the participant's events; negative if the claim is ahead.
fn delays_ms(row: &Row) -> impl Iterator<Item = i64> {
    let created = row.stored.created_at_unix_ms;
    let events = row.events.iter();
    let own = events.filter(|logged| logged.envelope.author == Author::Participant);
    own.map(move |logged| {
        let claimed = created.saturating_add(logged.envelope.at_ms);
        let received = i64::try_from(logged.received_at_unix_ms).unwrap_or(i64::MAX);
        received.saturating_sub(i64::try_from(claimed).unwrap_or(i64::MAX))
    })
}

fn pages(row: &Row) -> impl Iterator<Item = &PageInfo> {
    row.events
        .iter()
        .filter_map(|logged| match &logged.envelope.event {
            Event::PageOpened { page } => Some(page),
            _ => None,
        })
}

/// Each build once.
fn app_builds(row: &Row) -> String {
    let mut builds: Vec<&str> = Vec::new();
    for page in pages(row) {
        if !page.app.is_empty() && !builds.contains(&page.app.as_str()) {
            builds.push(&page.app);
        }
    }
    builds.join(" ")
}

/// What the server found when it decoded again; null if it has not yet.
fn verified(row: &Row, value: fn(u64, u64, Option<String>) -> Value) -> Value {
    let found = row.events.iter().find_map(|logged| {
        let Event::Verified {
            decoded,
            contradictions,
            first,
            ..
        } = &logged.envelope.event
        else {
            return None;
        };
        let first = first.as_ref().map(ToString::to_string);
        Some(value(*decoded, *contradictions, first))
    });
    found.unwrap_or(Value::Null)
}

/// The columns.
pub(super) fn fields() -> Vec<Field<Row>> {
    vec![
        field(
            "claimed_ahead_ms",
            Integer,
            "ms",
            "0 and up",
            "By how much the page's times were at most ahead of the server's clock: more than a few seconds means that more time is claimed than has passed",
            |r| json!(delays_ms(r).map(|delay| -delay).max().unwrap_or(0).max(0)),
        ),
        field(
            "longest_upload_delay_ms",
            Integer,
            "ms",
            "0 and up",
            "The longest time from an event to its arrival at the server: a bad connection, or a page that was away",
            |r| json!(delays_ms(r).max().unwrap_or(0).max(0)),
        ),
        field(
            "app_builds",
            Text,
            "",
            "any",
            "Builds of the app that the session's pages ran, in order, separated by spaces: names of the module with the hash of its content",
            |r| json!(app_builds(r)),
        ),
        field(
            "relaxed_simd",
            Boolean,
            "",
            "true, false",
            "Whether the first page decoded with relaxed SIMD, whose last digits may differ; empty in logs of earlier versions",
            |r| json!(pages(r).find_map(|page| page.relaxed_simd)),
        ),
        field(
            "decoded_again",
            Integer,
            "",
            "0 and up",
            "Number of latent vectors that the server decoded again after the session; empty if it has not. `redial verify` decodes all",
            |r| verified(r, |decoded, _, _| json!(decoded)),
        ),
        field(
            "contradictions",
            Integer,
            "",
            "0 and up",
            "Number of reported distances, errors and dial positions among them that do not follow from their inputs",
            |r| verified(r, |_, count, _| json!(count)),
        ),
        field(
            "first_contradiction",
            Text,
            "",
            "any",
            "The first of them: which event, and what does not agree",
            |r| verified(r, |_, _, first| json!(first)),
        ),
    ]
}
