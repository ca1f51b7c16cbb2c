//! `redial user`, with and without a server.

use serde_json::json;

use crate::command::run;
use crate::people::{STUDY, run_study};
use crate::program::Program;

/// The key in what `add` and `reset` print.
fn key(said: &str) -> String {
    let (_, rest) = said.split_once("/research#password=").unwrap();
    rest.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn people_get_accounts_and_roles_and_what_was_done_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let ada = "ada@example.org";
    let said =
        run(folder, &["user", "add", "Ada@example.org", "--admin"]).says(&["within an hour"]);
    let first = key(&said);
    for (args, words) in [
        (vec!["user", "add", ada], "already"),
        (vec!["user", "add", "two words"], "no name"),
        (vec!["user", "disable", ada], "the only one"),
        (vec!["user", "role", ada, "--admin", "no"], "the only one"),
        (vec!["user", "reset", "nobody"], "nobody is called"),
        (vec!["user", "role", ada], "--study"),
        (
            vec!["user", "role", ada, "--study", STUDY, "--as", "king"],
            "owner",
        ),
        (
            vec![
                "user",
                "role",
                ada,
                "--study",
                STUDY,
                "--as",
                "viewer",
                "--identifying",
            ],
            "for analysts",
        ),
    ] {
        run(folder, &args).refuses(&[words]);
    }
    run(
        folder,
        &["user", "role", ada, "--study", STUDY, "--as", "owner"],
    )
    .says(&["is an owner of 'curves'"]);
    assert_eq!(
        run(folder, &["user", "list", "--json"]).json(),
        json!([{
            "name": ada, "admin": true, "disabled": false, "waits": false, "has_password": false,
            "vouched_for_by": [],
            "studies": [{ "study": STUDY, "role": "owner", "identifying": false }],
        }])
    );
    run(folder, &["user", "roles"]).says(&["own sessions", "if granted"]);

    // A server that runs does the same, at once.
    let server = Program::start(folder, |_| {});
    let second = key(&run(folder, &["user", "reset", ada]).succeeds());
    assert_ne!(first, second);
    let body = json!({ "key": second, "password": "correct horse battery" });
    let path = "/research/api/password-by-link";
    // Without the header Origin it may come from any page.
    let (status, _) = server.request("POST", path, None, Some(&body)).unwrap();
    assert_eq!(status, 403);
    run(folder, &["user", "add", "bob"]).succeeds();
    drop(server);

    let audit = run(folder, &["user", "audit", "--json"]).json();
    let entries = audit.as_array().unwrap().iter().rev();
    let acts: Vec<&str> = entries.map(|it| it["act"].as_str().unwrap()).collect();
    assert_eq!(
        acts,
        [
            "account_added",
            "role_changed",
            "account_reset",
            "account_added"
        ]
    );
    assert!(!audit.to_string().contains(&second));
}

#[test]
fn what_commands_decide_is_in_the_audit_log() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run_study(folder, 1);
    run(folder, &["study", "pause", STUDY]).succeeds();
    run(folder, &["user", "audit", "--study", STUDY]).says(&["(command)", "cells_paused"]);
}
