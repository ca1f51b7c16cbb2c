//! `redial platform …`, against a server that stands for both platforms.

use std::path::Path;
use std::process::Stdio;

use api::SessionStarted;
use serde_json::{Value, json};

use crate::command::{Said, outcome, redial, run};
use crate::people::{STUDY, study, take_part};
use crate::program::Program;
use crate::requester::{KEY, KEY_ID, Requester, TOKEN};

/// A study on both platforms, for so many people.
pub fn prepare(folder: &Path, cap: u32) {
    let mut study = study();
    study["recruitment"] = json!([
        { "platform": "prolific", "codes": { "COMPLETED": "C1A2", "NO_CONSENT": "C5D6" } },
        { "platform": "mturk" }, { "platform": "link" }
    ]);
    study["pay"] = json!({ "currency": "USD", "amount": "3.00" });
    study["time_limit"] = json!({ "minutes": 45 });
    study["summary"] = json!("Turn dials.");
    study["design"] = json!({ "assignment": { "cap": cap } });
    let at = folder.join("studies").join(STUDY);
    std::fs::create_dir_all(&at).unwrap();
    std::fs::write(at.join("study.json"), study.to_string()).unwrap();
    std::fs::write(at.join("consent.md"), "# Consent\n").unwrap();
}

fn served(folder: &Path, pilot: bool, with: impl FnOnce(&Program)) {
    let mut server = Program::start(folder, |command| {
        command
            .arg("--studies")
            .arg(folder.join("studies"))
            .args(pilot.then_some("--pilot"))
            .stderr(Stdio::null());
    });
    with(&server);
    server.terminate();
    assert!(server.ended().is_some());
}

/// Somebody begins who comes by a link.
pub fn start(server: &Program, attempt: &str, link: Value) -> SessionStarted {
    let body = json!({ "attempt": format!("{attempt:0>16}"), "link": link });
    server.start_session(STUDY, &body)
}

/// Settings of the person who runs the tests, which are not the tests' own.
const NOT_OURS: &str = "HTTP_PROXY http_proxy HTTPS_PROXY https_proxy ALL_PROXY all_proxy \
                        PROLIFIC_API_TOKEN AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY";

fn platform(folder: &Path, origin: &str, args: &[&str], keys: bool) -> Said {
    let asked = [
        &["platform"],
        args,
        &["--stand-in", origin, "--log", "trace"],
    ]
    .concat();
    let mut command = redial(folder, &asked);
    for name in NOT_OURS.split_whitespace() {
        command.env_remove(name);
    }
    if keys {
        command
            .env("PROLIFIC_API_TOKEN", TOKEN)
            .env("AWS_ACCESS_KEY_ID", KEY_ID)
            .env("AWS_SECRET_ACCESS_KEY", KEY);
    }
    let said = outcome(command.stdin(Stdio::null()));
    for secret in [TOKEN, KEY] {
        assert!(!said.text().contains(secret), "a secret is printed");
    }
    said
}

