//! Files and folders of people's data are their owner's, with a umask of 000.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::program::Program;

/// The paths in a folder, however deep, and whether each is only its owner's.
fn within(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is = mode(&path);
        assert_eq!(is & 0o077, 0, "{} is {is:o}", path.display());
        if path.is_dir() {
            found.extend(within(&path));
        }
        found.push(path);
    }
    found
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o777
}

/// The program with a umask of 000, on the database of `folder`.
fn redial(folder: &Path, args: &[&str]) -> Output {
    Command::new("sh")
        .args([
            "-c",
            "umask 000; exec \"$0\" \"$@\"",
            env!("CARGO_BIN_EXE_redial"),
        ])
        .args(args)
        .args([
            "--database",
            &format!("sqlite://{}/new/test.db", folder.display()),
        ])
        .current_dir(folder)
        .output()
        .unwrap()
}

#[test]
fn nobody_else_can_read_what_the_program_writes_of_people() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // A session, an erasure, and what a running server keeps beside its database.
    let umask = "umask 000; exec \"$0\" \"$@\"";
    let mut server = Program::start_by(
        |program| {
            let mut shell = Command::new("sh");
            shell.args(["-c", umask, program]);
            shell
        },
        &path.join("new"),
        |_| {},
    );
    let start = |number: usize| server.ask_for("quickstart", number).unwrap().1;
    let (kept, erased) = (start(1), start(2));
    assert!(kept["plan"].is_object(), "{kept}");
    let token = erased["token"].as_str();
    let session = erased["plan"]["session"].as_str().unwrap();
    let gone = server.request("DELETE", &format!("/api/sessions/{session}"), token, None);
    assert_eq!(gone.unwrap().0, 200);
    for name in [
        "",
        "-wal",
        "-shm",
        ".lock",
        "-erasures",
        "-control",
        "-control/socket",
    ] {
        assert!(path.join(format!("new/test.db{name}")).exists(), "{name}");
    }
    assert!(
        within(path)
            .iter()
            .any(|file| file.ends_with("test.db-control/socket"))
    );
    server.terminate();
    server.ended().unwrap();

    for args in [
        &["database", "backup", "backup.db"][..],
        &["export", "quickstart", "--out", "exported"],
        &["database", "restore", "backup.db", "--replace"],
    ] {
        let done = redial(path, args);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{args:?}: {said}");
    }
    let seen = within(path);
    assert!(seen.iter().any(|file| file.ends_with("exported/data/raw")));

    // A database that an earlier version left open to others is narrowed when it is opened.
    let database = path.join("new/test.db");
    std::fs::set_permissions(&database, std::fs::Permissions::from_mode(0o644)).unwrap();
    let server = Program::start(&path.join("new"), |_| {});
    assert_eq!(mode(&database), 0o600);
    drop(server);
}
