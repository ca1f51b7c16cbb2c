//! `redial study …`: the shipped studies, simulated assignment, quotas of a study that runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::program::Program;

fn studies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies")
}

/// A command's output, if all goes well; else its error message.
pub fn run(args: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_redial"))
        .args(args)
        .output()
        .unwrap();
    if output.status.success() {
        Ok(String::from_utf8(output.stdout).unwrap())
    } else {
        Err(String::from_utf8(output.stderr).unwrap())
    }
}

#[test]
fn studies_are_published_for_servers_that_share_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("a.db").display());
    let studies = studies().display().to_string();
    for command in [["publish", &studies], ["withdraw", "studies/quickstart"]] {
        let args = [&["study"], &command[..], &["--database", &database]].concat();
        let said = run(&args).unwrap_err();
        assert!(said.contains("start it with --studies FOLDER"), "{said}");
    }
    assert!(!folder.path().join("a.db").exists());
}

#[test]
fn the_shipped_designs_are_good_and_their_quotas_fill() {
    for (study, cells, cap) in [
        ("chi21-pilot", 1, 3),
        ("chi21-synthetic", 6, 15),
        ("chi21-mnist-lab", 2, 5),
        ("chi21-mnist", 7, 15),
        ("chi22-ganslider-like", 1, 36),
    ] {
        let file = studies().join(study).join("study.json");
        let file = file.to_str().unwrap();
        let said = run(&["study", "check", file]).unwrap();
        assert!(said.contains("good"), "{said}");
        let simulate = |seed: &str| {
            let args = ["study", "simulate-assignment", file, "--arrivals", "300"];
            let printed =
                run(&[&args[..], &["--dropout", "0.3", "--seed", seed, "--json"]].concat());
            serde_json::from_str::<Value>(&printed.unwrap()).unwrap()
        };
        let balance = simulate("5");
        let found = balance["cells"].as_array().unwrap();
        assert_eq!(found.len(), cells, "{study}");
        for cell in found {
            assert_eq!(
                (&cell["completed"], &cell["cap"]),
                (&json!(cap), &json!(cap)),
                "{study}"
            );
        }
        assert_eq!(balance, simulate("5"));
        if cells > 2 {
            assert_ne!(balance, simulate("6"));
        }
    }
    let said = run(&["study", "simulate-assignment", "chi21-mnits"]).unwrap_err();
    assert!(said.contains("there is no study 'chi21-mnits'"), "{said}");
    let said = run(&[
        "study",
        "simulate-assignment",
        "quickstart",
        "--dropout",
        "1.5",
    ]);
    assert!(said.unwrap_err().contains("from 0 to 1"));
}

#[test]
fn cells_are_paused_and_resumed_while_the_study_runs() {
    let folder = tempfile::tempdir().unwrap();
    let study = json!({
        "format": 2, "id": "arms", "title": "Arms", "seed": 1,
        "design": {
            "factors": [{"name": "arm", "levels": ["a", "b"]}],
            "assignment": {"cap": 1}},
        "parts": [{"kind": "stage", "id": "{arm}", "task": {
            "kind": "reconstruction", "model": "sinelines-gt5", "questions": 1}}]
    });
    let studies = folder.path().join("studies");
    std::fs::create_dir(&studies).unwrap();
    std::fs::write(studies.join("arms.json"), study.to_string()).unwrap();
    let database = format!("sqlite://{}/test.db", folder.path().display());
    let studies = studies.to_str().unwrap();
    let on_database =
        |args: &[&str]| run(&[args, &["--database", &database, "--studies", studies]].concat());
    let said = on_database(&["study", "pause", "arms", "a"]).unwrap_err();
    assert!(said.contains("there is no database"), "{said}");

    let server = Program::start(folder.path(), |command| {
        command.args(["--studies", studies]);
    });
    let start = |server: &Program, number: usize| server.ask_for("arms", number).unwrap();
    let said = on_database(&["study", "pause", "arms", "c"]).unwrap_err();
    assert!(said.contains("there are: a, b"), "{said}");
    on_database(&["study", "pause", "arms", "a"]).unwrap();
    let (status, started) = start(&server, 1);
    assert_eq!(
        (status, &started["plan"]["cell"]["arm"]),
        (200, &json!("b"))
    );
    let (status, refused) = start(&server, 2);
    assert_eq!(
        (status, &refused["error"]["code"]),
        (409, &json!("study_full"))
    );
    let cells = |expected: [Value; 2]| {
        let printed = on_database(&["study", "cells", "arms", "--json"]).unwrap();
        let report: Value = serde_json::from_str(&printed).unwrap();
        let found = report["cells"].as_array().unwrap().iter();
        let found: Vec<Value> = found
            .map(|cell| {
                json!([
                    cell["cell"],
                    cell["under_way"],
                    cell["open"],
                    cell["paused"]
                ])
            })
            .collect();
        assert_eq!(found, expected);
    };
    cells([json!(["a", 0, 1, true]), json!(["b", 1, 0, false])]);
    on_database(&["study", "resume", "arms"]).unwrap();
    let (status, started) = start(&server, 2);
    assert_eq!(
        (status, &started["plan"]["cell"]["arm"]),
        (200, &json!("a"))
    );
    cells([json!(["a", 1, 0, false]), json!(["b", 1, 0, false])]);
    assert_eq!(start(&server, 3).0, 409);
    drop(server);

    let pilots = Program::start(folder.path(), |command| {
        command.args(["--pilot", "--studies", studies]);
    });
    assert_eq!(start(&pilots, 3).0, 200, "a pilot takes no slot");
    let printed = on_database(&["study", "cells", "arms"]).unwrap();
    assert!(
        printed.contains("1 sessions of kind 'pilot' do not count"),
        "{printed}"
    );
    let printed = on_database(&["study", "participants", "arms", "--json"]).unwrap();
    let listed: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 2, "nobody pays a pilot");
}

