//! `redial study cells`, `pause` and `resume`: a study's quotas, while it runs.

use std::collections::BTreeSet;

use anyhow::bail;
use api::research::CellCounts;
use clap::Args;
use domain::recruitment::assignment::{AssignmentStatus, Purpose};
use jiff::Timestamp;
use serde_json::{Value, json};
use server::cells::{cell_name, counts};
use server::control::Request;
use server::storage::{self, LedgerLine, StudyLedger};

use super::super::change::{change, there_is_a_database};
use crate::config::Config;
use crate::output::{Align, aligned, print};
use crate::study_at_hand::find;

/// `redial study cells …`
#[derive(Debug, Clone, Args)]
pub struct CellsArgs {
    /// Name of the study, or its file
    study: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// `redial study pause …` and `resume …`
#[derive(Debug, Clone, Args)]
pub struct PauseArgs {
    /// Name of the study, or its file
    study: String,
    /// Names of the cells, as `redial study cells` prints them; none: all
    #[arg(value_name = "CELL")]
    cells: Vec<String>,
}

const COLUMNS: [(&str, Align); 8] = [
    ("cell", Align::Left),
    ("cap", Align::Right),
    ("count", Align::Right),
    ("under way", Align::Right),
    ("open", Align::Right),
    ("left", Align::Right),
    ("excluded", Align::Right),
    ("over quota", Align::Right),
];

const LEGEND: &str = "
count       those who finished and count in the cap
under way   those whose slot is still theirs          open      slots that are left
left        those who ended, or whose slot was given back and who have not finished
excluded    those who finished and do not count: by the inclusion rules, by hand, or withdrawn
over quota  finished late, to be paid
";

/// A line of the table.
fn line(cell: &CellCounts) -> Vec<String> {
    let number = |number: Option<u64>| number.map_or_else(|| "–".into(), |n| n.to_string());
    vec![
        cell_name(&cell.cell).to_owned(),
        number(cell.cap),
        cell.counted.to_string(),
        cell.under_way.to_string(),
        if cell.paused {
            "paused".into()
        } else {
            number(cell.open)
        },
        cell.left.to_string(),
        cell.excluded.to_string(),
        cell.over_quota.to_string(),
    ]
}

/// Prints who is in which cell, and who finished late.
///
/// # Errors
/// When there is no such study or database.
pub async fn cells(config: &Config, args: CellsArgs) -> anyhow::Result<()> {
    let entry = find(config, &args.study).await?.entry;
    let archive = storage::open_archive(config.address()).await?;
    let ledger = archive
        .study_snapshot(&entry.study.id)
        .await?
        .ledger()
        .await?;
    archive.close().await;
    let lines = counts(&entry.study.design, &ledger, now_unix_ms());
    let late: Vec<&LedgerLine> = ledger.lines.iter().filter(|line| line.is_late()).collect();
    if args.json {
        let do_not_count: serde_json::Map<String, Value> = no_data(&ledger)
            .map(|(purpose, sessions)| (purpose.name().to_owned(), json!(sessions)))
            .collect();
        let report = json!({
            "study": entry.study.id,
            "cells": lines,
            "do_not_count": do_not_count,
            "late": late.iter().map(|line| late_json(line)).collect::<Vec<_>>(),
        });
        return Ok(print(&(serde_json::to_string_pretty(&report)? + "\n"))?);
    }
    Ok(print(&in_words(&lines, &late, &ledger))?)
}

fn in_words(lines: &[CellCounts], late: &[&LedgerLine], ledger: &StudyLedger) -> String {
    let mut table = vec![COLUMNS.map(|(name, _)| name.to_owned()).to_vec()];
    table.extend(lines.iter().map(line));
    let mut text = aligned(&COLUMNS.map(|(_, align)| align), &table);
    text += LEGEND;
    for (purpose, sessions) in no_data(ledger) {
        text += &format!(
            "\n{sessions} sessions of kind '{}' do not count.\n",
            purpose.name()
        );
    }
    if !late.is_empty() {
        text += "\nFinished after their slot had been given back:\n";
        for line in late {
            text += &format!("  {}\n", late_in_words(line));
        }
    }
    text
}

/// The kinds of sessions that are no participant's, and how many there are of each.
fn no_data(ledger: &StudyLedger) -> impl Iterator<Item = (Purpose, u64)> {
    let kinds = Purpose::ALL.into_iter();
    let counted = kinds.filter(|purpose| !purpose.counts());
    let counted = counted.map(move |purpose| (purpose, ledger.of(purpose).sessions()));
    counted.filter(|(_, sessions)| *sessions > 0)
}

fn late_in_words(line: &LedgerLine) -> String {
    let session = line.session.as_ref().map_or("–", |id| id.0.as_str());
    let code = line.participant_code.as_deref();
    let code = code
        .map(|code| format!(", code {code}"))
        .unwrap_or_default();
    let cell = &line.entry.cell;
    let standing = match line.entry.progress {
        AssignmentStatus::Completed {
            over_quota: true, ..
        } => "over quota",
        AssignmentStatus::Completed {
            included: false, ..
        } => "excluded",
        _ => "filled an open slot",
    };
    format!("session {session}{code}, cell {cell}: {standing}; to be paid")
}

fn late_json(line: &LedgerLine) -> Value {
    let (over_quota, included) = match line.entry.progress {
        AssignmentStatus::Completed {
            over_quota,
            included,
        } => (over_quota, included),
        _ => (false, true),
    };
    json!({
        "session": line.session, "ordinal": line.ordinal, "cell": line.entry.cell,
        "participant_code": line.participant_code, "included": included, "over_quota": over_quota,
    })
}

/// Pauses cells, or lets people into them again. A server that runs does it itself.
///
/// # Errors
/// When there is no such study, cell or database.
pub async fn pause(config: &Config, args: PauseArgs, pause: bool) -> anyhow::Result<()> {
    let entry = find(config, &args.study).await?.entry;
    let known: BTreeSet<String> = entry
        .study
        .design
        .cells()
        .into_iter()
        .map(|cell| cell.name)
        .collect();
    for cell in &args.cells {
        if !known.contains(cell) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            bail!("there is no cell '{cell}'; there are: {}", known.join(", "));
        }
    }
    there_is_a_database(config)?;
    let cells = if args.cells.is_empty() {
        known.into_iter().collect()
    } else {
        args.cells
    };
    let request = Request::PauseCells {
        study: entry.study.id.clone(),
        cells: cells.clone(),
        at_unix_ms: pause.then(now_unix_ms),
    };
    change(config, &request).await?;
    let what = if pause {
        "Nobody is put into these cells until you resume them; who has begun can finish"
    } else {
        "People are put into these cells again"
    };
    let names: Vec<&str> = cells.iter().map(|cell| cell_name(cell)).collect();
    Ok(print(&format!("{what}: {}\n", names.join(", ")))?)
}

fn now_unix_ms() -> u64 {
    u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default()
}
