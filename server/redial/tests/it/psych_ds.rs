//! The export's folder against the published schema of Psych-DS, version 1.5.1
//! (`schema_model` in github.com/psych-ds/psych-DS: `core.yaml`, `data.yaml`, `metadata.yaml`, and the
//! fields of its compiled metadata). Each check names the schema's code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::export_command::{exported, fill};

/// Whether a name is `([a-z]+-[a-zA-Z0-9]+)(_[a-z]+-[a-zA-Z0-9]+)*_data\.csv`.
fn is_data_file(name: &str) -> bool {
    let Some(pairs) = name.strip_suffix("_data.csv") else {
        return false;
    };
    pairs.split('_').all(|pair| match pair.split_once('-') {
        Some((key, value)) => {
            let letters = |c: char| c.is_ascii_lowercase();
            let plain = |c: char| c.is_ascii_alphanumeric();
            !key.is_empty()
                && key.chars().all(letters)
                && !value.is_empty()
                && value.chars().all(plain)
        }
        None => false,
    })
}

#[test]
fn names_of_data_files_are_told_apart() {
    // The examples of the schema.
    for good in [
        "subject-XYZ_session-2_data.csv",
        "study-ExampleStudy_data.csv",
        "study-ExampleStudy_condition-2_data.csv",
    ] {
        assert!(is_data_file(good), "{good}");
    }
    for bad in [
        "data.csv",
        "subject-XYZ_data2.csv",
        "condition1-A_condition2-C_data.csv",
        "subject-XYZ.csv",
    ] {
        assert!(!is_data_file(bad), "{bad}");
    }
}

fn json(path: &Path) -> Map<String, Value> {
    let text = std::fs::read_to_string(path).unwrap(); // JSON_ENCODING_ERROR
    match serde_json::from_str(&text).unwrap() {
        Value::Object(object) => object, // JSON_INVALID
        other => panic!("{}: {other}", path.display()),
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Names in `variableMeasured`, which are texts or property values.
fn variables(metadata: &Map<String, Value>) -> BTreeSet<String> {
    let variables = metadata["variableMeasured"].as_array().unwrap();
    let name = |variable: &Value| match variable {
        Value::String(name) => name.clone(),
        other => other["name"].as_str().unwrap().to_owned(),
    };
    variables.iter().map(name).collect()
}

/// OBJECT_TYPE_MISSING: each object says what it is.
fn all_typed(value: &Value) -> bool {
    match value {
        Value::Object(fields) => {
            fields.get("@type").is_some_and(Value::is_string) && fields.values().all(all_typed)
        }
        Value::Array(values) => values.iter().all(all_typed),
        _ => true,
    }
}

/// CSV_HEADER_LENGTH_MISMATCH, CSV_HEADER_REPEATED, CSV_FORMATTING_ERROR.
fn header(path: &Path) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(false)
        .from_path(path)
        .unwrap();
    let header: Vec<String> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    assert!(!header.is_empty(), "{}", path.display());
    let unique: BTreeSet<&String> = header.iter().collect();
    assert_eq!(unique.len(), header.len(), "{}", path.display());
    assert!(
        !unique.contains(&"row_id".to_owned()),
        "would have to be unique"
    );
    for record in reader.records() {
        record.unwrap();
    }
    header
}

#[tokio::test]
async fn an_export_is_a_data_set_of_psych_ds() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 2, 2).await;
    let out = exported(folder.path(), "out", &[]);
    let whole = json(&out.join("dataset_description.json")); // MISSING_DATASET_DESCRIPTION
    assert!(out.join("data").is_dir()); // MISSING_DATA_DIRECTORY
    // Recommended: MISSING_README_DOC, MISSING_CHANGES_DOC, MISSING_MATERIALS_DIRECTORY,
    // MISSING_PSYCHDSIGNORE.
    for name in ["README.md", "CHANGES.md", "materials", ".psychds-ignore"] {
        assert!(out.join(name).exists(), "{name}");
    }
    let mut checked = 0;
    for path in files(&out.join("data")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        match path.extension().unwrap().to_str().unwrap() {
            "csv" => assert!(is_data_file(name), "{name}"), // FILENAME_KEYWORD_FORMATTING_ERROR
            "json" => continue,
            other => panic!("{name}: {other} is no ending that the schema knows"),
        }
        // Metadata that is nearer replaces metadata above it, key by key.
        let mut metadata = whole.clone();
        let sidecar = json(&path.with_extension("json")); // of the same name, in the same folder
        metadata.extend(sidecar);
        for required in ["name", "description", "variableMeasured"] {
            assert!(metadata.contains_key(required), "{name}"); // JSON_KEY_REQUIRED
        }
        let context = metadata["@context"].as_str().unwrap(); // UNKNOWN_NAMESPACE
        assert!(matches!(
            context,
            "http://schema.org/" | "https://schema.org/"
        ));
        assert_eq!(metadata["@type"], "Dataset"); // MISSING_DATASET_TYPE, INCORRECT_DATASET_TYPE
        assert!(all_typed(&Value::Object(metadata.clone())), "{name}");
        let columns: BTreeSet<String> = header(&path).into_iter().collect();
        assert_eq!(columns, variables(&metadata), "{name}"); // CSV_COLUMN_MISSING_FROM_METADATA
        assert!(columns.is_subset(&variables(&whole)), "{name}");
        checked += 1;
    }
    assert!(checked >= 16, "{checked} data files"); // MISSING_DATAFILE
    for path in files(&out) {
        if path.extension().is_some_and(|ending| ending == "json") {
            assert!(path.metadata().unwrap().len() > 0, "{}", path.display()); // FILE_EMPTY
        }
    }
}
