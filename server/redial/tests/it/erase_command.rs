//! `redial session erase`, without a server.

use std::path::Path;

use crate::people::{STUDY, run, run_study};

/// Sessions with their claim numbers, as `redial study participants` lists them.
fn listed(folder: &Path) -> Vec<(String, String)> {
    let (done, said) = run(folder, &["study", "participants", STUDY, "--json"]);
    assert!(done, "{said}");
    let list: Vec<serde_json::Value> = serde_json::from_str(&said).unwrap();
    let text = |line: &serde_json::Value, name: &str| line[name].as_str().unwrap().to_owned();
    list.iter()
        .map(|line| (text(line, "session"), text(line, "claim_number")))
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
    let (done, said) = run(folder, &export);
    assert!(done, "{said}");

    let broken = folder.join("studies/broken");
    std::fs::create_dir(&broken).unwrap();
    std::fs::write(broken.join("study.json"), "{").unwrap();
    let (done, said) = run(folder, &["session", "erase", &id]);
    assert!(done && said.contains("is erased"), "{said}");
    assert!(
        said.contains("These exports hold it") && said.contains("/exported before\n"),
        "{said}"
    );
    let (done, said) = run(folder, &["session", "erase", &id]);
    assert!(done && said.contains("was erased before"), "{said}");
    assert!(
        said.contains("/exported before\n"),
        "who asks again is told again: {said}"
    );
    let (done, said) = run(folder, &["session", "erase", "nobody"]);
    assert!(!done && said.contains("there is no such session"), "{said}");
    std::fs::remove_dir_all(&broken).unwrap();

    let out = folder.join("out");
    let (done, said) = run(folder, &["export", STUDY, "--out", out.to_str().unwrap()]);
    assert!(done, "{said}");
    assert_eq!(listed(folder).len(), 2, "who is erased may have to be paid");
    let other = before[1].0.clone();
    let (done, said) = run(folder, &["session", "erase", &other]);
    assert!(
        done && said.contains("/exported before\n") && said.contains("/out\n"),
        "{said}"
    );
    let (_, said) = run(folder, &["session", "erase", &id]);
    assert!(!said.contains("/out\n"), "made after it was erased: {said}");
    let list = std::fs::read_to_string(folder.join("test.db-erasures")).unwrap();
    assert!(list.contains(&id), "{list}");
}
