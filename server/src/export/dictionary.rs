//! The data dictionary: what every column of every table means.

use std::path::Path;

use domain::common::table::Column;
use serde_json::{Value, json};

use super::error::ExportError;
use super::files;
use super::table_writer::WrittenTable;

/// Writes `dictionary.csv` and `dictionary.json`.
pub(super) fn write(folder: &Path, tables: &[WrittenTable]) -> Result<(), ExportError> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let bad = |error: csv::Error| ExportError::file(&folder.join("dictionary.csv"), error);
    csv.write_record([
        "table",
        "column",
        "type",
        "unit",
        "allowed",
        "meaning",
        "identifying",
    ])
    .map_err(bad)?;
    for table in tables {
        for column in &table.columns {
            let Column {
                name,
                column_type,
                unit,
                allowed,
                meaning,
                identifying,
                // Of the researcher's area alone.
                usual: _,
                // Its meaning says so.
                link: _,
            } = *column;
            csv.write_record([
                table.name,
                name,
                column_type.name(),
                unit,
                allowed,
                meaning,
                if identifying { "true" } else { "false" },
            ])
            .map_err(bad)?;
        }
    }
    let bytes = csv
        .into_inner()
        .map_err(|error| ExportError::file(folder, error.into_error()))?;
    files::write(folder, "dictionary.csv", &bytes)?;

    let column = |column: &Column| {
        json!({
            "column": column.name,
            "type": column.column_type.name(),
            "unit": column.unit,
            "allowed": column.allowed,
            "meaning": column.meaning,
            "identifying": column.identifying,
        })
    };
    let tables: Vec<Value> = tables
        .iter()
        .map(|table| {
            let columns: Vec<Value> = table.columns.iter().map(column).collect();
            json!({ "table": table.name, "row": table.row, "columns": columns })
        })
        .collect();
    files::write_json(folder, "dictionary.json", &Value::Array(tables))
}
