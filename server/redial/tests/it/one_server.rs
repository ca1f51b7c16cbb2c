//! One server has a database. Commands that change it reach that server.

use std::io::Read as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::command::run;
use crate::program::Program;

fn starts(server: &Program, number: usize) -> u16 {
    server.ask_for("quickstart", number).unwrap().0
}

/// The holder of the lock, as the lock's file names it.
fn holder(folder: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join("test.db.lock")).unwrap()).unwrap()
}

#[test]
fn a_second_server_says_so_and_stops() {
    let folder = tempfile::tempdir().unwrap();
    let first = Program::start(folder.path(), |_| {});
    let process = format!("in use by another Redial (process {})", first.child.id());
    let second = run(folder.path(), &["serve", "--bind", "127.0.0.1:0"]);
    second.refuses(&[&process]);
    assert_eq!(starts(&first, 1), 200, "the first goes on");

    run(folder.path(), &["database", "vacuum"]).refuses(&[&process]);
    let backup = folder.path().join("backup.db");
    for reads in [
        &["database", "check"][..],
        &["database", "backup", backup.to_str().unwrap()],
        &["study", "cells", "quickstart"],
    ] {
        run(folder.path(), reads).succeeds();
    }
}

#[test]
fn a_server_that_was_killed_keeps_nobody_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut killed = Program::start(folder.path(), |_| {});
    killed.child.kill().unwrap();
    killed.child.wait().unwrap();
    assert!(
        folder.path().join("test.db-control").exists(),
        "it could not take that away"
    );

    run(folder.path(), &["study", "pause", "quickstart"]).succeeds();
    let mut next = Program::start(folder.path(), |_| {});
    assert_eq!(holder(folder.path())["process"], json!(next.child.id()));
    assert_eq!(
        starts(&next, 1),
        409,
        "what was paused without a server stays so"
    );
    run(folder.path(), &["study", "resume", "quickstart"]).succeeds();
    assert_eq!(starts(&next, 1), 200);

    next.terminate();
    assert!(next.ended().unwrap().success());
    assert!(!folder.path().join("test.db-control").exists());
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_open_the_socket() {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
    let folder = tempfile::tempdir().unwrap();
    let _server = Program::start(folder.path(), |_| {});
    let control = folder.path().join("test.db-control");
    let mode = std::fs::metadata(&control).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let socket = std::fs::metadata(control.join("socket")).unwrap();
    assert!(socket.file_type().is_socket());
}

#[cfg(unix)]
#[test]
fn what_is_no_request_is_answered_and_changes_nothing() {
    use std::io::Write as _;
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream;
    let folder = tempfile::tempdir().unwrap();
    let server = Program::start(folder.path(), |_| {});
    let socket = holder(folder.path())["socket"].as_str().unwrap().to_owned();
    let ask = |request: &[u8]| {
        let mut connection = UnixStream::connect(&socket).unwrap();
        // The server may have closed it by then.
        let _ = connection.write_all(request);
        let _ = connection.shutdown(Shutdown::Write);
        let mut answer = String::new();
        let _ = connection.read_to_string(&mut answer);
        answer
    };
    let answer = ask(b"{\"request\": \"format_the_disk\"}\n");
    assert!(answer.contains("not known here"), "{answer}");
    assert_eq!(ask(b"no line"), "");
    assert_eq!(ask(&vec![b'x'; 4 << 20]), "");
    assert_eq!(ask(b""), "");
    assert_eq!(starts(&server, 1), 200);
}

#[test]
fn a_database_with_a_long_path_is_reached_too() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a-folder-with-a-long-name/".repeat(5));
    std::fs::create_dir_all(&deep).unwrap();
    let server = Program::start(&deep, |_| {});
    run(&deep, &["study", "pause", "quickstart"]).succeeds();
    assert_eq!(starts(&server, 1), 409);
}
