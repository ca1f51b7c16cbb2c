//! `redial database copy`, killed half-way and told again.
#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use cluster::cluster;
use server::storage;

use crate::command::{outcome, redial, run};

/// Whether a database has a row that this finds.
fn finds(name: &str, sql: &str) -> bool {
    let found = cluster().sql(name, &format!("SELECT EXISTS ({sql})"));
    found.unwrap() == "t"
}

#[track_caller]
fn until(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "it takes too long"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_copy_that_was_killed_goes_on_and_nothing_else_opens_it_before() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(
        folder,
        &[
            "simulate",
            "quickstart",
            "--participants",
            "3",
            "--seed",
            "2",
        ],
    )
    .succeeds();
    let from = format!("sqlite://{}/test.db", folder.display());
    let to = cluster().database();
    let name = to.rsplit('/').next().unwrap().to_owned();
    let copy = || {
        let mut command = redial(folder, &["database", "copy"]);
        command.args([&from, &to]);
        command
    };
    let make_tables = async { storage::open(&to).await.unwrap().close().await };
    tokio::runtime::Runtime::new()
        .unwrap()
        .block_on(make_tables);

    // It stands before plans, which somebody else has, and is killed there.
    let held = name.clone();
    let holder = std::thread::spawn(move || {
        let hold = "BEGIN; LOCK TABLE plans IN EXCLUSIVE MODE; SELECT pg_sleep(100); COMMIT";
        let _ = cluster().sql(&held, hold); // ended below
    });
    let is_held = "SELECT 1 FROM pg_locks WHERE relation = 'plans'::regclass AND granted";
    until(|| finds(&name, is_held));
    let mut copying = copy().spawn().unwrap();
    let waits = "SELECT 1 FROM pg_locks WHERE relation = 'plans'::regclass AND NOT granted";
    until(|| finds(&name, waits));
    copying.kill().unwrap();
    copying.wait().unwrap();
    let end = format!(
        "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{name}'"
    );
    cluster().sql("postgres", &end).unwrap();
    holder.join().unwrap();
    assert!(
        finds(&name, "SELECT 1 FROM sessions"),
        "what was written is there"
    );
    assert!(!finds(&name, "SELECT 1 FROM plans"));

    for args in [
        &["database", "check"][..],
        &["serve"],
        &["export", "quickstart", "--out", "x"],
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_redial"));
        command
            .args(args)
            .args(["--database", &to])
            .current_dir(folder);
        outcome(&mut command).refuses(&["the copy into it that began on", "has not ended: go on"]);
    }

    outcome(&mut copy()).says(&["rows, all compared"]);
    let back = format!("sqlite://{}/back.db", folder.display());
    let mut returns = redial(folder, &["database", "copy"]);
    outcome(returns.args([&to, &back])).says(&["rows, all compared"]);
    let report = |file: &str| {
        let mut check = std::process::Command::new(env!("CARGO_BIN_EXE_redial"));
        check.args(["database", "check", "--json", "--database"]);
        outcome(check.arg(file).current_dir(folder)).json()
    };
    assert_eq!(report(&back), report(&from));
    assert_eq!(report(&back)["sessions"], 3);
    outcome(&mut copy()).refuses(&["nothing was copied", "has rows in its table"]);
}
