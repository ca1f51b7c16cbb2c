//! What the description of the interface shows of curl, Python and R, run against a server.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::command::run;
use crate::people::{STUDY, run_study};
use crate::program::Program;

/// Where the samples think that the server is.
const SHOWN: &str = "https://study.example.org";

/// Runs a sample; gives what it printed.
fn printed(program: &str, folder: &Path, token: &str, source: &str) -> String {
    let file = folder.join("sample");
    std::fs::write(&file, source).unwrap();
    let mut command = Command::new(program);
    command.arg(&file).current_dir(folder);
    let output = command.env("TOKEN", token).env("study", STUDY).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{source}\n{said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Needs curl, Python with requests (`PYTHON` names it) and R with httr2 (Debian: curl, python3-requests, r-cran-httr2,
/// r-cran-jsonlite).
#[test]
#[ignore = "needs curl, Python with requests, and R with httr2"]
fn samples_of_the_description_ask_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run_study(folder, 2);
    run(folder, &["user", "add", "ada"]).succeeds();
    run(
        folder,
        &["user", "role", "ada", "--study", STUDY, "--as", "owner"],
    )
    .succeeds();
    let token = [
        "user",
        "token",
        "make",
        "ada",
        "--label",
        "samples",
        "--study",
        STUDY,
        "--scope",
        "read,export,manage",
    ];
    let token = run(folder, &token)
        .succeeds()
        .lines()
        .next()
        .unwrap()
        .to_owned();
    let server = Program::start(folder, |_| {});
    let (_, description) = server
        .request("GET", "/api/openapi.json", None, None)
        .unwrap();
    let here = format!("http://{}", server.address());
    let sample = |path: &str, method: &str, lang: &str| {
        let samples = description["paths"][path][method]["x-codeSamples"]
            .as_array()
            .unwrap();
        let sample = samples.iter().find(|it| it["lang"] == lang).unwrap();
        sample["source"].as_str().unwrap().replace(SHOWN, &here)
    };
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    // The list of studies, and an export that is begun.
    std::fs::write(folder.join("body.json"), r#"{"standings": ["counted"]}"#).unwrap();
    let exports = "/research/api/studies/{study}/exports";
    for (path, method, field) in [
        ("/research/api/studies", "get", "studies"),
        (exports, "post", "asked_at_unix_ms"),
    ] {
        let curl = printed("bash", folder, &token, &sample(path, method, "Shell"));
        let answer: Value = serde_json::from_str(&curl).unwrap();
        assert!(!answer[field].is_null(), "{curl}");
        let study = format!("study = \"{STUDY}\"\n");
        let source = format!("{study}{}", sample(path, method, "Python"));
        let said = printed(&python, folder, &token, &source);
        assert!(said.contains(field), "{said}");
        let source = format!("{study}str({{ {} }})", sample(path, method, "R"));
        let said = printed("Rscript", folder, &token, &source);
        assert!(said.contains(field), "{said}");
    }
}
