//! The script in R and the notebook in Python that an analysis writes: what they make of exported tables is what Redial
//! says.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::command::run;

const RUNS_R: &str = "RSCRIPT";

fn stage(id: &str, model: &str, questions: u32) -> Value {
    json!({ "kind": "stage", "id": id, "task": {
        "kind": "reconstruction", "model": model, "questions": questions } })
}

/// People of Prolific, each with one of three models; quotas, and a rule that leaves some out.
fn between(test: &str) -> Value {
    let parts = ["ae", "vae", "gt"].map(|model| {
        json!({ "kind": "group", "only_if": { "model": [model] }, "parts": [
            stage(model, &format!("sinelines-{model}5"), 4), { "kind": "difficulty" }] })
    });
    json!({
        "format": 2, "id": "between", "title": "Between", "seed": 5,
        "recruitment": [{ "platform": "prolific", "codes": { "COMPLETED": "C1AB2CDE" } }],
        "design": { "factors": [{ "name": "model", "levels": ["ae", "vae", "gt"] }], "assignment": { "cap": 14 } },
        "parts": parts,
        "analysis": {
            "metrics": ["response_time_s", "error_auc", "completion_rate", "difficulty"], "conditions_vary": "between",
            "comparisons": [{ "name": "models", "conditions": ["ae", "vae", "gt"] }], "test": test,
            "contrasts": if test == "rank" { json!([]) } else { json!([{ "name": "learned", "weights": { "gt": 1, "ae": -0.5, "vae": -0.5 } }]) },
            "exclusions": [{ "kind": "incomplete" }, { "kind": "outlying", "metric": "response_time_s", "beyond_sd": 2 },
                { "kind": "solved", "fewer_than": 1 }],
        }
    })
}

/// Everybody has all three, in the rows of a Latin square.
fn within(test: &str) -> Value {
    let point = |id: &str| json!({ "id": id, "text": "?", "answer": { "kind": "scale", "min": 1, "max": 7, "min_label": "no", "max_label": "yes" } });
    let page = json!({ "kind": "questionnaire", "id": "trust", "title": "Trust", "about_last_stage": true,
        "items": [point("relied"), point("doubted"), point("knew")],
        "scores": [{ "name": "trusting", "items": ["relied", "doubted", "knew"], "reversed": ["doubted"] }] });
    let parts = ["ae", "vae", "gt"].map(|model| {
        json!({ "kind": "group", "parts": [
            stage(model, &format!("sinelines-{model}5"), 3), { "kind": "difficulty" }, page] })
    });
    let mut plan = json!({
        "metrics": ["completion_rate", "response_time_s", "error_auc", "difficulty", "score.trusting"],
        "conditions_vary": "within",
        "comparisons": [{ "name": "models", "conditions": ["ae", "vae", "gt"] }], "test": test, "correction": "bonferroni",
        "family": "study",
        "contrasts": [{ "name": "learned", "weights": { "gt": 1, "ae": -0.5, "vae": -0.5 } }],
    });
    if test == "mixed_model" {
        // Corrected, differences of the programs would be multiplied.
        plan["correction"] = json!("none");
        plan["adjust_for"] = json!(["period", "sequence"]);
    }
    json!({
        "format": 2, "id": "within", "title": "Within", "seed": 6,
        "parts": [{ "kind": "group", "order": "latin_square", "parts": parts }],
        "analysis": plan
    })
}

/// Two staircases, of one model each, which different people climb.
fn staircases() -> Value {
    let climb = |model: &str| {
        let level = |dials: usize| {
            let mut stage = stage(
                &format!("{model}-{dials}"),
                &format!("sinelines-{model}5"),
                20,
            );
            stage["task"]["shown_dials"] = json!({ "first": dials });
            stage
        };
        json!({ "kind": "group", "only_if": { "model": [model] },
            "next": { "rule": "staircase", "up_after": 1, "down_after": 1, "questions": 20, "reversals": 5 },
            "parts": [level(1), level(2), level(3), level(5)] })
    };
    json!({
        "format": 2, "id": "climb", "title": "Climb", "seed": 7,
        "design": { "factors": [{ "name": "model", "levels": ["ae", "gt"] }] },
        "parts": [climb("ae"), climb("gt")],
        "analysis": {
            "metrics": ["staircase_threshold", "staircase_reversals"], "conditions_vary": "between", "test": "welch",
            "comparisons": [{ "name": "models", "conditions": ["ae-1", "gt-1"] }]
        }
    })
}

/// What R makes of a study's tables, and what Redial says, row by row.
fn compared(study: &Value, people: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let id = study["id"].as_str().unwrap();
    std::fs::create_dir_all(here.join("studies").join(id)).unwrap();
    std::fs::write(
        here.join("studies").join(id).join("study.json"),
        study.to_string(),
    )
    .unwrap();
    run(
        here,
        &["study", "check", &format!("studies/{id}/study.json")],
    )
    .succeeds();
    run(
        here,
        &["simulate", id, "--participants", people, "--seed", "3"],
    )
    .succeeds();
    run(here, &["export", id, "--simulated", "--out", "data"]).succeeds();
    run(here, &["analyze", id, "--simulated", "--out", "analysis"]).succeeds();
    run(here, &["report", id, "--simulated"]).succeeds();
    let numbers = run(here, &["analyze", id, "--simulated", "--json"]).json();
    let found = by_r(here);
    let by_model = study["analysis"]["test"] == "mixed_model";
    if !by_model {
        // Two programs of other people, one answer.
        agree(&by_python(here), &found, false);
    }
    let expected = rows(&numbers["versions"][0]["included"]);
    agree(&found, &expected, by_model);
    expected.len()
}

