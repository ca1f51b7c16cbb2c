//! `redial simulate`, `redial study tune` and `redial study power` as people run them.
#![cfg(target_os = "linux")]

use std::path::Path;

use serde_json::Value;
use server::export::layout::{ExportHalf, csv as csv_of};

use crate::command::{json_lines, run, words};
use crate::people::{STUDY, run_study};

fn numbers(folder: &Path, more: &[&str]) -> Value {
    run(folder, &[&["analyze", STUDY, "--json"], more].concat()).json()
}

/// Rows of a table of an export.
fn rows(folder: &Path, table: &str) -> Vec<Value> {
    let lines = std::fs::read_to_string(folder.join(format!("jsonl/raw/{table}.jsonl"))).unwrap();
    json_lines(&lines)
}

/// People before and after simulated ones have come: the very same numbers and files.
#[test]
fn simulated_people_count_nowhere_among_real_ones() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    run_study(here, 6);
    let before = numbers(here, &[]);
    run(here, &["export", STUDY, "--out", "before"]).succeeds();

    let simulate = ["simulate", STUDY, "--participants", "5", "--seed", "4"];
    run(here, &simulate).says(&["5 simulated people took 'curves'"]);
    run(here, &simulate).refuses(&["choose another seed"]);

    let after = numbers(here, &[]);
    assert_eq!(after["versions"], before["versions"]);
    assert_eq!(after["started"], 6);
    assert_eq!(
        (&after["simulated"], &after["of_the_other_kind"]),
        (&false.into(), &5.into())
    );
    run(here, &["export", STUDY, "--out", "after"]).succeeds();
    for table in ["sessions", "answers", "events", "reconstruction_questions"] {
        let name = csv_of(STUDY, ExportHalf::Raw, table);
        let read = |from: &str| std::fs::read(here.join(from).join(&name)).unwrap();
        assert_eq!(read("before"), read("after"), "{table}");
    }

    // A deposit is late because of people's sessions, not of these.
    run(here, &["study", "preregister", STUDY, "--out", "deposit"]).succeeds();
    let readme = std::fs::read_to_string(here.join("deposit/README.md")).unwrap();
    for wanted in [
        "**6 sessions of this study had been started already**",
        "no data: 5 simulated.",
    ] {
        assert!(readme.contains(wanted), "{wanted}: {readme}");
    }
    let cells = run(here, &["study", "cells", STUDY, "--json"]).json();
    assert_eq!(cells["do_not_count"], serde_json::json!({ "simulated": 5 }));

    let simulated = numbers(here, &["--simulated"]);
    assert_eq!(
        (&simulated["started"], &simulated["simulated"]),
        (&5.into(), &true.into())
    );
    let text = run(here, &["analyze", STUDY, "--simulated"]).succeeds();
    assert!(text.starts_with("Simulated people"), "{text}");
    let analyze = ["analyze", STUDY, "--simulated", "--out", "analysis"];
    run(here, &analyze).succeeds();
    let read = |name: &str| std::fs::read_to_string(here.join("analysis").join(name)).unwrap();
    for file in [
        "methods.md",
        "README.md",
        "figures/captions.md",
        "tables/results-curves.md",
        "report.html",
    ] {
        assert!(
            read(file).to_lowercase().contains("simulated people"),
            "{file}"
        );
    }
    let export = ["export", STUDY, "--simulated", "--out", "simulated"];
    run(here, &export).succeeds();
    let sessions = rows(&here.join("simulated"), "sessions");
    assert_eq!(sessions.len(), 5);
    assert!(sessions.iter().all(|row| row["purpose"] == "simulated"));
    let cells = run(here, &["study", "cells", STUDY]);
    cells.says(&["5 sessions of kind 'simulated' do not count"]);
}

#[test]
fn the_same_seed_gives_the_same_logs_and_what_they_report_can_be_decoded_again() {
    let simulate = |seed: &str| {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        std::fs::create_dir(here.join("studies")).unwrap();
        let args = format!("simulate quickstart --participants 3 --seed {seed}");
        run(here, &words(&args)).succeeds();
        let verified = run(here, &["verify", "quickstart"]);
        verified.says(&["No number contradicts its inputs"]);
        // A person who forgets the option is told of it.
        for command in ["export quickstart --out none", "analyze quickstart"] {
            run(here, &words(command)).says(&["--simulated takes them"]);
        }
        run(here, &words("export quickstart --simulated --out out")).succeeds();
        rows(&here.join("out"), "events")
    };
    let first = simulate("1");
    assert!(first.len() > 100);
    assert_eq!(first, simulate("1"));
    assert_ne!(first, simulate("2"));
}

