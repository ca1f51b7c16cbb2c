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

/// Without the words on standard error.
fn printed(folder: &std::path::Path, args: &[&str]) -> String {
    run(folder, args).succeeds().trim().to_owned()
}

#[test]
fn a_token_is_made_listed_and_ended_by_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run_study(folder, 1);
    let link = printed(folder, &["user", "add", "ada"]);
    run(
        folder,
        &["user", "role", "ada", "--study", STUDY, "--as", "viewer"],
    )
    .succeeds();
    let make = [
        "user", "token", "make", "ada", "--label", "weekly", "--study", STUDY,
    ];
    let with = |more: &[&str]| run(folder, &[&make[..], more].concat());
    with(&["--scope", "fly"]).refuses(&["read"]);
    with(&["--scope", "read", "--days", "400"]).refuses(&["365"]);
    run(folder, &["user", "token", "list", "bob"]).refuses(&["nobody is called 'bob'"]);
    let other = [
        "user", "token", "make", "ada", "--label", "x", "--study", "other", "--scope", "read",
    ];
    run(folder, &other).refuses(&["ada", "other"]);

    // Of no server, and of one that runs.
    let token = with(&["--scope", "read,export"]).succeeds();
    let token = token.lines().next().unwrap().to_owned();
    let server = Program::start(folder, |_| {});
    let studies = |token: &str| {
        server
            .request("GET", "/research/api/studies", Some(token), None)
            .unwrap()
            .0
    };
    assert_eq!(studies(&token), 200);
    let second = with(&["--scope", "read"]).succeeds();
    let second = second.lines().next().unwrap().to_owned();
    assert_eq!(studies(&second), 200);
    let list = run(folder, &["user", "token", "list", "ada", "--json"]).json();
    assert_eq!(list.as_array().unwrap().len(), 2);
    assert_eq!(list[1]["scopes"], json!(["read", "export"]));
    assert!(!list.to_string().contains(&token));
    run(folder, &["user", "token", "list", "ada"]).says(&["weekly", "read, export", STUDY]);
    let id = list[1]["id"].as_str().unwrap();
    run(folder, &["user", "token", "end", "ada", id]).says(&["has ended"]);
    run(folder, &["user", "token", "end", "ada", id]).refuses(&["no such token"]);
    assert_eq!(studies(&token), 401);
    assert_eq!(studies(&second), 200);

    // The same of places where somebody is signed in. The link to set a password has the running server's address.
    assert!(link.contains("/research#password="), "{link}");
    let link = printed(folder, &["user", "reset", "ada"]);
    assert!(
        link.contains(&format!("http://{}/research#password=", server.address())),
        "{link}"
    );
    let password = "correct horse battery";
    let body = json!({ "key": key(&link), "password": password });
    let path = "/research/api/password-by-link";
    assert_eq!(
        server.request_as_page("POST", path, Some(&body)).unwrap().0,
        200
    );
    run(folder, &["user", "sign-in", "list", "ada"]).says(&["signed in nowhere"]);
    let body = json!({ "name": "ada", "password": password });
    let path = "/research/api/sign-in";
    assert_eq!(
        server.request_as_page("POST", path, Some(&body)).unwrap().0,
        200
    );
    let list = run(folder, &["user", "sign-in", "list", "ada", "--json"]).json();
    let id = list[0]["id"].as_str().unwrap();
    run(folder, &["user", "sign-in", "list", "ada"]).says(&[id, "127.0.0.1"]);
    run(folder, &["user", "sign-in", "end", "ada", id]).says(&["has ended"]);
    assert_eq!(
        run(folder, &["user", "sign-in", "list", "ada", "--json"]).json(),
        json!([])
    );
}
