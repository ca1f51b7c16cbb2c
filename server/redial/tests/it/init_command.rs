//! From an empty folder to a report, as README says it.

use std::path::Path;
use std::process::Command;

use crate::command::{Said, outcome};

/// The program in a folder, with the settings that it finds there.
fn redial(folder: &Path, line: &str) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redial"));
    command.args(line.split(' ')).current_dir(folder);
    for setting in ["REDIAL_CONFIG", "REDIAL_DATABASE", "REDIAL_STUDIES"] {
        command.env_remove(setting);
    }
    outcome(command.env("REDIAL_LOG", "error"))
}

#[test]
fn a_new_folder_leads_to_a_report() {
    let folder = tempfile::tempdir().unwrap();
    redial(folder.path(), "init my-lab").says(&["Made my-lab", "studies/curves/study.json"]);
    let lab = folder.path().join("my-lab");
    redial(folder.path(), "init my-lab").refuses(&["my-lab is not empty; name a new folder"]);
    redial(folder.path(), "init other --study Curves").refuses(&["'Curves' is not"]);
    assert!(!folder.path().join("other").exists());

    redial(&lab, "study check --strict studies").says(&["good. 2 stages, 10 questions"]);
    redial(&lab, "simulate curves --participants 4 --seed 1").succeeds();
    assert!(lab.join("data/redial.db").is_file(), "by redial.toml");
    redial(&lab, "analyze curves --simulated").says(&["Completion rate"]);
    redial(&lab, "report curves --simulated --out report.html").succeeds();
    assert!(lab.join("report.html").is_file());
    redial(&lab, "export curves --simulated --out out").succeeds();

    // A file is a database, too.
    redial(&lab, "simulate curves --participants 1 --database other.db").succeeds();
    assert!(lab.join("other.db").is_file());
}

/// The study in README is the one that `redial init` makes.
#[test]
fn readme_shows_the_study() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("../../README.md")).unwrap();
    let study = std::fs::read_to_string(root.join("src/commands/init/study.json")).unwrap();
    let shown: String = study.lines().map(|line| format!("   {line}\n")).collect();
    assert!(readme.contains(&shown), "README lacks\n{shown}");
}

#[test]
fn shells_and_man_learn_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        redial(folder.path(), &format!("completions {shell}")).says(&["simulate"]);
    }
    redial(folder.path(), "manual pages").succeeds();
    let page = std::fs::read_to_string(folder.path().join("pages/redial-study-check.1")).unwrap();
    assert!(page.contains("strict"), "{page}");
}
