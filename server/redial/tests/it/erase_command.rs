//! `redial session erase`, without a server.

use std::path::Path;

use crate::command::run;
use crate::people::{STUDY, run_study};

/// Sessions with their claim numbers, as `redial study participants` lists them.
fn listed(folder: &Path) -> Vec<(String, String)> {
    let list = run(folder, &["study", "participants", STUDY, "--json"]).json();
    let text = |line: &serde_json::Value, name: &str| line[name].as_str().unwrap().to_owned();
    let list = list.as_array().unwrap().iter();
    list.map(|line| (text(line, "session"), text(line, "claim_number")))
        .collect()
}

#[test]
fn a_session_is_erased_even_beside_a_study_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run_study(folder, 2);
    let before = listed(folder);
    assert_eq!(before.len(), 2);
    let (id, claim) = before[0].clone();
    assert!(claim.starts_with("CLAIM-") && claim.len() == "CLAIM-0000-0000".len());
    assert!(id.to_uppercase().starts_with(&claim[6..10]));

    let before_it = folder.join("exported before");
    let export = ["export", STUDY, "--out", before_it.to_str().unwrap()];
    run(folder, &export).succeeds();

    let broken = folder.join("studies/broken");
    std::fs::create_dir(&broken).unwrap();
    std::fs::write(broken.join("study.json"), "{").unwrap();
    let erase = || run(folder, &["session", "erase", &id]);
    erase().says(&["is erased", "These exports hold it", "/exported before\n"]);
    // A command that asks again is told again.
    erase().says(&["was erased before", "/exported before\n"]);
    run(folder, &["session", "erase", "nobody"]).refuses(&["there is no such session"]);
    std::fs::remove_dir_all(&broken).unwrap();

    let out = folder.join("out");
    run(folder, &["export", STUDY, "--out", out.to_str().unwrap()]).succeeds();
    assert_eq!(listed(folder).len(), 2, "who is erased may have to be paid");
    let other = before[1].0.clone();
    run(folder, &["session", "erase", &other]).says(&["/exported before\n", "/out\n"]);
    let said = erase().succeeds();
    assert!(!said.contains("/out\n"), "made after it was erased: {said}");
    let list = std::fs::read_to_string(folder.join("test.db-erasures")).unwrap();
    assert!(list.contains(&id), "{list}");
}
