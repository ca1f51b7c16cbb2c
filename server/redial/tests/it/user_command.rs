//! `redial user`, with and without a server.

use serde_json::{Value, json};

use crate::people::{STUDY, run, run_study};
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
    let (done, said) = run(folder, &["user", "add", "Ada@example.org", "--admin"]);
    assert!(done && said.contains("within an hour"), "{said}");
    let first = key(&said);
    for (args, words) in [
        (vec!["user", "add", "ada@example.org"], "already"),
        (vec!["user", "add", "two words"], "no name"),
        (vec!["user", "disable", "ada@example.org"], "the only one"),
        (
            vec!["user", "role", "ada@example.org", "--admin", "no"],
            "the only one",
        ),
        (vec!["user", "reset", "nobody"], "nobody is called"),
        (vec!["user", "role", "ada@example.org"], "--study"),
        (
            vec![
                "user",
                "role",
                "ada@example.org",
                "--study",
                STUDY,
                "--as",
                "king",
            ],
            "owner",
        ),
        (
            vec![
                "user",
                "role",
                "ada@example.org",
                "--study",
                STUDY,
                "--as",
                "viewer",
                "--identifying",
            ],
            "for analysts",
        ),
    ] {
        let (done, said) = run(folder, &args);
        assert!(!done && said.contains(words), "{args:?}: {said}");
    }
    let role = [
        "user",
        "role",
        "ada@example.org",
        "--study",
        STUDY,
        "--as",
        "owner",
    ];
    let (done, said) = run(folder, &role);
    assert!(done && said.contains("is an owner of 'curves'"), "{said}");
    let (done, list) = run(folder, &["user", "list", "--json"]);
    assert!(done, "{list}");
    let list: Value = serde_json::from_str(&list).unwrap();
    assert_eq!(
        list,
        json!([{
            "name": "ada@example.org", "admin": true, "disabled": false, "has_password": false,
            "studies": [{ "study": STUDY, "role": "owner", "identifying": false }],
        }])
    );
    let (done, roles) = run(folder, &["user", "roles"]);
    assert!(done && roles.contains("own sessions"), "{roles}");

    // A server that runs does the same, at once.
    let server = Program::start(folder, |_| {});
    let (done, said) = run(folder, &["user", "reset", "ada@example.org"]);
    assert!(done, "{said}");
    let second = key(&said);
    assert_ne!(first, second);
    let body = json!({ "key": second, "password": "correct horse battery" });
    let path = "/research/api/password-by-link";
    // Without the header Origin it may come from any page.
    let (status, _) = server.request("POST", path, None, Some(&body)).unwrap();
    assert_eq!(status, 403);
    let (done, said) = run(folder, &["user", "add", "bob"]);
    assert!(done, "{said}");
    drop(server);

    let (done, audit) = run(folder, &["user", "audit", "--json"]);
    assert!(done, "{audit}");
    let audit: Value = serde_json::from_str(&audit).unwrap();
    let acts: Vec<&str> = audit
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|it| it["act"].as_str().unwrap())
        .collect();
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
    let (done, said) = run(folder, &["study", "pause", STUDY]);
    assert!(done, "{said}");
    let (done, table) = run(folder, &["user", "audit", "--study", STUDY]);
    assert!(
        done && table.contains("(command)") && table.contains("cells_paused"),
        "{table}"
    );
}
