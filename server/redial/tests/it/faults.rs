//! The disk fails under a running server. Nothing that was acknowledged is lost, and the server
//! writes again once the fault is gone.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use api::{Ack, SessionStarted, SessionState};
use domain::session::event::Envelope;
use domain::simulate::SimulatedParticipant;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::Program;

/// A server on a disk that fails on demand, with one session.
pub struct Rig {
    pub folder: TempDir,
    pub server: Program,
    pub started: SessionStarted,
    pub log: Vec<Envelope>,
}

/// Compiles `faults.c`.
fn shim(folder: &Path) -> PathBuf {
    let library = folder.join("faults.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults.c");
    let done = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &source])
        .status()
        .unwrap();
    assert!(done.success());
    library
}

/// Where SQLite calls malloc and realloc, as `faults.c` wants it: read from the program's symbols, once for all tests.
static PLACES_OF_MALLOC: LazyLock<String> = LazyLock::new(|| {
    let symbols = Command::new("nm")
        .args(["-S", env!("CARGO_BIN_EXE_redial")])
        .output()
        .unwrap();
    let symbols = String::from_utf8(symbols.stdout).unwrap();
    let places: Vec<String> = symbols
        .lines()
        .filter_map(|line| {
            let (place, name) = line.rsplit_once(' ')?;
            let wanted = ["sqlite3MemMalloc", "sqlite3MemRealloc"].contains(&name);
            let (at, size) = wanted.then(|| place.split_once(' '))??;
            let (size, _) = size.split_once(' ')?;
            Some(format!("{at} {size}"))
        })
        .collect();
    assert_eq!(places.len(), 2, "the program has no symbols");
    places.join(" ")
});

fn serve(folder: &Path) -> Program {
    let mut options = std::fs::OpenOptions::new();
    let log = options.create(true).append(true).open(folder.join("log"));
    let log = log.unwrap();
    Program::start(folder, |command| {
        command
            .env("LD_PRELOAD", folder.join("faults.so"))
            .env("REDIAL_FAULT", folder.join("fault"))
            .env("REDIAL_SQLITE_MALLOC", &*PLACES_OF_MALLOC)
            // Not a pipe: nobody reads it while the server runs.
            .stderr(log.try_clone().unwrap());
    })
}

impl Rig {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        shim(folder.path());
        let server = serve(folder.path());
        let start = json!({ "attempt": "0123456789abcdef0123" });
        let started = server.start_session("quickstart", &start);
        let log = SimulatedParticipant::new(started.plan.clone(), 1, 20).collect();
        Self {
            folder,
            server,
            started,
            log,
        }
    }

    /// One of the words that `faults.c` knows, or nothing.
    pub fn set_fault(&self, word: &str) {
        // Under its name at once: a file that is being written is no word.
        let (new, file) = (
            self.folder.path().join("new"),
            self.folder.path().join("fault"),
        );
        std::fs::write(&new, word).unwrap();
        std::fs::rename(new, file).unwrap();
    }

    /// A new server, after one that has ended.
    pub fn serve_again(&mut self) {
        self.server = serve(self.folder.path());
    }

    fn path(&self, end: &str) -> String {
        format!("/api/sessions/{}{end}", self.started.plan.session)
    }

    /// Asks for the completion code.
    pub fn complete(&self) -> std::io::Result<(u16, Value)> {
        let token = Some(self.started.token.as_str());
        let path = self.path("/completion");
        self.server.request("POST", &path, token, Some(&json!({})))
    }

    pub fn append(&self, from: usize, to: usize) -> std::io::Result<(u16, Value)> {
        let batch = json!({ "events": self.log[from..to] });
        let token = Some(self.started.token.as_str());
        self.server
            .request("POST", &self.path("/events"), token, Some(&batch))
    }

    pub fn append_well(&self, from: usize, to: usize) {
        let (status, answer) = self.append(from, to).unwrap();
        assert_eq!(status, 200, "{answer}");
        let ack: Ack = serde_json::from_value(answer).unwrap();
        assert_eq!(ack.acked_len, to as u64);
    }

    pub fn stored(&self) -> Vec<Envelope> {
        self.try_stored().unwrap()
    }

    /// The same, of a server that may be about to end.
    pub fn try_stored(&self) -> std::io::Result<Vec<Envelope>> {
        let token = Some(self.started.token.as_str());
        let (status, state) = self.server.request("GET", &self.path(""), token, None)?;
        assert_eq!(status, 200, "{state}");
        Ok(serde_json::from_value::<SessionState>(state)
            .unwrap()
            .events)
    }

    pub fn get(&self, path: &str) -> (u16, Value) {
        self.server.request("GET", path, None, None).unwrap()
    }
}

#[test]
fn a_full_disk_is_told_and_writing_goes_on_once_there_is_room() {
    let rig = Rig::new();
    rig.append_well(0, 5);
    for round in 1..=10 {
        let (from, to) = (5 * round, 5 * round + 5);
        rig.set_fault("full");
        for _ in 0..3 {
            let (status, answer) = rig.append(from, to).unwrap();
            assert_eq!(
                (status, &answer["error"]["code"]),
                (503, &json!("storage_full"))
            );
        }
        let (status, answer) = rig.get("/readyz");
        assert_eq!(
            (status, &answer["error"]["code"]),
            (503, &json!("storage_full"))
        );
        let (status, health) = rig.get("/healthz");
        assert_eq!((status, &health["storage"]), (200, &json!("full")));
        assert_eq!(rig.stored(), rig.log[..from], "reading goes on");

        rig.set_fault("");
        rig.append_well(from, to);
        assert_eq!(rig.get("/healthz").1["storage"], "good");
        assert_eq!(rig.get("/readyz").0, 200);
    }
    assert_eq!(rig.stored(), rig.log[..55]);
}

#[test]
fn writes_that_fail_for_a_while_stop_nothing_for_good() {
    let rig = Rig::new();
    rig.append_well(0, 5);
    rig.set_fault("io");
    let (status, answer) = rig.append(5, 10).unwrap();
    assert_eq!(
        (status, &answer["error"]["code"]),
        (500, &json!("internal"))
    );
    assert_eq!(rig.get("/readyz").0, 503);
    rig.set_fault("");
    rig.append_well(5, 10);
    assert_eq!(rig.stored(), rig.log[..10]);
}

#[test]
fn a_sync_that_fails_ends_the_server_and_the_next_one_has_what_was_acknowledged() {
    let mut rig = Rig::new();
    rig.append_well(0, 5);
    let mut acked = 5;
    for _ in 0..3 {
        rig.set_fault("sync");
        // Whether there is an answer before the end is open; an acknowledgement it is not.
        if let Ok((status, answer)) = rig.append(acked, acked + 5) {
            assert_eq!(status, 503, "{answer}");
        }
        let status = rig.server.ended().expect("the server went on");
        assert_eq!(status.code(), Some(74));
        let log = std::fs::read_to_string(rig.folder.path().join("log")).unwrap();
        assert!(log.contains("the disk did not confirm a write"), "{log}");

        rig.set_fault("");
        rig.serve_again();
        let stored = rig.stored();
        assert!(stored.len() >= acked && stored == rig.log[..stored.len()]);
        rig.append_well(stored.len(), stored.len() + 5);
        acked = stored.len() + 5;
    }
}
