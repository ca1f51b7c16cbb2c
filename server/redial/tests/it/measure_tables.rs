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
fn concepts_cover_shapes_in_both_readings() {
    let found = json(&["shapes", "--json"]);
    let points = found["points"].as_array().unwrap();
    assert_eq!(points.len(), 3 * 3 * 2);
    for point in points {
        assert_eq!(point["coverage"].as_array().unwrap().len(), 5);
        let place = |name: &str, all: &[&str]| all.iter().position(|it| point[name] == **it);
        let method = place("method", &["botcl", "k_means", "pca"]).unwrap();
        let k = point["concepts"].as_u64().unwrap();
        // The share of the pictures that are kept is near that of all held-out ones.
        let of_all = &found["about"]["accuracy"][(k / 5 - 1) as usize][method];
        let difference = point["accuracy"].as_f64().unwrap() - of_all.as_f64().unwrap();
        assert!(difference.abs() < 0.02, "{point} {of_all}");
    }
    assert_eq!(found["verdicts"].as_array().unwrap().len(), 18);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("shapes");
    text(&["shapes", "--out", out.to_str().unwrap()]);
    for file in [
        "figures/coverage-of-shapes-printed.svg",
        "figures/concepts-of-shapes-released.png",
        "tables/concepts-of-shapes.md",
        "numbers.json",
    ] {
        assert!(out.join(file).is_file(), "{file}");
    }
    let csv = text(&["shapes", "--concepts", "5", "--csv"]);
    assert_eq!(csv.lines().count(), 1 + 3 * 2 * 5, "{csv}");
}

#[test]
fn arrays_of_shapes_that_do_not_agree_are_named() {
    let zoo =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/zoo/shapes-concepts");
    let folder = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(zoo).unwrap() {
        let path = file.unwrap().path();
        std::fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    let arguments = ["shapes", "--arrays", folder.path().to_str().unwrap()];
    let refused = |more: &[&str]| {
        let output = run(&[&arguments[..], more].concat());
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(run(&arguments).status.success());
    let said = refused(&["--concepts", "7"]);
    assert!(
        said.contains("nothing is kept for 7 concepts; there are: 5, 10, 15"),
        "{said}"
    );
    let file = |name: &str| folder.path().join(name);
    std::fs::copy(file("clusters10.npy"), file("clusters5.npy")).unwrap();
    let said = refused(&[]);
    assert!(said.contains("clusters5.npy has shape [10, 32]"), "{said}");
    let about = std::fs::read_to_string(file("about.json")).unwrap();
    let about = about.replace("\"first\": 18000", "\"first\": 19990");
    std::fs::write(file("about.json"), about).unwrap();
    let said = refused(&[]);
    assert!(said.contains("there are 20000 pictures"), "{said}");
    std::fs::remove_file(file("about.json")).unwrap();
    assert!(refused(&[]).contains("about.json"));
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
