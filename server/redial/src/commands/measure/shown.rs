//! What measures gave: as tables for people, as CSV and as JSON for programs.

use measures::measure::{Chance, Direction, Score};
use measures::outcome::{Outcome, Table, Value};

use super::drawn;
use crate::output::{Align, aligned};

/// How it is put out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Tables for people.
    Table,
    /// A row for each number.
    Csv,
    /// Everything.
    Json,
    /// The figure, where the paper has one.
    Svg,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Table, Self::Csv, Self::Json, Self::Svg];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Svg => "svg",
        }
    }

    /// What it is.
    pub fn says(self) -> &'static str {
        match self {
            Self::Table => "For people",
            Self::Csv => {
                "A row for each number, with direction, range, chance, variant, seed and flags"
            }
            Self::Json => "Everything, with tables and flags",
            Self::Svg => {
                "The figure of ois (purity matrices), niche and nis-released (curves over β), iauc, dauc (outputs over steps), cgim (histograms) or parsimony"
            }
        }
    }
}

const COLUMNS: [&str; 13] = [
    "measure",
    "score",
    "of",
    "value",
    "direction",
    "lowest",
    "highest",
    "chance",
    "variant",
    "estimator",
    "seed",
    "rows",
    "flags",
];

/// Which way is better, in a word.
pub fn direction(score: &Score) -> &'static str {
    match score.direction {
        Direction::Higher => "higher",
        Direction::Lower => "lower",
    }
}

/// What chance gives.
pub fn chance(score: &Score) -> String {
    match score.chance {
        Chance::Is(value) => value.to_string(),
        Chance::Depends(words) => words.to_owned(),
    }
}

/// An end of a range; nothing where there is none.
pub fn bound(bound: Option<f64>) -> String {
    bound.map(|it| it.to_string()).unwrap_or_default()
}

/// What measures gave, as it was asked for.
///
/// # Errors
/// When memory is out; for a figure, when there is none of these measures.
pub fn text(outcomes: &[Outcome], format: Format) -> anyhow::Result<String> {
    match format {
        Format::Table => Ok(tables(outcomes)),
        Format::Csv => csv(outcomes),
        Format::Json => json(outcomes),
        Format::Svg => drawn::svg(outcomes),
    }
}

/// A line for each number, and what must be known of it.
fn tables(outcomes: &[Outcome]) -> String {
    let mut out = String::new();
    for outcome in outcomes {
        if !out.is_empty() {
            out.push('\n');
        }
        if outcome.values.is_empty() {
            out.push_str(&format!("{}\n{}", outcome.measure.title, noted(outcome)));
            continue;
        }
        out.push_str(&heading(outcome));
        let mut lines = vec![line(["", "of", "value", "better", "range", "chance"])];
        lines.extend(outcome.values.iter().map(value_line));
        let columns = [
            Align::Left,
            Align::Left,
            Align::Right,
            Align::Left,
            Align::Left,
            Align::Left,
        ];
        out.push_str(&aligned(&columns, &lines));
        for table in &outcome.tables {
            out.push('\n');
            out.push_str(&table_text(table));
        }
        out.push_str(&noted(outcome));
    }
    out
}

/// A line for each flag.
fn noted(outcome: &Outcome) -> String {
    let flags = outcome.flags.iter();
    flags.map(|flag| format!("! {flag}\n")).collect()
}

/// The flags of an outcome in one cell.
fn flags(outcome: &Outcome) -> String {
    let flags: Vec<String> = outcome.flags.iter().map(ToString::to_string).collect();
    flags.join("; ")
}

/// Why there are no numbers of each measure, a line for each.
pub fn reasons(outcomes: &[Outcome]) -> String {
    let each = outcomes.iter();
    let lines: Vec<String> = each
        .map(|outcome| format!("{}: {}", outcome.measure.name, flags(outcome)))
        .collect();
    lines.join("\n")
}

fn heading(outcome: &Outcome) -> String {
    let mut of = vec![format!("{} rows", outcome.rows)];
    for (word, name) in [
        ("variant", outcome.variant),
        ("estimator", outcome.estimator),
    ] {
        if !name.is_empty() {
            of.push(format!("{word} {name}"));
        }
    }
    if let Some(seed) = outcome.seed {
        of.push(format!("seed {seed}"));
    }
    format!("{} ({})\n", outcome.measure.title, of.join(", "))
}

fn line<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

fn value_line(value: &Value) -> Vec<String> {
    let score = value.score;
    let range = match score.range {
        (None, None) => String::new(),
        (low, high) => {
            let end = |bound: Option<f64>| bound.map_or("…".to_owned(), |it| it.to_string());
            format!("{} to {}", end(low), end(high))
        }
    };
    vec![
        score.title.to_owned(),
        value.of.clone().unwrap_or_default(),
        number(value.value),
        direction(score).to_owned(),
        range,
        chance(score),
    ]
}

/// Four digits behind the point; what is smaller, or very large, with its power of ten.
pub fn number(value: Option<f64>) -> String {
    match value {
        None => "not defined".to_owned(),
        Some(value) if value != 0.0 && !(1e-3..1e7).contains(&value.abs()) => {
            format!("{value:.3e}")
        }
        Some(value) => format!("{value:.4}"),
    }
}

fn table_text(table: &Table) -> String {
    let mut lines = vec![
        std::iter::once(String::new())
            .chain(table.columns.iter().cloned())
            .collect::<Vec<_>>(),
    ];
    for (name, row) in table.row_names.iter().zip(&table.rows) {
        let cells = row
            .iter()
            .map(|value| value.map_or("–".to_owned(), |it| number(Some(it))));
        lines.push(std::iter::once(name.clone()).chain(cells).collect());
    }
    let columns: Vec<Align> = std::iter::once(Align::Left)
        .chain(table.columns.iter().map(|_| Align::Right))
        .collect();
    format!("{}\n{}", table.title, aligned(&columns, &lines))
}

/// A row for each number, with all flags of its measure; a row without a number for a measure that was not computed.
///
/// # Errors
/// When memory is out.
fn csv(outcomes: &[Outcome]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for outcome in outcomes {
        let flags = flags(outcome);
        for value in &outcome.values {
            let score = value.score;
            writer.write_record([
                outcome.measure.name,
                score.name,
                value.of.as_deref().unwrap_or_default(),
                &bound(value.value),
                direction(score),
                &bound(score.range.0),
                &bound(score.range.1),
                &chance(score),
                outcome.variant,
                outcome.estimator,
                &outcome.seed.map(|it| it.to_string()).unwrap_or_default(),
                &outcome.rows.to_string(),
                &flags,
            ])?;
        }
        if outcome.values.is_empty() {
            let mut row = [""; COLUMNS.len()];
            (row[0], row[COLUMNS.len() - 1]) = (outcome.measure.name, flags.as_str());
            writer.write_record(row)?;
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// Everything: a list of outcomes, each flag with its words.
///
/// # Errors
/// When memory is out.
fn json(outcomes: &[Outcome]) -> anyhow::Result<String> {
    let mut all = serde_json::to_value(outcomes)?;
    for (outcome, of_outcome) in outcomes
        .iter()
        .zip(all.as_array_mut().into_iter().flatten())
    {
        let flags = of_outcome["flags"].as_array_mut().into_iter().flatten();
        for (flag, of_flag) in outcome.flags.iter().zip(flags) {
            of_flag["says"] = flag.to_string().into();
        }
    }
    let mut text = serde_json::to_string_pretty(&all)?;
    text.push('\n');
    Ok(text)
}
