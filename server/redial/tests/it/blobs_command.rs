//! Commands and a server with blobs outside of the database.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::command::{outcome, run};
use crate::program::Program;

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut all = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push(path);
        }
    }
    all
}

#[test]
fn models_are_in_the_folder_and_commands_find_them_there() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let blobs = here.join("blobs");
    let outside = ["--blobs", blobs.to_str().unwrap()];
    let server = Program::start(here, |command| {
        command.args(outside);
    });
    server.start_session("quickstart", &json!({ "attempt": "0123456789abcdef0123" }));
    let stored = files(&blobs);
    assert!(
        !stored.is_empty(),
        "the models that the session was drawn with"
    );

    let with = |args: &[&str]| run(here, &[args, &outside].concat());
    with(&["database", "check"]).says(&["everything is sound"]);
    let backup = here.join("backup.db");
    let backup = backup.to_str().unwrap();
    with(&["database", "backup", backup]).says(&["everything is sound"]);
    // A command that is not told where blobs are misses them.
    run(here, &["database", "check"]).refuses(&["is damaged"]);
    drop(server);
    let copy = format!("sqlite://{}/copy.db", here.display());
    let from = format!("sqlite://{}/test.db", here.display());
    with(&["database", "copy", &from, &copy]).succeeds();
    let mut check = Command::new(env!("CARGO_BIN_EXE_redial"));
    check.args(["database", "check", "--database", &copy]);
    outcome(check.args(outside)).says(&["everything is sound"]);

    std::fs::remove_file(&stored[0]).unwrap();
    with(&["database", "check"]).refuses(&["it is missing"]);
    let out = here.join("out");
    with(&["export", "quickstart", "--out", out.to_str().unwrap()]).succeeds();
    run(here, &["database", "check", "--blobs", "gs://bucket"])
        .refuses(&["neither a folder nor a bucket"]);
}