/// Whether two programs give the same numbers.
fn agree(found: &[Row], expected: &[Row], by_model: bool) {
    assert_eq!(found.len(), expected.len(), "{found:#?}\n{expected:#?}");
    for (key, expected) in expected {
        let (_, found) = found
            .iter()
            .find(|(other, _)| other == key)
            .unwrap_or_else(|| panic!("{key:?}"));
        let standard_error = expected[1];
        for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
            // lme4's own optimisers end as far apart; the standard error of a rate is a few hundredths larger here, as by
            // quadrature. Tests on ranks have none.
            let near = match (by_model, index) {
                (false, _) => 1e-9 * expected.abs().max(1.0),
                (true, 0) => 0.05 * standard_error,
                (true, 1) => 0.06 * standard_error,
                (true, _) => 0.02,
            };
            let is_near = (found - expected).abs() <= near || (found.is_nan() && expected.is_nan());
            assert!(
                is_near,
                "{key:?}, number {index}: {found}, expected {expected}"
            );
        }
    }
}

type Row = ([String; 4], [f64; 4]);

/// Comparison, metric, kind and name; estimate, standard error, p and corrected p. Rows without numbers are left out.
fn rows(sample: &Value) -> Vec<Row> {
    let mut rows = Vec::new();
    for comparison in sample["comparisons"].as_array().unwrap() {
        if comparison["planned"] != true {
            continue;
        }
        let text = |of: &Value| of.as_str().unwrap().to_owned();
        let key = |kind: &str, name: String| {
            [
                text(&comparison["name"]),
                text(&comparison["metric"]),
                kind.to_owned(),
                name,
            ]
        };
        let numbers = |row: &Value| {
            let declared = &row["declared"];
            Some([
                declared["estimate"].as_f64()?,
                declared["result"]["standard_error"]
                    .as_f64()
                    .unwrap_or(f64::NAN),
                declared["result"]["p"].as_f64()?,
                row["p_corrected"].as_f64()?,
            ])
        };
        for pair in comparison["pairs"].as_array().unwrap() {
            let name = format!("{} - {}", text(&pair["first"]), text(&pair["second"]));
            rows.extend(numbers(pair).map(|it| (key("pair", name), it)));
        }
        for contrast in comparison["contrasts"].as_array().into_iter().flatten() {
            rows.extend(numbers(contrast).map(|it| (key("contrast", text(&contrast["name"])), it)));
        }
    }
    rows
}

fn by_r(folder: &Path) -> Vec<Row> {
    let r = std::env::var(RUNS_R).unwrap_or_else(|_| "Rscript".to_owned());
    let output = Command::new(r)
        .args(["analysis/analysis.R", "data"])
        .current_dir(folder)
        .output();
    let output = output.unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    read(&folder.join("analysis-r.csv"))
}

/// The rows that the notebook's code makes of the tables.
fn by_python(folder: &Path) -> Vec<Row> {
    let notebook = std::fs::read_to_string(folder.join("analysis/analysis.ipynb")).unwrap();
    let notebook: Value = serde_json::from_str(&notebook).unwrap();
    let cells = notebook["cells"].as_array().unwrap().iter();
    let code = cells.filter(|cell| cell["cell_type"] == "code");
    let lines = code.flat_map(|cell| cell["source"].as_array().unwrap());
    let code = lines.fold(String::new(), |code, line| {
        let line = line.as_str().unwrap();
        code + line + if line.ends_with('\n') { "" } else { "\n" }
    });
    std::fs::write(folder.join("notebook.py"), code).unwrap();
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(python)
        .arg("notebook.py")
        .current_dir(folder)
        .output();
    let output = output.unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    read(&folder.join("analysis-python.csv"))
}

fn read(file: &Path) -> Vec<Row> {
    let table = std::fs::read_to_string(file).unwrap();
    let mut lines = table.lines().map(|line| {
        line.split(',')
            .map(|it| it.trim_matches('"').to_owned())
            .collect::<Vec<_>>()
    });
    let heads = lines.next().unwrap();
    let at = |name: &str| heads.iter().position(|head| head == name).unwrap();
    let texts = ["comparison", "metric", "kind", "name"].map(at);
    let numbers = ["estimate", "se", "p", "p_corrected"].map(at);
    lines
        .map(|cells| {
            let number = |at: usize| cells[at].parse().unwrap_or(f64::NAN);
            (texts.map(|at| cells[at].clone()), numbers.map(number))
        })
        .collect()
}

#[test]
#[ignore = "runs R with lme4, lmerTest and ordinal, and Python with pandas and scipy"]
fn r_and_python_say_what_redial_says() {
    for test in ["t", "welch", "rank"] {
        let of_metrics = if test == "rank" { 12 } else { 16 };
        assert_eq!(compared(&between(test), "42"), of_metrics, "{test}");
    }
    for test in ["t", "rank", "mixed_model"] {
        // A score is one number of a person and condition: there is no mixed model of it.
        let of_metrics = if test == "mixed_model" { 16 } else { 20 };
        assert_eq!(compared(&within(test), "24"), of_metrics, "{test}");
    }
    assert_eq!(compared(&staircases(), "40"), 2);
}
