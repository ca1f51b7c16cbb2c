//! A file of the database is removed or replaced while the server runs: nothing more is acknowledged,
//! and the process ends with the reason.
#![cfg(unix)]

use std::path::Path;

use crate::program::Program;

/// A server with an attempt that has started a session, whose messages go into a file.
fn served(folder: &Path) -> Program {
    let log = std::fs::File::create(folder.join("log")).unwrap();
    let server = Program::start(folder, |command| {
        command.stderr(log);
    });
    assert_eq!(start(&server, 1), Some(200));
    server
}

/// The status of an attempt to start; none where nobody answers any more.
fn start(server: &Program, number: usize) -> Option<u16> {
    let answer = server.ask_for("quickstart", number);
    answer.ok().map(|(status, _)| status)
}

#[test]
fn a_database_that_is_gone_or_another_one_ends_the_server() {
    type Harm = fn(&Path);
    let harms: [(&str, Harm); 4] = [
        ("removed", |folder| {
            std::fs::remove_file(folder.join("test.db")).unwrap();
        }),
        ("moved away", |folder| {
            std::fs::rename(folder.join("test.db"), folder.join("old.db")).unwrap();
        }),
        ("replaced by a copy", |folder| {
            std::fs::copy(folder.join("test.db"), folder.join("copy.db")).unwrap();
            std::fs::rename(folder.join("copy.db"), folder.join("test.db")).unwrap();
        }),
        ("without its log of changes", |folder| {
            std::fs::remove_file(folder.join("test.db-wal")).unwrap();
        }),
    ];
    for (what, harm) in harms {
        let folder = tempfile::tempdir().unwrap();
        let mut server = served(folder.path());
        harm(folder.path());
        assert_ne!(
            start(&server, 2),
            Some(200),
            "{what}: nothing is acknowledged"
        );
        if let Ok((status, _)) = server.request("GET", "/readyz", None, None) {
            assert_eq!(status, 503, "{what}");
        }
        let status = server.ended().expect("the server went on");
        assert_eq!(status.code(), Some(74), "{what}");
        let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
        assert!(log.contains("removed or replaced"), "{what}: {log}");
        assert!(log.contains("start the server again"), "{what}: {log}");
    }
    // It is noticed while nobody asks anything, too.
    let folder = tempfile::tempdir().unwrap();
    let mut server = served(folder.path());
    std::fs::remove_file(folder.path().join("test.db")).unwrap();
    assert_eq!(server.ended().and_then(|status| status.code()), Some(74));
    assert!(
        !folder.path().join("test.db").exists(),
        "no empty one is made"
    );
}
