//! The data dictionary: what every column of every table means.

use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use super::tables::{DICTIONARY, TABLES};

/// Writes `dictionary.csv` and `dictionary.json`.
///
/// # Errors
/// When they cannot be written.
pub fn write(folder: &Path) -> anyhow::Result<()> {
    std::fs::write(folder.join("dictionary.csv"), DICTIONARY)
        .context("cannot write dictionary.csv")?;
    let mut tables: Vec<Value> = Vec::new();
    for table in TABLES {
        tables.push(json!({ "table": table.name, "row": table.row, "columns": table.columns()? }));
    }
    let text = serde_json::to_string_pretty(&tables)?;
    std::fs::write(folder.join("dictionary.json"), text + "\n")
        .context("cannot write dictionary.json")
}