#[test]
fn studies_are_made_and_work_is_approved_and_paid_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder, 30);
    let there = Requester::start();
    let ask = |args: &[&str]| platform(folder, &there.origin, args, true);
    served(folder, true, |server| take_part(server, 0));
    served(folder, false, |server| {
        let prolific = json!({ "PROLIFIC_PID": "5f", "STUDY_ID": "60", "SESSION_ID": "61" });
        start(server, "1", prolific);
        let mturk = json!({ "assignmentId": "A1", "hitId": "H1", "workerId": "W1",
            "turkSubmitTo": "https://www.mturk.com" });
        start(server, "2", mturk);
    });

    // Without credentials, and without a word that it may: nothing is asked.
    let create = |of| [of, "create", STUDY, "--server", "https://study.example.org"];
    platform(folder, &there.origin, &create("prolific"), false)
        .refuses(&["there is no PROLIFIC_API_TOKEN"]);
    let said = ask(&create("prolific")).refuses(&["say --yes"]);
    // The consent form says 10 minutes: 3.00 for 10 minutes are 18 an hour.
    assert!(
        said.contains("30 people, 3.00 USD each, 10 minutes"),
        "{said}"
    );
    assert!(said.contains("18.00 USD an hour"), "{said}");
    assert!(
        said.contains("By the pilot it takes") && said.contains("median of 1"),
        "{said}"
    );
    assert!(there.asked().is_empty());

    let yes = |of| [&create(of)[..], &["--yes"]].concat();
    ask(&yes("prolific")).says(&["60aca280709ee40ec37d4885"]);
    let body = there.asked()[0].json();
    assert_eq!(body["reward"], 300, "in cents");
    assert_eq!(body["total_available_places"], 30);
    assert_eq!(body["estimated_completion_time"], 10);
    assert_eq!(body["maximum_allowed_time"], 45);
    assert_eq!(
        body["external_study_url"],
        "https://study.example.org/study/curves?PROLIFIC_PID={{%PROLIFIC_PID%}}\
         &STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    );
    assert_eq!(body["completion_codes"][0]["code_type"], "COMPLETED");
    assert_eq!(body["completion_codes"][0]["code"], "C1A2");

    ask(&yes("mturk")).says(&["H1"]);
    let asked = there.asked().remove(0);
    assert_eq!(
        asked.header("x-amz-target"),
        "MTurkRequesterServiceV20170117.CreateHIT"
    );
    let body = asked.json();
    assert_eq!(body["Reward"], "3.00");
    assert_eq!(body["MaxAssignments"], 30);
    assert_eq!(body["AssignmentDurationInSeconds"], 2_700);
    let question = body["Question"].as_str().unwrap();
    assert!(question.contains("<ExternalURL>https://study.example.org/study/curves</ExternalURL>"));

    ask(&["prolific", "submissions", STUDY, "--id", "60"]).says(&["TIMED-OUT", "never started"]);
    ask(&["mturk", "submissions", STUDY, "--id", "H1"]).says(&["W1", "unfinished"]);
    there.asked();

    for (of, who, calls) in [("prolific", "61", 1), ("mturk", "A1", 2)] {
        let approve = [of, "approve", STUDY, who, "--yes"];
        ask(&approve).succeeds();
        assert_eq!(there.asked().len(), calls);
        ask(&approve).says(&["Nothing to do"]);
        let bonus = [
            of,
            "bonus",
            STUDY,
            who,
            "0.50",
            "--because",
            "a report",
            "--yes",
        ];
        ask(&bonus).succeeds();
        let asked = there.asked();
        let body = asked[0].json();
        if of == "prolific" {
            assert_eq!(body, json!({ "study_id": "60", "csv_bonuses": "61,0.50" }));
            assert_eq!(asked[1].path, "/api/v1/bulk-bonus-payments/b1/pay/");
        } else {
            assert_eq!(body["BonusAmount"], "0.50");
            assert_eq!(
                (&body["WorkerId"], &body["AssignmentId"]),
                (&json!("W1"), &json!("A1"))
            );
        }
        ask(&bonus).says(&["Nothing to do"]);
        assert!(there.asked().is_empty(), "a bonus is paid once");
    }
    let list = run(folder, &["pay", "list", STUDY, "--json"]).json();
    let paid = |name: &str| {
        let mut of = list.as_array().unwrap().iter();
        of.find(|line| line["submission"] == name).unwrap()["paid"].clone()
    };
    assert_eq!((paid("61"), paid("A1")), (json!("3.50"), json!("3.50")));

    // A rejection says why, at length.
    ask(&[
        "prolific",
        "reject",
        STUDY,
        "61",
        "--because",
        "bad",
        "--yes",
    ])
    .refuses(&["at least 100"]);
    assert!(there.asked().is_empty());
    let reject = [
        "mturk",
        "reject",
        STUDY,
        "A1",
        "--because",
        "Nothing was answered.",
        "--yes",
    ];
    ask(&reject).succeeds();
    assert_eq!(
        there.asked()[0].json()["RequesterFeedback"],
        "Nothing was answered."
    );

    // The platform's answer is told; nothing is noted.
    let wrong = Requester::start();
    let args = ["prolific", "submissions", STUDY, "--id", "none"];
    platform(folder, &wrong.origin, &args, true).refuses(&["404", "does not exist"]);
}

#[test]
fn a_platforms_list_is_put_beside_the_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder, 30);
    let mut session = String::new();
    served(folder, false, |server| {
        let link = |name: &str| json!({ "PROLIFIC_PID": format!("p{name}"), "STUDY_ID": "60", "SESSION_ID": format!("s{name}") });
        session = start(server, "1", link("1")).plan.session.0;
        start(server, "2", link("2"));
    });
    let list = folder.join("list.csv");
    // As a program for tables has saved it.
    let text = "\u{feff}Submission id;Participant id;Status;Completion code\r\n\
                s1;p1;AWAITING REVIEW;NOCODE\r\ns9;p9;AWAITING REVIEW;C1A2\r\ns9;p9;AWAITING REVIEW;C1A2\r\n";
    std::fs::write(&list, text).unwrap();
    let list = list.to_str().unwrap();
    let matched = |more: &[&str]| {
        let args = [&["platform", "match", STUDY, list], more].concat();
        run(folder, &args)
    };
    let said = matched(&[]).says(&[
        "Prolific: 2 submissions in the list, 2 sessions here",
        "1 rows say again",
        "look at the session",
        "ask for the code",
    ]);
    assert!(said.contains(&session) && !said.contains("p2"), "{said}");
    matched(&["--all"]).says(&["p2", "it is not in the list"]);
    let found = matched(&["--json"]).json();
    let lines = found["lines"].as_array().unwrap();
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line["kind"].as_str().unwrap(),
                line["to_do"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("differs", "look"),
            ("only_there", "ask_for_code"),
            ("only_here", "nothing")
        ]
    );
    assert_eq!(lines[0]["session"], session);
    let csv = matched(&["--csv"]).succeeds();
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 4, "{csv}");
    assert!(
        rows[0].starts_with("row,participant,submission,there,session,here"),
        "{csv}"
    );

    std::fs::write(list, "a,b\n1,2\n").unwrap();
    matched(&[]).refuses(&["list.csv", "a, b", "Submission id", "AssignmentId"]);
    run(folder, &["platform", "match", STUDY, "none.csv"]).refuses(&["cannot read none.csv"]);
}
