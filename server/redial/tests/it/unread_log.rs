//! A server whose log nobody reads any more goes on serving, and stops when told to.
#![cfg(unix)]

use std::process::Stdio;

use crate::program::Program;

#[test]
fn it_starts_sessions_and_stops() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Program::start(folder.path(), |command| {
        command.stderr(Stdio::piped());
    });
    // The reader of the log is gone: from now on every line of it fails.
    drop(server.child.stderr.take());

    assert_eq!(server.ask_for("quickstart", 1).unwrap().0, 200);
    server.terminate();
    assert!(server.ended().is_some(), "SIGTERM was lost");
}
