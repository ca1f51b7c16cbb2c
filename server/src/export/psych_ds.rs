//! What Psych-DS (<https://psych-ds.github.io>, version 1.5) wants beside the data: a description of
//! the whole, and of each table what its columns mean. All of it follows from the tables' declared
//! columns.

use std::collections::BTreeMap;
use std::path::Path;

use analysis::numbers::counted;
use domain::common::table::Column;
use serde_json::{Map, Value, json};

use super::error::ExportError;
use super::files;
use super::layout::{self, ExportHalf};
use super::table_writer::WrittenTable;
use super::title::title;

/// The facts about the data set as a whole.
pub(super) struct About<'a> {
    pub(super) study: &'a str,
    /// The study files that sessions were started with.
    pub(super) definitions: &'a [(String, Vec<u8>)],
    /// Now, as RFC 3339.
    pub(super) exported_at_utc: &'a str,
    /// Sessions of everybody, and of those who count.
    pub(super) sessions: (u64, u64),
    /// Whether nobody in it is a person.
    pub(super) simulated: bool,
}

/// Writes descriptions, sidecars, and the texts that people read first.
pub(super) fn write(
    folder: &Path,
    about: &About<'_>,
    tables: &[WrittenTable],
) -> Result<(), ExportError> {
    files::write_json(
        folder,
        "dataset_description.json",
        &described(about, tables),
    )?;
    for table in tables {
        for part in ExportHalf::ALL {
            let name = layout::sidecar(about.study, part, table.name);
            files::write_json(folder, &name, &sidecar(about, part, table))?;
        }
    }
    files::write(folder, "README.md", readme(about, tables).as_bytes())?;
    files::write(folder, "CHANGES.md", changes(about).as_bytes())?;
    files::write(folder, ".psychds-ignore", IGNORED.as_bytes())
}

/// The files that validators of Psych-DS need not look at.
const IGNORED: &str = "parquet\njsonl\ndictionary.csv\ndictionary.json\nmanifest.json\n";

fn described(about: &About<'_>, tables: &[WrittenTable]) -> Value {
    let mut columns: BTreeMap<&str, &Column> = BTreeMap::new();
    for column in tables.iter().flat_map(|table| &table.columns) {
        columns.entry(column.name).or_insert(column);
    }
    let mut whole = dataset(
        &title(about.study, about.definitions),
        &summary(about),
        columns.into_values().map(variable).collect(),
    );
    whole.insert("schemaVersion".into(), "1.5.1".into());
    whole.insert("identifier".into(), about.study.into());
    whole.insert("dateModified".into(), about.exported_at_utc.into());
    whole.insert(
        "keywords".into(),
        json!([
            "interactive reconstruction",
            "interpretability",
            "generative models"
        ]),
    );
    whole.insert(
        "measurementTechnique".into(),
        "Event logs of a study in the browser".into(),
    );
    Value::Object(whole)
}

fn sidecar(about: &About<'_>, part: ExportHalf, table: &WrittenTable) -> Value {
    let whose = match part {
        ExportHalf::Raw => "everybody",
        ExportHalf::Included => "the sessions that count",
    };
    let name = format!(
        "{}: {}, {whose}",
        title(about.study, about.definitions),
        table.name
    );
    let row = format!("One row is {}.", table.row);
    let columns = table.columns.iter().map(variable).collect();
    Value::Object(dataset(&name, &row, columns))
}

/// A `Dataset` of schema.org.
fn dataset(name: &str, description: &str, variables: Vec<Value>) -> Map<String, Value> {
    let mut dataset = Map::new();
    dataset.insert("@context".into(), "https://schema.org/".into());
    dataset.insert("@type".into(), "Dataset".into());
    dataset.insert("name".into(), name.into());
    dataset.insert("description".into(), description.into());
    dataset.insert("variableMeasured".into(), Value::Array(variables));
    dataset
}

/// A column as schema.org's `PropertyValue`.
fn variable(column: &Column) -> Value {
    let mut variable = json!({
        "@type": "PropertyValue",
        "name": column.name,
        "description": match column.allowed {
            "" | "any" => column.meaning.to_owned(),
            allowed => format!("{} (allowed: {allowed})", column.meaning),
        },
        "additionalType": column.column_type.name(),
    });
    if let (Some(fields), false) = (variable.as_object_mut(), column.unit.is_empty()) {
        fields.insert("unitText".into(), column.unit.into());
    }
    variable
}

fn summary(about: &About<'_>) -> String {
    let (sessions, included) = about.sessions;
    let whose = if about.simulated {
        " of simulated people; nothing here says anything about real ones"
    } else {
        ""
    };
    format!(
        "Data of the study '{}', made from its event logs by Redial {} on {}: {}{whose}, \
         {included} of which count.",
        about.study,
        env!("CARGO_PKG_VERSION"),
        about.exported_at_utc,
        counted(
            usize::try_from(sessions).unwrap_or(usize::MAX),
            "session",
            "sessions"
        )
    )
}

fn readme(about: &About<'_>, tables: &[WrittenTable]) -> String {
    let mut text = format!(
        "# {}\n\n{}\n\n\
         `data/raw/` has every session, with flags (`purpose`, `included`, `exclusion_reasons`, `standing` \
         in the table of sessions). `data/included/` has the sessions that count: complete, of \
         participants, and meeting the study's rules of inclusion. `parquet/` and `jsonl/` have the same \
         tables in these formats; `jsonl/raw/events.jsonl` is the log itself. `materials/` has what \
         participants were asked and read. `dictionary.csv` says what every column means, \
         `manifest.json` has the number of rows and the SHA-256 of each file.\n\n\
         The column `session` joins the tables. An empty cell of a CSV file is missing, and nothing else \
         is: an answer or a code can read `None`, `NA` or `007`. Take the types from the dictionary \
         instead of letting a program guess them (pandas: `dtype`, `keep_default_na=False`, \
         `na_values=[\"\"]`; R: `colClasses`, `na.strings = \"\"`).\n\n\
         | table | one row is | rows | of those who count |\n| --- | --- | --- | --- |\n",
        title(about.study, about.definitions),
        summary(about)
    );
    for table in tables {
        text += &format!(
            "| `{}` | {} | {} | {} |\n",
            table.name, table.row, table.rows, table.included_rows
        );
    }
    text
}

fn changes(about: &About<'_>) -> String {
    format!(
        "# Changes\n\n{}: exported by Redial {}.\n",
        about.exported_at_utc,
        env!("CARGO_PKG_VERSION")
    )
}
