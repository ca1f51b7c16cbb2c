//! The n-th write, sync or allocation of SQLite fails, for one n after the other, through a whole
//! session, as SQLite's own tests do it: every request is sent with the first call failing, then the
//! second, until none fails any more. After each fault nothing acknowledged is missing, the server
//! writes again, and the whole database is sound.
//!
//! With `REDIAL_LONG=1` every n up to 500 is taken for every request, from there every hundredth part
//! more; otherwise some, spread over the session.
#![cfg(target_os = "linux")]

use serde_json::{Value, json};

use crate::command::run;
use crate::faults::Rig;

fn is_long() -> bool {
    std::env::var_os("REDIAL_LONG").is_some_and(|value| value == "1")
}

/// A session under faults, and what it has gone through.
struct Course {
    rig: Rig,
    kind: &'static str,
    /// In an ordinary run, how many calls are passed over at least after each that failed.
    step: usize,
    /// The call that fails next.
    n: usize,
    acked: usize,
    faults: u32,
    refused: u32,
    ends: u32,
}

impl Course {
    /// A whole session in which calls of a kind fail; in an ordinary run some of them, and with
    /// `batch` events in a batch.
    fn taken(kind: &'static str, step: usize, batch: usize) -> Self {
        let batch = if is_long() { 12 } else { batch };
        let mut course = Self {
            rig: Rig::new(),
            kind,
            step,
            n: 1,
            acked: 0,
            faults: 0,
            refused: 0,
            ends: 0,
        };
        let log_len = course.rig.log.len();
        while course.acked < log_len {
            let (from, to) = (course.acked, (course.acked + batch).min(log_len));
            course.send(|rig| rig.append(from, to));
            course.acked = to;
        }
        let code = course.send(Rig::complete)["code"].clone();
        assert_eq!(course.send(Rig::complete)["code"], code);
        // Another one, however often it is asked for. It stores models of 7 MB, more than the log of
        // changes takes before SQLite brings it into the database: that is written to, too.
        let attempt = json!({ "attempt": "another-attempt-0001" });
        course.send(|rig| rig.server.ask_to_start("exploration-demo", &attempt));
        assert_eq!(course.rig.stored(), course.rig.log);
        assert_eq!(course.assert_sound()["sessions"], 2);
        eprintln!(
            "{kind}: {} faults, {} refused, {} ends of the server",
            course.faults, course.refused, course.ends
        );
        course
    }

    /// Sends a request until it is granted, under one fault after the other.
    fn send(&mut self, request: impl Fn(&Rig) -> std::io::Result<(u16, Value)>) -> Value {
        loop {
            self.rig.set_fault(&format!("{} {}", self.kind, self.n));
            let answer = request(&self.rig);
            self.rig.set_fault("");
            let fired = self.rig.folder.path().join("fault.fired");
            let has_fired = std::fs::remove_file(fired).is_ok();
            self.n = if has_fired { self.next_n() } else { 1 };
            let answered = answer.is_ok();
            let granted = match answer {
                Ok((200, value)) => Some(value),
                Ok((status, value)) => {
                    assert!(has_fired, "{status}: {value}");
                    assert!([500, 503].contains(&status), "{status}: {value}");
                    self.refused += 1;
                    None
                }
                Err(error) => {
                    assert!(has_fired, "{error}");
                    None
                }
            };
            if has_fired {
                self.faults += 1;
                self.after_a_fault(answered, granted.is_some());
            }
            if let Some(value) = granted {
                return value;
            }
        }
    }

    fn next_n(&self) -> usize {
        self.n
            + if is_long() {
                (self.n / 100).max(1)
            } else {
                (self.n / 2).max(self.step)
            }
    }

    fn after_a_fault(&mut self, answered: bool, granted: bool) {
        // A sync that fails on the way to an acknowledgement ends the server, if not at once. Nobody is left without an
        // answer by a server that goes on.
        let must_end = !answered || (self.kind == "sync" && !granted);
        let server = &mut self.rig.server;
        let ended = if must_end {
            server.ended()
        } else {
            server.has_ended()
        };
        assert!(ended.is_some() || !must_end, "the server went on");
        if ended.is_some() {
            self.serve_again();
        }
        if let Err(error) = self.assert_kept() {
            // Something beside the request has met the fault.
            assert!(self.rig.server.ended().is_some(), "{error}");
            self.serve_again();
            self.assert_kept().unwrap();
        }
        self.assert_sound();
    }

    fn serve_again(&mut self) {
        self.ends += 1;
        self.rig.serve_again();
    }

    /// Nothing acknowledged is missing, what is there is what was sent, and the server writes again.
    fn assert_kept(&self) -> std::io::Result<()> {
        let stored = self.rig.try_stored()?;
        assert!(stored.len() >= self.acked, "{} events", stored.len());
        assert_eq!(stored, self.rig.log[..stored.len()]);
        let (status, answer) = self.rig.server.request("GET", "/readyz", None, None)?;
        assert_eq!(status, 200, "{answer}");
        Ok(())
    }

    /// `PRAGMA integrity_check`, and more; returns the report.
    fn assert_sound(&self) -> Value {
        run(self.rig.folder.path(), &["database", "check", "--json"]).json()
    }
}

#[test]
fn every_nth_write_fails_and_nothing_is_lost() {
    let course = Course::taken("io", 5, 60);
    assert!(course.faults >= 10 && course.refused >= 10);
    assert_eq!(course.ends, 0);
}

#[test]
fn every_nth_sync_fails_and_nothing_is_lost() {
    let course = Course::taken("sync", 1, 100);
    assert!(course.faults >= 5 && course.ends >= 5);
}

#[test]
fn every_nth_allocation_fails_and_nothing_is_lost() {
    let course = Course::taken("alloc", 25, 120);
    assert!(course.faults >= 10 && course.refused >= 5);
}
