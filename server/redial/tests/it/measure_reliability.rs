//! Cards, the differences that mean anything, and the forms in which results come.

use std::path::Path;

use serde_json::Value;

use crate::measure_tables::{json, run, text};

#[test]
fn four_cards_are_one_table() {
    let found = json(&["cards", "--rows", "300", "--repeats", "2", "--json"]);
    let cards = found["cards"].as_array().unwrap();
    let names: Vec<&str> = cards
        .iter()
        .map(|card| card["measure"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["ois", "niche", "surf", "mig"]);
    for card in cards {
        let first = &card["scores"][0];
        assert!(
            first["smallest_difference"].as_f64().unwrap() > 0.0,
            "{card}"
        );
        assert!(first["floor_permuted"].is_f64(), "{card}");
    }
    let shown = text(&[
        "cards",
        "mig",
        "--model",
        "dsprites-gt5",
        "--rows",
        "200",
        "--repeats",
        "2",
    ]);
    assert!(
        shown.contains("SD of halves") && shown.contains("mig"),
        "{shown}"
    );
    for (arguments, complaint) in [
        (&["cards", "nothing"][..], "there is no measure nothing"),
        (
            &["cards", "ois", "--model", "nobody"],
            "there is no model 'nobody'",
        ),
        (&["cards", "--repeats", "1"], "1 is not in 2.."),
        (&["cards", "--keep"], "there is no folder of models"),
        // Five codes cannot be as many as six factors.
        (
            &["cards", "ois", "--model", "mnist-ae5", "--rows", "50"],
            "the card of ois on mnist-ae5",
        ),
    ] {
        let output = run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && said.contains(complaint),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn smallest_differences_are_kept_and_what_is_below_them_is_within_noise() {
    let folder = tempfile::tempdir().unwrap();
    let zoo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/zoo");
    for model in ["sinelines-ae5", "sinelines-vae5"] {
        std::fs::create_dir(folder.path().join(model)).unwrap();
        for file in std::fs::read_dir(zoo.join(model)).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_owned();
            if name != "smallest_differences.json" && name != "encoder.safetensors" {
                std::fs::copy(&path, folder.path().join(model).join(name)).unwrap();
            }
        }
    }
    let models = folder.path().to_str().unwrap();
    let keep = |model: &str| {
        let place = folder.path().join(model);
        let arguments = [
            "cards",
            "--keep",
            "--rows",
            "200",
            "--repeats",
            "2",
            "--model",
        ];
        text(&[&arguments[..], &[place.to_str().unwrap()]].concat())
    };
    for model in ["sinelines-ae5", "sinelines-vae5"] {
        let written = keep(model);
        assert!(written.contains("smallest_differences.json"), "{written}");
        let kept = std::fs::read(folder.path().join(model).join("smallest_differences.json"));
        let kept: Value = serde_json::from_slice(&kept.unwrap()).unwrap();
        let rows = |measure: &str| -> Vec<u64> {
            let all = kept["scores"].as_array().unwrap().iter();
            let of = all.filter(|it| it["measure"] == measure);
            of.map(|it| it["rows"].as_u64().unwrap()).collect()
        };
        // Cards have MIG of all rows.
        assert_eq!(rows("mig"), [200, 10_000]);
        assert_eq!(rows("ois"), [200]);
    }
    let compare = |rows: &str| -> Value {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_redial"));
        command.args([
            "--models", models, "measure", "compare", "--json", "--rows", rows,
        ]);
        command.env("REDIAL_DATABASE", folder.path().join("none.sqlite"));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let found = compare("200");
    let all = found["differences"].as_array().unwrap().iter();
    let own = |it: &&Value| it["first"] == "sinelines-ae5" && it["second"] == "sinelines-vae5";
    let of_two: Vec<&Value> = all.filter(own).collect();
    let known: Vec<&&Value> = of_two.iter().filter(|it| it["smallest"].is_f64()).collect();
    assert!(known.len() > 10, "{known:?}");
    for it in &known {
        let (difference, smallest) = (
            it["difference"].as_f64().unwrap(),
            it["smallest"].as_f64().unwrap(),
        );
        assert_eq!(it["within_noise"], difference.abs() < smallest, "{it}");
    }
    // A card's MIG has its own; the squared error has none.
    assert!(known.iter().any(|it| it["score"] == "card_mig"));
    assert!(
        of_two
            .iter()
            .any(|it| it["score"] == "squared_error" && it["within_noise"].is_null())
    );
    // Of other rows than were kept nothing is known, and a note says so.
    let other = compare("150");
    let notes = other["compared"]["notes"].to_string();
    assert!(notes.contains("--keep --rows 150"), "{notes}");
}

#[test]
fn results_are_as_their_schema_says() {
    let schema = json(&["list", "--schema"]);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let found = json(&["all", "--model", "dsprites-gt5", "--format", "json"]);
    let wrong: Vec<String> = validator
        .iter_errors(&found)
        .map(|it| it.to_string())
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(found.as_array().unwrap().len() > 10);
    // Wrong results are refused.
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut other = found.clone();
        change(&mut other[0]);
        assert!(!validator.is_valid(&other), "{other}");
    };
    refused(&|result| result["measure"] = "nothing".into());
    refused(&|result| result["variant"] = "nothing".into());
    refused(&|result| result["values"][0]["value"] = "0.5".into());
    refused(&|result| result["values"][0]["score"]["direction"] = "sideways".into());
    refused(&|result| {
        result.as_object_mut().unwrap().remove("flags");
    });
}

#[test]
fn variants_are_named_by_where_they_come_from() {
    let variant = |arguments: &[&str]| -> String {
        let model = ["--model", "dsprites-gt5", "--format", "json"];
        let found = json(&[arguments, &model].concat());
        found[0]["variant"].as_str().unwrap().to_owned()
    };
    assert_eq!(variant(&["ois", "--as", "released"]), "released");
    assert_eq!(variant(&["ois", "--as", "printed"]), "printed");
    assert_eq!(variant(&["dci", "--as", "printed"]), "as-published");
    for (arguments, complaint) in [
        (
            &["niche", "--as", "released"][..],
            "possible values: printed",
        ),
        (
            &["ois", "--as", "printed", "--variant", "released"],
            "cannot be used with",
        ),
        (&["mig", "--as", "printed"], "unexpected argument '--as'"),
    ] {
        let output = run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && said.contains(complaint),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn readings_stand_beside_each_other() {
    let csv = text(&["variants", "dsprites-gt5", "--rows", "200", "--csv"]);
    let value = |line: &str| -> f64 {
        let found = csv.lines().find(|it| it.starts_with(line)).unwrap();
        found.rsplit(',').next().unwrap().parse().unwrap()
    };
    // The oracle of the paper is pure where concepts depend on each other, that of none is not.
    assert!(value("ois,ois,printed,printed,") <= value("ois,ois,non-oracle,,"));
    assert!(value("leakage,ctl,plug-in,,").is_finite());
    let output = run(&["variants", "mnist-ig5"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("no codes are kept beside mnist-ig5"),
        "{said}"
    );
}

#[test]
fn changed_pictures_are_kept_for_selectivity() {
    let found = json(&["selectivity", "--model", "dsprites-gt5", "--format", "json"]);
    // Each code is a factor, and nothing else changes.
    let value = found[0]["values"].as_array().unwrap().last().unwrap();
    assert!(
        (value["value"].as_f64().unwrap() - 1.0).abs() < 1e-6,
        "{value}"
    );
    assert_eq!(found[0]["rows"], 1_000);
    let output = run(&["selectivity", "--model", "mnist-ae5"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && said.contains("changed-codes"),
        "{said}"
    );
}
