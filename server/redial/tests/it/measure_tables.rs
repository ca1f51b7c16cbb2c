//! `redial measure …` from kept codes, and its tables of several measures, as people run them.

use std::process::{Command, Output};

use serde_json::Value;

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redial"));
    command.arg("measure").args(arguments);
    for name in ["REDIAL_MODELS", "REDIAL_DATABASE", "REDIAL_SIMULATED"] {
        command.env_remove(name);
    }
    command.output().unwrap()
}

fn text(arguments: &[&str]) -> String {
    let output = run(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&text(arguments)).unwrap()
}

#[test]
fn a_model_with_kept_codes_needs_no_arrays() {
    let found = json(&["mig", "--model", "dsprites-gt5", "--format", "json"]);
    let value = found[0]["values"][0]["value"].as_f64().unwrap();
    let card = include_str!("../../../../models/zoo/dsprites-gt5/card.json");
    let card: Value = serde_json::from_str(card).unwrap();
    let on_card = card["disentanglement"]["mig"].as_f64().unwrap();
    assert!((value - on_card).abs() <= 0.001, "{value} {on_card}");
    for (model, complaint) in [
        ("nobody", "there is no model 'nobody'"),
        ("mnist-ig5", "no codes are kept beside mnist-ig5"),
    ] {
        let output = run(&["mig", "--model", model]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && said.contains(complaint),
            "{said}"
        );
    }
}

#[test]
fn the_sanity_check_stands_beside_the_paper() {
    let arguments = ["sanity", "--rows", "200", "--repetitions", "2"];
    let found = json(&[&arguments[..], &["--json"]].concat());
    let holds = |place: usize| found["verdicts"][place]["holds"].as_bool().unwrap();
    // SURF is perfect, and worse at both steps; ICE is blind to the first and sees the second.
    assert!((0..5).all(holds), "{found}");
    let shown = text(&arguments);
    assert!(
        shown.contains("2.70") && shown.contains("holds: ICE does not notice"),
        "{shown}"
    );
}

#[test]
fn niches_are_curves_over_beta() {
    let arguments = ["niches", "dsprites-gt5", "--rows", "300"];
    let csv = text(&[&arguments[..], &["--csv"]].concat());
    assert_eq!(csv.lines().count(), 1 + 21, "{csv}");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("niches");
    text(&[&arguments[..], &["--out", out.to_str().unwrap()]].concat());
    let name = "niches-over-beta-dsprites-rendered";
    for file in [format!("figures/{name}.svg"), format!("tables/{name}.md")] {
        assert!(out.join(&file).is_file(), "{file}");
    }
    let output = run(&["niches", "sinelines-gt5"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("no codes with classes"), "{said}");
}

#[test]
fn models_are_compared_with_kept_simulated_people_where_there_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}/none.db", folder.path().display());
    let found = json(&[
        "compare",
        "--rows",
        "300",
        "--json",
        "--database",
        &database,
    ]);
    let compared = &found["compared"];
    assert_eq!(compared["simulated"], true);
    let models = compared["models"].as_array().unwrap();
    let names: Vec<&str> = models.iter().filter_map(|m| m["name"].as_str()).collect();
    assert!(
        names.contains(&"mnist-ig5") && !names.contains(&"circles"),
        "{names:?}"
    );
    let tried = models.iter().filter(|model| {
        let people = model["people"][0]["values"].as_array();
        people.is_some_and(|people| people.len() > 1)
    });
    // Those that are kept; a newer model has none.
    assert!(tried.count() >= 14, "{models:?}");
    let data_sets = found["correlations"].as_array().unwrap();
    assert_eq!(data_sets.len(), 3);
}