/// A study that measures by SSIM, and gives each target a threshold of its own: people take it, what they report can be
/// decoded again, and the tables say what solved each question.
#[test]
fn a_study_may_measure_by_ssim_with_a_threshold_for_each_target() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let study = here.join("studies/structure");
    std::fs::create_dir_all(&study).unwrap();
    let stage = |id: &str, model: &str, scales: u8| {
        serde_json::json!({ "kind": "stage", "id": id, "task": {
            "kind": "reconstruction", "model": model, "questions": 3,
            "distance": { "kind": "ssim", "scales": scales },
            "threshold_by_target": { "share_of_nearest": 0.5 },
            "same_for_all": { "seed": 1 } } })
    };
    let stages = [
        stage("shapes", "dsprites-gt5", 1),
        stage("circles", "circles", 3),
    ];
    let declared =
        serde_json::json!({ "format": 2, "id": "structure", "title": "S", "parts": stages });
    std::fs::write(study.join("study.json"), declared.to_string()).unwrap();
    run(here, &words("simulate structure --participants 3 --seed 1")).succeeds();
    let verified = run(here, &["verify", "structure"]);
    verified.says(&["No number contradicts its inputs"]);
    run(here, &words("export structure --simulated --out out")).succeeds();
    let questions = rows(&here.join("out"), "reconstruction_questions");
    assert_eq!(questions.len(), 3 * 6);
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
    let mut solved = 0;
    for row in &questions {
        // All people have the same threshold for the same question, whoever it is.
        let same = questions.iter().find(|other| {
            ["stage_id", "target_z", "start_z"]
                .iter()
                .all(|name| other[*name] == row[*name])
        });
        assert_eq!(
            same.unwrap()["threshold_distance"],
            row["threshold_distance"]
        );
        let threshold = number(row, "threshold_distance");
        assert!((0.001..0.5).contains(&threshold), "{threshold}");
        assert!(number(row, "start_distance") > threshold);
        if row["outcome"] == "solved" {
            solved += 1;
            assert!(number(row, "end_distance") <= threshold + 0.001);
        } else {
            assert!(number(row, "best_distance") > threshold + 0.001);
        }
    }
    assert!(solved > 0, "nobody solved anything");
    let mut thresholds: Vec<String> = questions
        .iter()
        .map(|row| row["threshold_distance"].to_string())
        .collect();
    thresholds.sort();
    thresholds.dedup();
    assert!(thresholds.len() >= 4, "{thresholds:?}");
    // Tried at these thresholds, too.
    let tune = "study tune structure --questions 3 --times 30 --thresholds 0.05 --json";
    let tuned = run(here, &words(tune)).json();
    let rows = tuned["rows"].as_array().unwrap();
    let own: Vec<_> = rows
        .iter()
        .filter(|it| it["of_the_study"] == true)
        .collect();
    // Two models by three strategies.
    assert_eq!(own.len(), 2 * 3, "{tuned}");
    assert!(own.iter().all(|it| it["threshold"].is_null()), "{own:?}");
    assert!(
        own.iter().any(|it| it["solved"].as_u64() > Some(0)),
        "{own:?}"
    );
}

#[test]
fn tuning_writes_tables_and_a_figure_and_knows_floor_and_ceiling() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::create_dir(here.join("studies")).unwrap();
    let tune = "study tune quickstart --questions 6 --times 30 --thresholds 0.05 --out tuning";
    run(here, &words(tune)).says(&["sinelines-gt5", "Ceiling"]);
    let mut table = csv::Reader::from_path(here.join("tuning/tables/tuning.csv")).unwrap();
    let heads = table.headers().unwrap().clone();
    let column = |name: &str| heads.iter().position(|head| head == name).unwrap();
    let (model, share) = (column("model"), column("share_solved"));
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    // Two models, three strategies, two thresholds and one time.
    assert_eq!(rows.len(), 2 * 3 * 2);
    assert!(
        rows.iter()
            .all(|row| ["sinelines-gt5", "dsprites-gt5"].contains(&&row[model]))
    );
    assert!(
        rows.iter()
            .all(|row| (0.0..=1.0).contains(&row[share].parse().unwrap()))
    );
    assert!(here.join("tuning/figures/tuning.png").is_file());
    let printed = "study tune quickstart --questions 6 --times 30 --thresholds 0.05 --json";
    let printed = run(here, &words(printed)).json();
    let as_json = printed["rows"].as_array().unwrap();
    assert_eq!(as_json.len(), rows.len());
    for (json, row) in as_json.iter().zip(&rows) {
        let solved = json["solved"].as_f64().unwrap() / json["questions"].as_f64().unwrap();
        assert_eq!(Some(solved), row[share].parse().ok());
    }
    let nothing = run(here, &["study", "tune", "single-dimension-demo"]);
    nothing.refuses(&["nothing to tune"]);
}

/// statsmodels 0.15.0, `TTestPower().solve_power(0.5, power=0.8, alpha=0.05)`: 33.37 pairs.
#[test]
fn power_says_how_many_people_are_needed_and_goes_into_the_deposit() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    run_study(here, 1);
    let study = here.join("studies").join(STUDY).join("study.json");
    let mut json: Value = serde_json::from_slice(&std::fs::read(&study).unwrap()).unwrap();
    json["analysis"]["comparisons"][0]["conditions"] =
        serde_json::json!(["curves-ae", "curves-gt"]);
    std::fs::write(&study, json.to_string()).unwrap();
    let assumed = "--difference 1 --sd 3 --within 1.4142135623730951";
    let power = format!("study power {STUDY} --json --simulations 4000 {assumed}");
    let found = run(here, &words(&power)).json();
    let needed = found["people_needed"].as_u64().unwrap();
    assert!((32..=36).contains(&needed), "{needed}");
    for power in found["powers"].as_array().unwrap() {
        let [simulated, error, closed] =
            ["power", "standard_error", "closed_form"].map(|key| power[key].as_f64().unwrap());
        let off = (simulated - closed).abs();
        assert!(off <= 3.5 * error.max(0.005), "{power}");
    }
    let none = run(here, &words("study power quickstart --difference 1 --sd 1"));
    none.refuses(&["declares no analysis"]);
    let missing = run(here, &["study", "power", STUDY, "--difference", "1"]);
    missing.refuses(&["--sd"]);

    let deposit = format!("study preregister {STUDY} --out deposit --simulations 200 {assumed}");
    run(here, &words(&deposit)).succeeds();
    let words = std::fs::read_to_string(here.join("deposit/power.md")).unwrap();
    assert!(words.contains("people are needed"), "{words}");
}
