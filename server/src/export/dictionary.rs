//! The data dictionary: what every column of every table means.

use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use super::tables::TABLES;

/// Writes `dictionary.csv` and `dictionary.json`.
///
/// # Errors
/// When they cannot be written.
pub fn write(folder: &Path) -> anyhow::Result<()> {
    let path = folder.join("dictionary.csv");
    let mut csv = csv::Writer::from_path(&path)
        .with_context(|| format!("cannot write {}", path.display()))?;
    csv.write_record(["table", "column", "type", "unit", "allowed", "meaning"])?;
    for table in TABLES {
        for column in table.columns {
            let row = [
                table.name,
                column.name,
                column.kind,
                column.unit,
                column.allowed,
                column.meaning,
            ];
            csv.write_record(row)?;
        }
    }
    csv.flush()?;

    let tables: Vec<Value> = TABLES
        .iter()
        .map(|table| {
            let columns: Vec<Value> = table
                .columns
                .iter()
                .map(|column| {
                    json!({
                        "name": column.name,
                        "type": column.kind,
                        "unit": column.unit,
                        "allowed": column.allowed,
                        "meaning": column.meaning,
                    })
                })
                .collect();
            json!({ "table": table.name, "row": table.row, "columns": columns })
        })
        .collect();
    let text = serde_json::to_string_pretty(&tables)?;
    std::fs::write(folder.join("dictionary.json"), text + "\n")
        .context("cannot write dictionary.json")
}
