//! A table as CSV (RFC 4180), for programs and spreadsheets.

use super::{ColumnKind, Table, TableCell, TableColumn};

impl Table {
    /// The table as CSV in UTF-8: one line of heads, then the rows. Every number is written with
    /// all its digits, and what is not there is empty. Words that a spreadsheet would take for a
    /// formula have an apostrophe before them.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut out = String::new();
        let heads: Vec<String> = self.columns.iter().flat_map(heads).collect();
        line(&mut out, heads.into_iter());
        for row in &self.rows {
            let cells = self.columns.iter().zip(row);
            line(
                &mut out,
                cells.flat_map(|(column, cell)| cells_of(column, cell)),
            );
        }
        out
    }

    /// What CSV has of a cell: a value or, of a mean, a test or a p-value, several. Empty beyond the table.
    #[must_use]
    pub fn exact(&self, row: usize, column: usize) -> Vec<String> {
        let cell = self.rows.get(row).and_then(|cells| cells.get(column));
        let found = self.columns.get(column).zip(cell);
        found.map_or_else(Vec::new, |(column, cell)| cells_of(column, cell))
    }
}

fn heads(column: &TableColumn) -> Vec<String> {
    let parts: &[&str] = match column.kind {
        ColumnKind::Group
        | ColumnKind::Text
        | ColumnKind::Count
        | ColumnKind::Number
        | ColumnKind::PValue => {
            return vec![column.key.clone()];
        }
        ColumnKind::Mean => &["mean", "sd"],
        ColumnKind::Test => &["statistic", "df1", "df2", "p"],
        ColumnKind::P => &["p", "p_corrected"],
        ColumnKind::Effect => &["measure", "value", "low", "high"],
    };
    let whole = |part: &&str| format!("{}_{part}", column.key);
    parts.iter().map(whole).collect()
}

fn cells_of(column: &TableColumn, cell: &TableCell) -> Vec<String> {
    // Without the sign of a negative zero.
    let number = |value: f64| (value + 0.0).to_string();
    let or_nothing = |value: Option<f64>| value.map(number).unwrap_or_default();
    match cell {
        TableCell::None => vec![String::new(); heads(column).len()],
        TableCell::Text(text) => vec![safe(text)],
        TableCell::Named { name, .. } => vec![safe(name)],
        TableCell::Count(count) => vec![count.to_string()],
        TableCell::Number(value) | TableCell::PValue(value) => vec![number(*value)],
        TableCell::Mean { mean, sd, .. } => vec![number(*mean), number(*sd)],
        TableCell::Test {
            df, statistic, p, ..
        } => vec![
            number(*statistic),
            or_nothing(df.first().copied()),
            or_nothing(df.get(1).copied()),
            number(*p),
        ],
        TableCell::P { p, corrected } => vec![number(*p), or_nothing(*corrected)],
        TableCell::Effect {
            symbol,
            value,
            interval,
        } => vec![
            safe(symbol),
            number(*value),
            or_nothing(interval.map(|it| it.low)),
            or_nothing(interval.map(|it| it.high)),
        ],
        TableCell::Faint(cell) | TableCell::OfPeople { cell, .. } => cells_of(column, cell),
    }
}

/// Text that no spreadsheet takes for a formula.
fn safe(text: &str) -> String {
    match text.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\n') => format!("'{text}"),
        _ => text.to_owned(),
    }
}

fn line(out: &mut String, cells: impl Iterator<Item = String>) {
    let quoted = |cell: String| {
        if cell.contains(['"', ',', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell
        }
    };
    let cells: Vec<String> = cells.map(quoted).collect();
    out.push_str(&cells.join(","));
    out.push_str("\r\n");
}
