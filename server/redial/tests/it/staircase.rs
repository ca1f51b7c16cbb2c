//! A staircase from its JSON to its threshold: in the export, and in the analysis.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::command::{json_lines, run};

const LEVELS: [&str; 3] = ["two", "three", "five"];

fn study() -> Value {
    let level = |id: &str, dials: usize| {
        json!({ "kind": "stage", "id": id, "task": {
            "kind": "reconstruction", "model": "sinelines-gt5", "questions": 20, "shown_dials": { "first": dials } } })
    };
    json!({
        "format": 2, "id": "climb", "title": "Climb", "seed": 5,
        "parts": [
            { "kind": "group", "next": { "rule": "staircase", "start": 1, "up_after": 2, "down_after": 1,
                "questions": 20, "reversals": 5 },
              "parts": [level("two", 2), level("three", 3), level("five", 5)] }
        ],
        "analysis": { "metrics": ["staircase_threshold", "staircase_reversals"], "conditions_vary": "within" }
    })
}

fn rows(folder: &Path, table: &str) -> Vec<Value> {
    let path = folder.join(format!("out/jsonl/raw/{table}.jsonl"));
    json_lines(&std::fs::read_to_string(path).unwrap())
}

/// A step after each answer, written down once more from docs/groups.md, by the rows of questions alone.
fn climb(right: &[bool]) -> (Vec<usize>, Vec<usize>) {
    let (mut level, mut streak, mut last_way) = (1_i64, 0, 0);
    let (mut levels, mut reversals) = (Vec::new(), Vec::new());
    for right in right {
        levels.push(level as usize);
        streak = if *right { streak.max(0) + 1 } else { -1 };
        let way = if streak == 2 {
            1
        } else if streak < 0 {
            -1
        } else {
            0
        };
        if way != 0 {
            if way == -last_way {
                reversals.push(level as usize);
            }
            last_way = way;
            level = (level + way).clamp(0, 2);
            streak = 0;
        }
    }
    (levels, reversals)
}

#[test]
fn a_staircase_has_its_threshold_in_export_and_analysis() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::create_dir_all(here.join("studies/climb")).unwrap();
    std::fs::write(here.join("studies/climb/study.json"), study().to_string()).unwrap();
    run(
        here,
        &["simulate", "climb", "--participants", "12", "--seed", "2"],
    )
    .succeeds();
    run(here, &["export", "climb", "--simulated", "--out", "out"]).succeeds();

    let mut questions: BTreeMap<String, Vec<(u64, String, bool)>> = BTreeMap::new();
    for row in rows(here, "reconstruction_questions") {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        let question = (
            row["started_at_ms"].as_u64().unwrap(),
            text("stage_id"),
            text("outcome") == "solved",
        );
        questions.entry(text("session")).or_default().push(question);
    }
    let staircases = rows(here, "staircases");
    assert_eq!((staircases.len(), questions.len()), (12, 12));
    let spaced = |levels: &[usize]| {
        let levels: Vec<String> = levels.iter().map(ToString::to_string).collect();
        levels.join(" ")
    };
    let mut thresholds = Vec::new();
    let mut turned = Vec::new();
    for row in &staircases {
        let mut asked = questions.remove(row["session"].as_str().unwrap()).unwrap();
        asked.sort();
        let right: Vec<bool> = asked.iter().map(|(_, _, right)| *right).collect();
        let (levels, reversals) = climb(&right);
        let stages: Vec<&str> = asked.iter().map(|(_, stage, _)| stage.as_str()).collect();
        let expected: Vec<&str> = levels.iter().map(|level| LEVELS[*level]).collect();
        assert_eq!(
            stages, expected,
            "each question is of the level that the answers before led to"
        );
        assert_eq!(row["levels_asked"], spaced(&levels));
        assert_eq!(row["reversal_levels"], spaced(&reversals));
        assert_eq!(
            (&row["stage_id"], &row["levels"]),
            (&json!("two"), &json!(3))
        );
        assert!(
            reversals.len() == 5 || (reversals.len() < 5 && levels.len() == 20),
            "{row}"
        );
        // Of five, the last four; of four, the last two; and so on.
        let counted = &reversals[reversals.len().min(1 + (reversals.len() + 1) % 2)..];
        let threshold = (!counted.is_empty())
            .then(|| counted.iter().sum::<usize>() as f64 / counted.len() as f64);
        assert_eq!(row["threshold_level"].as_f64(), threshold, "{row}");
        thresholds.extend(threshold);
        turned.push(reversals.len() as f64);
    }
    let some_differ = |values: &[f64]| values.iter().any(|value| *value != values[0]);
    assert!(some_differ(&thresholds), "{thresholds:?}");

    let numbers = run(here, &["analyze", "climb", "--simulated", "--json"]).json();
    let text = numbers.to_string();
    for (metric, values) in [
        ("staircase_threshold", &thresholds),
        ("staircase_reversals", &turned),
    ] {
        let found = described(&numbers, metric).unwrap_or_else(|| panic!("{metric}: {text}"));
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert_eq!(found["n"], values.len(), "{metric}");
        assert!(
            (found["mean"].as_f64().unwrap() - mean).abs() < 1e-12,
            "{metric}: {found}"
        );
    }
}

/// How a metric is described in the condition 'two', wherever it stands.
fn described<'a>(numbers: &'a Value, metric: &str) -> Option<&'a Value> {
    match numbers {
        Value::Object(fields) if fields.get("metric").is_some_and(|it| it == metric) => {
            let conditions = fields.get("conditions")?.as_array()?;
            let two = conditions.iter().find(|row| row["condition"] == "two")?;
            Some(&two["description"])
        }
        Value::Object(fields) => fields.values().find_map(|it| described(it, metric)),
        Value::Array(all) => all.iter().find_map(|it| described(it, metric)),
        _ => None,
    }
}
