//! `redial session note`, with and without a server.

use serde_json::Value;
use server::export::layout::{ExportHalf, csv as csv_of};

use crate::command::run;
use crate::people::{STUDY, run_study};
use crate::program::Program;

#[test]
fn a_note_is_in_the_log_with_its_moment() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run_study(folder, 1);
    let sessions = run(folder, &["study", "participants", STUDY, "--json"]).json();
    let id = sessions[0]["session"].as_str().unwrap();
    let note = |more: &[&str]| run(folder, &[&["session", "note", id], more].concat());
    note(&[]).refuses(&["TEXT"]);
    note(&["x", "--at", "noon"]).refuses(&["12m30s"]);
    run(folder, &["session", "note", "nobody", "x"]).refuses(&["no such session"]);
    note(&["turned the phone", "--at", "12.5s"]).says(&["12.5s"]);
    let server = Program::start(folder, |_| {});
    note(&["--mark", "aha"]).says(&["is in the log"]);
    drop(server);

    let out = folder.join("out");
    let args = [
        "export",
        STUDY,
        "--identifying",
        "--out",
        out.to_str().unwrap(),
    ];
    run(folder, &args).succeeds();
    let file = out.join(csv_of(STUDY, ExportHalf::Raw, "events"));
    let mut reader = csv::Reader::from_path(file).unwrap();
    let headers = reader.headers().unwrap().clone();
    let place = |name: &str| headers.iter().position(|it| it == name).unwrap();
    let (author, event) = (place("author"), place("detail"));
    let rows = reader.records().map(Result::unwrap);
    let written = rows.filter(|row| &row[author] == "experimenter");
    let notes: Vec<Value> = written
        .map(|row| serde_json::from_str(&row[event]).unwrap())
        .collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert_eq!(notes[0]["text"], "turned the phone");
    assert_eq!(notes[0]["about_ms"], 12_500);
    assert_eq!(notes[1]["mark"], "aha");
}