/// One broken draft in the folder of studies stops only itself, and is named.
#[test]
fn a_broken_draft_stops_no_other_study() {
    let folder = tempfile::tempdir().unwrap();
    let studies = folder.path().join("studies");
    std::fs::create_dir(&studies).unwrap();
    let good = json!({ "format": 2, "id": "good", "title": "Good", "parts": [{
        "kind": "stage", "id": "play",
        "task": { "kind": "exploration", "model": "sinelines-gt5" } }] });
    std::fs::write(studies.join("good.json"), good.to_string()).unwrap();
    std::fs::write(studies.join("draft.json"), "{ \"format\": 2, ").unwrap();
    std::fs::write(studies.join("package.json"), "{ \"name\": \"notes\" }").unwrap();
    let database = format!("sqlite://{}/people.db", folder.path().display());
    let studies = studies.to_str().unwrap();
    let around = ["--studies", studies, "--database", &database];

    let simulated = run(&[&["simulate", "good", "--participants", "1"][..], &around].concat());
    assert!(
        simulated.unwrap().contains("1 simulated people"),
        "simulate"
    );
    run(&[&["study", "cells", "good"][..], &around].concat()).unwrap();
    let said = run(&[&["study", "power", "draft"][..], &around].concat()).unwrap_err();
    assert!(
        said.contains("'draft' cannot be used") && said.contains("draft.json: line 1"),
        "{said}"
    );

    let said = folder.path().join("said.txt");
    let server = Program::start(folder.path(), |command| {
        let file = std::fs::File::create(&said).unwrap();
        command.args(["--studies", studies]).stderr(file);
    });
    let asked = |path: &str| server.request("GET", path, None, None).unwrap().0;
    assert_eq!(asked("/api/studies/good"), 200);
    assert_eq!(asked("/api/studies/quickstart"), 200);
    assert_eq!(asked("/api/studies/draft"), 503);
    assert_eq!(asked("/api/studies/drafts"), 404);
    let said = std::fs::read_to_string(&said).unwrap();
    assert!(said.contains("draft.json: line 1"), "{said}");
    assert!(said.contains("package.json:1: id: found nothing"), "{said}");
}

/// A broken model in the folder of models stops only itself, and no shipped one takes its place.
#[cfg(unix)]
#[test]
fn a_broken_model_stops_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    for name in ["broken", "circles", "piped"] {
        std::fs::create_dir_all(models.join(name)).unwrap();
        std::fs::write(models.join(name).join("card.json"), "{").unwrap();
    }
    let zoo =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/zoo/sinelines-gt5/card.json");
    std::fs::copy(zoo, models.join("piped/card.json")).unwrap();
    let pipe = models.join("piped/held_out.safetensors");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );

    let check = |model: &str| {
        let study = json!({ "format": 2, "id": "s", "title": "S", "parts": [{
            "kind": "stage", "id": "a", "task": { "kind": "exploration", "model": model } }] });
        let file = folder.path().join("s.json");
        std::fs::write(&file, study.to_string()).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_redial"))
            .args(["study", "check", file.to_str().unwrap(), "--models"])
            .arg(&models)
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(said).unwrap())
    };
    let (good, said) = check("sinelines-gt5");
    assert!(good, "{said}");
    assert!(said.contains("model broken: card.json"), "{said}");
    assert!(
        said.contains("held_out.safetensors: it is no ordinary file"),
        "{said}"
    );
    let (good, said) = check("circles");
    assert!(!good && said.contains("there is no such model"), "{said}");
}
