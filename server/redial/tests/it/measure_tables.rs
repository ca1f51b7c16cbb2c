//! `redial measure …` from kept codes, and its tables of several measures, as people run them.

use std::process::{Command, Output};

use serde_json::Value;

pub fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redial"));
    command.arg("measure").args(arguments);
    for name in ["REDIAL_MODELS", "REDIAL_DATABASE", "REDIAL_SIMULATED"] {
        command.env_remove(name);
    }
    command.output().unwrap()
}

pub fn text(arguments: &[&str]) -> String {
    let output = run(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

pub fn json(arguments: &[&str]) -> Value {
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

/// The numbers are numpy's, of the arrays that ship: `(a @ w.T + b).argmax(1) == labels` and `(a > 0.5).mean(0)`.
#[test]
fn concepts_of_digits_stand_beside_the_paper() {
    let found: Value = serde_json::from_str(&text(&["botcl", "--json"])).unwrap();
    assert_eq!(found["accuracy"], 0.9395);
    assert_eq!(found["pictures"], 10_000);
    assert_eq!(found["active"].as_array().unwrap().len(), 16);
    assert_eq!(found["active"][0], 18);
    assert_eq!(found["concepts"][18]["on"], 0.8982);
    assert_eq!(found["concepts"][2]["on"], 0.0021);
    let said = text(&["botcl"]);
    assert!(said.contains("! Active concepts: 16 of 20."), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("botcl");
    text(&["botcl", "--out", out.to_str().unwrap()]);
    for file in [
        "figures/botcl-activations.svg",
        "figures/botcl-top-samples.png",
        "tables/botcl-concepts.md",
        "numbers.json",
    ] {
        assert!(out.join(file).is_file(), "{file}");
    }
}

#[test]
fn arrays_of_concepts_that_do_not_agree_are_named() {
    let zoo = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../models/zoo/mnist-botcl20-concepts");
    let folder = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(&zoo).unwrap() {
        let path = file.unwrap().path();
        std::fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    let arguments = ["botcl", "--arrays", folder.path().to_str().unwrap()];
    let refused = || {
        let output = run(&arguments);
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(run(&arguments).status.success());
    let file = |name: &str| folder.path().join(name);
    // Labels in the place of what a class counts: 10,000 classes.
    std::fs::copy(file("labels.npy"), file("class_bias.npy")).unwrap();
    let said = refused();
    assert!(
        said.contains("class_weights.npy has shape [10, 20]"),
        "{said}"
    );
    std::fs::copy(zoo.join("class_bias.npy"), file("class_bias.npy")).unwrap();
    std::fs::copy(file("maps.npy"), file("pictures.npy")).unwrap();
    let said = refused();
    assert!(
        said.contains("pictures.npy has shape [200, 20, 7, 7]"),
        "{said}"
    );
    std::fs::remove_file(file("labels.npy")).unwrap();
    assert!(refused().contains("labels.npy"));
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

/// A list of numpy has one axis, a column of a table two: both are lists where one number is wanted for each row.
#[test]
fn lists_are_read_from_arrays_and_from_columns() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let npy = |name: &str, shape: &[usize], value: &dyn Fn(usize) -> f32| {
        let values: Vec<f32> = (0..shape.iter().product()).map(value).collect();
        std::fs::write(file(name), arrays::f32_as_npy(shape, &values)).unwrap();
    };
    let column = |name: &str, count: usize, value: &dyn Fn(usize) -> f32| {
        let lines: Vec<String> = (0..count).map(|row| value(row).to_string()).collect();
        std::fs::write(file(name), lines.join("\n") + "\n").unwrap();
    };
    let class = |row: usize| (row % 2) as f32;
    npy("codes.npy", &[40, 2], &|at| {
        if at / 2 % 2 == at % 2 { 1.0 } else { 0.1 }
    });
    npy("labels.npy", &[40, 2], &|at| {
        f32::from(u8::from(at / 2 % 2 == at % 2))
    });
    npy("outputs.npy", &[40, 2], &|at| {
        if at / 2 % 2 == at % 2 { 2.0 } else { -1.0 }
    });
    npy("weights.npy", &[2, 2], &|at| {
        if at % 3 == 0 { 1.0 } else { -1.0 }
    });
    npy("directions.npy", &[2, 2, 2], &|at| {
        f32::from(u8::from(at / 2 % 2 == at % 2))
    });
    npy("class.npy", &[40], &class);
    column("class.csv", 40, &class);
    npy("bias.npy", &[2], &|_| 0.5);
    column("bias.csv", 2, &|_| 0.5);
    for (measure, needs) in [
        (
            "surf",
            "codes directions importances=weights outputs task=class bias",
        ),
        ("cgim", "codes weights labels predictions=class task=class"),
        (
            "selectivity",
            "codes changed-codes=codes changed-factor=class",
        ),
    ] {
        let found = ["npy", "csv"].map(|kind| {
            let mut arguments = vec![measure.to_owned()];
            for need in needs.split(' ') {
                let (need, name) = need.split_once('=').unwrap_or((need, need));
                let is_list = ["class", "bias"].contains(&name);
                arguments.push(format!("--{need}"));
                arguments.push(file(&format!(
                    "{name}.{}",
                    if is_list { kind } else { "npy" }
                )));
            }
            arguments.extend(["--format", "json"].map(str::to_owned));
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            json(&arguments)
        });
        assert_eq!(found[0], found[1], "{measure}");
    }
}
