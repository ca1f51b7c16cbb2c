//! `redial session exclude` and `readmit`, with and without a server.

use std::path::Path;

use serde_json::Value;
use server::export::layout::{ExportHalf, csv as csv_of};

use crate::command::run;
use crate::people::{STUDY, run_study};
use crate::program::Program;

/// Sessions, whether they are included, why not, and how they stand, as the export has them.
fn exported(folder: &Path, name: &str) -> Vec<[String; 4]> {
    let out = folder.join(name);
    let args = ["export", STUDY, "--out", out.to_str().unwrap()];
    run(folder, &args).succeeds();
    let mut reader =
        csv::Reader::from_path(out.join(csv_of(STUDY, ExportHalf::Raw, "sessions"))).unwrap();
    let headers = reader.headers().unwrap().clone();
    let columns = ["session", "included", "exclusion_reasons", "standing"];
    let at = columns.map(|column| headers.iter().position(|found| found == column).unwrap());
    let rows = reader.records().map(Result::unwrap);
    rows.map(|row| at.map(|at| row[at].to_owned())).collect()
}

fn counts(folder: &Path) -> (u64, u64) {
    let report = run(folder, &["study", "cells", STUDY, "--json"]).json();
    let cell = &report["cells"][0];
    (
        cell["counted"].as_u64().unwrap(),
        cell["excluded"].as_u64().unwrap(),
    )
}

#[test]
fn a_session_is_left_out_by_hand_and_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run_study(folder, 3);
    let before = exported(folder, "before");
    let complete = before.iter().find(|row| row[1] == "true").unwrap();
    let id = complete[0].as_str();
    let (counted, excluded) = counts(folder);
    assert_eq!(excluded, 0);

    let why = "told us that a child took part";
    run(folder, &["session", "exclude", id, "--because", why]).says(&[why]);
    let row = |name: &str| {
        let rows = exported(folder, name);
        rows.into_iter().find(|row| row[0] == id).unwrap()
    };
    let [_, included, reasons, standing] = row("excluded");
    let reasons: Vec<String> = serde_json::from_str(&reasons).unwrap();
    assert_eq!(
        (included.as_str(), standing.as_str()),
        ("false", "excluded")
    );
    assert_eq!(reasons, [format!("by_hand: {why}")]);
    assert_eq!(
        counts(folder),
        (counted, 1),
        "this study counts completions"
    );
    // Neither without a server nor with one is it decided anew, and the first reason stays.
    let other_reason = ["session", "exclude", id, "--because", "another reason"];
    run(folder, &other_reason).refuses(&["somebody by a command has excluded", why]);
    assert_eq!(row("still")[2], format!("[\"by_hand: {why}\"]"));
    // Analyses say that it was done by hand, and why; this study has no inclusion rules.
    let words = format!("excluded by hand: “{why}” (1)");
    let said = run(folder, &["analyze", STUDY]).says(&[&format!("Left out: 1 ({words}).")]);
    assert!(!said.contains("inclusion rules"), "{said}");
    let out = folder.join("analysis");
    run(folder, &["analyze", STUDY, "--out", out.to_str().unwrap()]).succeeds();
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let methods = read("methods.md");
    assert!(
        methods.contains(&format!("1 was left out: {words}.")),
        "{methods}"
    );
    let numbers: Value = serde_json::from_str(&read("numbers.json")).unwrap();
    let left_out = numbers["versions"][0]["excluded"].as_array().unwrap();
    let by_hand = left_out
        .iter()
        .find(|entry| entry["reason"]["by"] == "by_hand");
    assert_eq!(by_hand.unwrap()["people"], 1);
    assert_eq!(by_hand.unwrap()["because"][0]["reason"], why);

    // The server has this session in memory, or reads it: it says the same.
    let server = Program::start(folder, |command| {
        command.arg("--studies").arg(folder.join("studies"));
    });
    run(
        folder,
        &["session", "readmit", id, "--because", "a mistake"],
    )
    .succeeds();
    run(
        folder,
        &["session", "readmit", id, "--because", "a mistake"],
    )
    .refuses(&["has readmitted", "a mistake"]);
    assert_eq!(row("readmitted")[1], "true");
    assert_eq!(counts(folder), (counted, 0));
    let again = ["session", "exclude", id, "--because", why];
    // For the same reason once more.
    run(folder, &again).succeeds();
    assert_eq!(row("again")[1], "false");
    for (args, expected) in [
        (
            ["session", "exclude", "nobody", "--because", "x"],
            "no such session",
        ),
        (["session", "exclude", id, "--because", " "], "say why"),
    ] {
        run(folder, &args).refuses(&[expected]);
    }
    drop(server);
    assert_eq!(row("after")[1], "false", "it is in the log");
}
