//! `redial platform outbox`: decisions that the server sends.

use domain::recruitment::outbox::Deed;
use serde_json::json;
use server::control::Request;
use server::export::utc;
use server::storage::StoredDecision;

use super::args::OutboxArgs;
use crate::commands::change::change;
use crate::commands::data::open;
use crate::config::Config;
use crate::output::{Align, aligned, print};

const COLUMNS: [&str; 9] = [
    "number", "session", "platform", "decision", "by", "state", "since", "next", "answer",
];

/// Lists the outbox of a study, or does something with one of its decisions.
///
/// # Errors
/// When there is no such study or decision, or it cannot be done now.
pub(super) async fn outbox(config: &Config, args: &OutboxArgs) -> anyhow::Result<()> {
    let study = args.study.clone();
    let request = match (args.take_back, args.settle.zip(args.as_what)) {
        (Some(number), _) => Some(Request::TakeBack { study, number }),
        (None, Some((number, how))) => Some(Request::Settle { study, number, how }),
        (None, None) => None,
    };
    if let Some(request) = request {
        change(config, &request).await?;
        return Ok(print("Done.\n")?);
    }
    let decisions = of_study(config, &args.study).await?;
    if args.json {
        let objects: Vec<_> = decisions.iter().map(object).collect();
        return Ok(print(&(serde_json::to_string_pretty(&objects)? + "\n"))?);
    }
    if decisions.is_empty() {
        return Ok(print("Nothing is in the outbox.\n")?);
    }
    Ok(print(&table_of(&decisions))?)
}

/// Decisions as a table.
pub(super) fn table_of(decisions: &[StoredDecision]) -> String {
    let mut table = vec![COLUMNS.map(str::to_owned).to_vec()];
    table.extend(decisions.iter().map(line));
    aligned(&[Align::Left; COLUMNS.len()], &table)
}

/// The decisions in the outbox of a study.
///
/// # Errors
/// When there is no such study, or the database fails.
pub(super) async fn of_study(config: &Config, study: &str) -> anyhow::Result<Vec<StoredDecision>> {
    let archive = open(config, study).await?;
    let decisions = match archive.study_snapshot(study).await {
        Ok(mut snapshot) => snapshot.decisions().await,
        Err(error) => Err(error),
    };
    archive.close().await;
    Ok(decisions?)
}

fn time(unix_ms: Option<u64>) -> String {
    utc(unix_ms).as_str().unwrap_or("–").to_owned()
}

fn line(decision: &StoredDecision) -> Vec<String> {
    let deed = match &decision.deed {
        Deed::Approve { amount, currency } => format!("approve, {amount} {currency}"),
        Deed::Reject { category, .. } => match category {
            Some(category) => format!("reject, {}", category.code()),
            None => "reject".to_owned(),
        },
        Deed::AskReturn { .. } => "ask to return it".to_owned(),
        Deed::Bonus {
            amount,
            currency,
            reference,
            ..
        } => format!("bonus {reference}, {amount} {currency}"),
    };
    let course = &decision.course;
    // Of what fails, since when it does.
    let since = course.failing_since_unix_ms;
    vec![
        decision.number.to_string(),
        decision.session.0.clone(),
        decision.platform.clone(),
        deed,
        decision
            .decided_by
            .clone()
            .unwrap_or_else(|| "a command".to_owned()),
        course.state.name().to_owned(),
        time(Some(since.unwrap_or(course.since_unix_ms))),
        time(course.next_at_unix_ms),
        course.answer.clone().unwrap_or_else(|| "–".to_owned()),
    ]
}

fn object(decision: &StoredDecision) -> serde_json::Value {
    let course = &decision.course;
    json!({
        "number": decision.number,
        "session": decision.session,
        "platform": decision.platform,
        "deed": decision.deed,
        "decided_by": decision.decided_by,
        "decided_at_unix_ms": decision.decided_at_unix_ms,
        "state": course.state,
        "since_unix_ms": course.since_unix_ms,
        "next_at_unix_ms": course.next_at_unix_ms,
        "attempts": course.attempts,
        "failing_since_unix_ms": course.failing_since_unix_ms,
        "answer": course.answer,
        "settled_by": course.by,
    })
}
