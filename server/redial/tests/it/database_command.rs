//! `redial database`, `export` and `analyze` as people run them: beside a running server, and on
//! copies that cannot be written.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::outcome;
use crate::faults::Rig;

/// Any user but root, who may write everything.
const NOBODY: u32 = 65_534;

fn redial(database: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redial"));
    let url = format!("sqlite://{}", database.display());
    command.args(["--log", "error", "--database", &url]);
    command
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_backup_of_a_database_in_use_has_everything_acknowledged_before_it() {
    let rig = Rig::new();
    let database = rig.folder.path().join("test.db");
    let (folder, mut acked) = (tempfile::tempdir().unwrap(), 0);
    let step = rig.log.len() / 4;
    for round in 0..4 {
        rig.append_well(acked, acked + step);
        acked += step;
        let copy = folder.path().join(format!("{round}.db"));
        let backing_up = redial(&database)
            .args(["database", "backup"])
            .arg(&copy)
            .spawn();
        let mut backing_up = backing_up.unwrap();
        // The server goes on.
        assert_eq!(rig.get("/readyz").0, 200);
        assert!(backing_up.wait().unwrap().success());
        let report = outcome(redial(&copy).args(["database", "check", "--json"])).json();
        assert_eq!(report["events"], acked as u64);
    }
    assert_eq!(names(folder.path()), ["0.db", "1.db", "2.db", "3.db"]);
    outcome(
        redial(&database)
            .args(["database", "backup"])
            .arg(folder.path().join("0.db")),
    )
    .refuses(&["exists already"]);
}

#[test]
fn what_needs_the_database_alone_says_so_while_a_server_has_it() {
    let mut rig = Rig::new();
    let database = rig.folder.path().join("test.db");
    let copy = rig.folder.path().join("copy.db");
    rig.append_well(0, 5);
    outcome(redial(&database).args(["database", "backup"]).arg(&copy)).succeeds();
    rig.append_well(5, 10);
    outcome(redial(&database).args(["database", "vacuum"])).refuses(&["in use by another Redial"]);
    let restore = || {
        let mut command = redial(&database);
        command
            .args(["database", "restore", "--replace"])
            .arg(&copy);
        outcome(&mut command)
    };
    restore().refuses(&["in use by another Redial"]);
    rig.append_well(10, 15);
    assert_eq!(rig.stored(), rig.log[..15]);

    rig.server.terminate();
    assert!(rig.server.ended().is_some());
    restore().says(&["test.db.replaced-1"]);
    rig.serve_again();
    assert_eq!(rig.stored(), rig.log[..5]);
    rig.append_well(5, 10);
}

/// The program, where any user can run it.
fn program(folder: &Path) -> PathBuf {
    let program = folder.join("redial");
    std::fs::copy(env!("CARGO_BIN_EXE_redial"), &program).unwrap();
    program
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn copies_that_cannot_be_written_are_exported_and_stay_as_they_are() {
    let mut rig = Rig::new();
    rig.append_well(0, rig.log.len());
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o755);
    let program = program(folder.path());
    let outputs = folder.path().join("outputs");
    std::fs::create_dir(&outputs).unwrap();
    set_mode(&outputs, 0o777);

    // As it lies beside a server that was killed: most of it is in the log of changes.
    let killed = folder.path().join("killed");
    std::fs::create_dir(&killed).unwrap();
    for name in ["test.db", "test.db-wal"] {
        std::fs::copy(rig.folder.path().join(name), killed.join(name)).unwrap();
    }
    // As a server leaves it.
    rig.server.terminate();
    assert!(rig.server.ended().is_some());
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::copy(rig.folder.path().join("test.db"), closed.join("test.db")).unwrap();
    // Of an older version.
    let old = folder.path().join("old");
    std::fs::create_dir(&old).unwrap();
    let of_format_1 = "../tests/it/format_1/redial.db";
    let of_format_1 = Path::new(env!("CARGO_MANIFEST_DIR")).join(of_format_1);
    std::fs::copy(of_format_1, old.join("test.db")).unwrap();

    let is_root = folder.path().join("redial").metadata().is_ok_and(|m| {
        use std::os::unix::fs::MetadataExt as _;
        m.uid() == 0
    });
    for (name, study) in [
        ("killed", "quickstart"),
        ("closed", "quickstart"),
        ("old", "old"),
    ] {
        let here = folder.path().join(name);
        let before = names(&here);
        for file in &before {
            set_mode(&here.join(file), 0o444);
        }
        set_mode(&here, 0o555);
        let command = |args: &[&str]| {
            let mut command = Command::new(&program);
            let url = format!("sqlite://{}", here.join("test.db").display());
            command
                .args(["--log", "error", "--database", &url])
                .args(args);
            if is_root {
                command.uid(NOBODY).gid(NOBODY);
            }
            outcome(&mut command)
        };
        let out = outputs.join(name);
        command(&["export", study, "--out", out.to_str().unwrap()]).succeeds();
        let events = std::fs::read_to_string(out.join("jsonl/raw/events.jsonl")).unwrap();
        if name != "old" {
            // The server may have said in its own log that it has verified the session.
            let of_page = events.lines().filter(|line| !line.contains("\"author\":"));
            assert_eq!(of_page.count(), rig.log.len(), "{name}");
        }
        command(&["analyze", study]).says(&[" complete"]);
        command(&["database", "check"]).succeeds();
        command(&["serve", "--bind", "127.0.0.1:0"]).refuses(&["cannot be written by this user"]);
        command(&["database", "vacuum"]).refuses(&["cannot be written by this user"]);
        assert_eq!(names(&here), before);
        set_mode(&here, 0o755);
    }
}
