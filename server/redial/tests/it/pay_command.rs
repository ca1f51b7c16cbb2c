//! `redial pay`: with and without a server.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::command::run;
use crate::people::{STUDY, run_study, study};
use crate::program::Program;

fn list(folder: &Path) -> Vec<Value> {
    let list = run(folder, &["pay", "list", STUDY, "--json"]).json();
    serde_json::from_value(list).unwrap()
}

fn declare_pay(folder: &Path) {
    let mut study = study();
    study["pay"] = json!({ "currency": "GBP", "amount": "3.75", "withdrawn": "1.00" });
    std::fs::write(
        folder.join("studies").join(STUDY).join("study.json"),
        study.to_string(),
    )
    .unwrap();
}

#[test]
fn what_is_owed_is_decided_and_paid_once_however_often_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run_study(folder, 4);

    // No pay is declared yet: nothing is owed, and a decision needs a currency.
    let before = list(folder);
    assert_eq!(before.len(), 4);
    assert!(
        before.iter().all(|line| line["due"].is_null()),
        "{before:?}"
    );
    let claim = |line: &Value| line["claim_number"].as_str().unwrap().to_owned();
    let left = claim(&before[3]);
    let owe = [
        "pay",
        "part",
        STUDY,
        &left,
        "1.50",
        "--because",
        "timed out",
    ];
    run(folder, &owe).refuses(&["--currency"]);

    declare_pay(folder);
    let mut server = Program::start(folder, |command| {
        command
            .arg("--studies")
            .arg(folder.join("studies"))
            .stderr(Stdio::null());
    });
    // The server carries these out.
    run(folder, &owe).says(&["1 entries added", "due 1.50 GBP"]);
    run(folder, &owe).says(&["Nothing changed"]);
    let mut more = owe;
    more[4] = "2.50";
    run(folder, &more).refuses(&["of 1.50 GBP, not 2.50"]);
    server.terminate();
    assert!(server.ended().is_some());

    // And these are carried out without one.
    let first = claim(&before[0]);
    let bonus = [
        "pay",
        "bonus",
        STUDY,
        &first,
        "0.25",
        "--because",
        "a good report",
    ];
    run(folder, &bonus).succeeds();
    let second = claim(&before[1]);
    run(
        folder,
        &["pay", "refuse", STUDY, &second, "--because", "a copy"],
    )
    .says(&["due 0.00"]);
    let session = before[2]["session"].as_str().unwrap();
    run(folder, &["session", "erase", session]).succeeds();

    let due = |lines: &[Value], name: &str| -> Vec<(String, String)> {
        let of = |line: &Value| (claim(line), line[name].as_str().unwrap_or("").to_owned());
        let mut due: Vec<_> = lines.iter().map(of).collect();
        due.sort();
        due
    };
    let lines = list(folder);
    let mut expected = vec![
        (first, "4.00".to_owned()),
        (second, "0.00".to_owned()),
        (claim(&before[2]), "3.75".to_owned()),
        (left, "1.50".to_owned()),
    ];
    expected.sort();
    assert_eq!(due(&lines, "due"), expected);

    let pay_all = ["pay", "paid", STUDY, "--all", "--reference", "transfer 1"];
    run(folder, &pay_all).says(&["3 entries added"]);
    run(folder, &pay_all).says(&["Nothing is due"]);
    let lines = list(folder);
    assert_eq!(due(&lines, "paid"), expected);
    assert!(lines.iter().all(|line| line["due"] == "0.00"), "{lines:?}");
    // Said with the amount, it is the same payment.
    let again = [
        "pay",
        "paid",
        STUDY,
        &expected[0].0,
        "--amount",
        &expected[0].1,
    ];
    let again = [&again[..], &["--reference", "transfer 1"]].concat();
    if expected[0].1 != "0.00" {
        run(folder, &again).says(&["Nothing changed"]);
    }

    let said = run(folder, &["pay", "list", STUDY, "--csv"]).succeeds();
    let mut csv = csv::Reader::from_reader(said.as_bytes());
    let columns = csv.headers().unwrap().clone();
    assert!(
        columns.iter().any(|name| name == "claim_number"),
        "{columns:?}"
    );
    assert_eq!(csv.records().count(), 4);
    run(
        folder,
        &["pay", "refuse", STUDY, "nobody", "--because", "x"],
    )
    .refuses(&["nobody in this study is 'nobody'"]);
}
