//! A server whose log nobody reads any more goes on serving, and stops when told to.
#![cfg(unix)]

use std::process::Stdio;

use serde_json::json;

use crate::program::Program;

#[test]
fn it_starts_sessions_and_stops() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Program::start(folder.path(), |command| {
        command.stderr(Stdio::piped());
    });
    // Whoever read the log is gone: from now on every line of it fails.
    drop(server.child.stderr.take());

    let (status, _) = server
        .request(
            "POST",
            "/api/studies/quickstart/sessions",
            None,
            Some(&json!({ "attempt": "0123456789abcdef0123" })),
        )
        .unwrap();
    assert_eq!(status, 200);
    server.terminate();
    assert!(server.ended().is_some(), "SIGTERM was lost");
}
