//! `redial models …` as people run it.

use std::process::{Command, Stdio};

fn redial() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redial"));
    command.arg("models").env_remove("REDIAL_MODELS");
    command
}

#[test]
fn the_list_is_csv_and_json_of_the_same_models() {
    let csv = redial().args(["list", "--csv"]).output().unwrap();
    assert!(csv.status.success());
    let mut reader = csv::Reader::from_reader(&csv.stdout[..]);
    let name = reader
        .headers()
        .unwrap()
        .iter()
        .position(|h| h == "name")
        .unwrap();
    let names: Vec<String> = reader
        .records()
        .map(|row| row.unwrap()[name].to_owned())
        .collect();
    let json = redial().args(["list", "--json"]).output().unwrap();
    let json: Vec<serde_json::Value> = serde_json::from_slice(&json.stdout).unwrap();
    let other: Vec<&str> = json.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, other);
    assert!(names.iter().any(|name| name == "sinelines-ae5"));
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    for arguments in [
        &["list"][..],
        &["list", "--json"],
        &["verify", "sinelines-gt5"],
    ] {
        let mut child = redial()
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Nobody reads a word.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{arguments:?}: {complaint}");
        assert_eq!(complaint, "");
    }
}

#[test]
fn a_sheet_is_written_as_svg_or_png() {
    let folder = tempfile::tempdir().unwrap();
    for (file, start) in [("a.svg", &b"<svg "[..]), ("a.png", b"\x89PNG\r\n")] {
        let out = folder.path().join(file);
        let shown = redial()
            .args(["show", "sinelines-gt5", "--out"])
            .arg(&out)
            .output()
            .unwrap();
        assert!(shown.status.success());
        assert!(std::fs::read(&out).unwrap().starts_with(start), "{file}");
    }
    let other = redial()
        .args(["show", "sinelines-gt5", "--out", "a.gif"])
        .output()
        .unwrap();
    assert!(!other.status.success());
    let unknown = redial()
        .args(["show", "nobody", "--out", "a.svg"])
        .output()
        .unwrap();
    let complaint = String::from_utf8(unknown.stderr).unwrap();
    assert!(complaint.contains("there is no model 'nobody'") && complaint.contains("circles"));
}

#[test]
fn a_model_says_how_solvable_it_is() {
    let shown = redial()
        .args(["show", "sinelines-gt5", "--solvable", "--questions", "5"])
        .output()
        .unwrap();
    let said = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.status.success(), "{said}");
    // Its own threshold, each strategy and time.
    for wanted in ["sinelines-gt5", "Knows", "120", "a pilot says"] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn verify_names_the_broken_bundle_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let shipped =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/zoo/sinelines-ae5");
    let mine = folder.path().join("sinelines-ae5");
    std::fs::create_dir(&mine).unwrap();
    for file in std::fs::read_dir(shipped).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), mine.join(file.file_name())).unwrap();
    }
    let weights = mine.join("weights.safetensors");
    let mut bytes = std::fs::read(&weights).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&weights, bytes).unwrap();

    let verified = redial()
        .args(["verify", "sinelines-ae5", "sinelines-gt5", "circles"])
        .arg("--models")
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(verified.status.code(), Some(1));
    let lines = String::from_utf8(verified.stdout).unwrap();
    let bad: Vec<&str> = lines
        .lines()
        .filter(|line| line.contains("  BAD  "))
        .collect();
    assert!(
        matches!(bad[..], [line] if line.starts_with("sinelines-ae5") && line.contains("SHA-256")),
        "{lines}"
    );
    // The shipped one of the same name is good, and so are the rest.
    assert!(
        lines
            .lines()
            .filter(|line| line.contains("  good  "))
            .count()
            == 3,
        "{lines}"
    );
    let complaint = String::from_utf8(verified.stderr).unwrap();
    assert!(complaint.contains("sinelines-ae5"), "{complaint}");
    let unknown = redial().args(["verify", "nobody"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(1));
    let complaint = String::from_utf8(unknown.stderr).unwrap();
    assert!(complaint.contains("no model 'nobody'"), "{complaint}");
}
