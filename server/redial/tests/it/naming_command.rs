//! Bundles of concepts are made, a study deals them to simulated people, and their names are analysed.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use arrays::bytes_as_npy;
use serde_json::{Value, json};

use crate::command::{run, words};

/// Pictures of 8 × 8 pixels, and maps of five concepts in them, of 4 × 4 places.
const PICTURES: usize = 30;
const CONCEPTS: usize = 5;

/// Writes a lab's arrays, a template and marks.
fn lab(here: &Path) {
    let mut pictures = Vec::new();
    let mut maps = Vec::new();
    for picture in 0..PICTURES {
        // A stroke in one of the rows, of a shade of its own.
        pictures.extend((0..64).map(|at| {
            if at / 8 == picture % 8 {
                100 + picture as u8
            } else {
                0
            }
        }));
        for concept in 0..CONCEPTS {
            let here = |at: usize| at / 4 == concept % 4 && at % 4 == picture % 4;
            maps.extend((0..16).map(|at| if here(at) { 200 + picture as u8 } else { 0 }));
        }
    }
    let write = |name: &str, bytes: Vec<u8>| std::fs::write(here.join(name), bytes).unwrap();
    write("digits.npy", bytes_as_npy(&[PICTURES, 8, 8], &pictures));
    write("maps.npy", bytes_as_npy(&[PICTURES, CONCEPTS, 4, 4], &maps));
    let template = json!({
        "title": "Strokes", "display": "in_picture", "highlight_above": 0.2, "samples": 10,
        "vocabulary": {"name": "strokes", "combined": true, "second_set": true, "groups": [
            {"id": "position", "text": "Position", "terms": [
                {"id": "upper", "text": "upper"}, {"id": "middle", "text": "middle"},
                {"id": "lower", "text": "lower"}]},
            {"id": "shape", "text": "Shape", "terms": [
                {"id": "circle", "text": "a circle", "definition": "A closed curve."},
                {"id": "line", "text": "a line"}, {"id": "curve", "text": "a curve"}]}]},
        "example": {"concept": 4, "terms": {"position": "upper", "shape": "line"}, "explanation": "A line."}
    });
    write("template.json", template.to_string().into_bytes());
    let mut marks = "concept,picture,top,left,bottom,right,position,shape\n".to_owned();
    for (concept, (position, shape)) in [
        ("upper", "line"),
        ("middle", "circle"),
        ("lower", "curve"),
        ("lower", "line"),
    ]
    .into_iter()
    .enumerate()
    {
        for picture in 0..10 {
            marks += &format!(
                "m{concept},{picture},{concept},0,{},8,{position},{shape}\n",
                concept + 2
            );
        }
    }
    write("marks.csv", marks.into_bytes());
    let study = here.join("studies/naming");
    std::fs::create_dir_all(&study).unwrap();
    let study_file = json!({
        "format": 2, "id": "naming", "title": "Names",
        "parts": [{"kind": "stage", "id": "names", "task": {
            "kind": "concept_naming",
            "concepts": ["strokes-learnt", "strokes-manual", "strokes-random"], "questions_per_bundle": 3}}],
        "analysis": {"metrics": ["naming_rate"], "conditions_are": "model", "conditions_vary": "within",
            "comparisons": [{"name": "bundles",
                "conditions": ["strokes-learnt", "strokes-manual", "strokes-random"]}]}
    });
    std::fs::write(study.join("study.json"), study_file.to_string()).unwrap();
}

fn with_models(here: &Path, line: &str) -> crate::command::Said {
    run(here, &[&words(line)[..], &["--models", "models"]].concat())
}

/// The lab's three bundles.
fn bundles(here: &Path) {
    lab(here);
    with_models(here, "concepts import strokes-learnt --template template.json --pictures digits.npy --maps maps.npy")
        .says(&["models/concepts/strokes-learnt: 4 concepts (learnt), 10 samples each."]);
    with_models(here, "concepts manual strokes-manual --like strokes-learnt --pictures digits.npy --marks marks.csv")
        .says(&["4 concepts (manual)"]);
    with_models(
        here,
        "concepts random strokes-random --like strokes-learnt --pictures digits.npy --seed 7",
    )
    .says(&["4 concepts (random)"]);
}

#[test]
fn bundles_are_made_listed_and_refused_with_all_that_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    bundles(here);
    with_models(here, "concepts list").says(&[
        "strokes-learnt",
        "strokes-manual",
        "strokes-random",
    ]);
    let all = with_models(here, "concepts list --json").json();
    assert!(all.as_array().unwrap().len() >= 3);
    with_models(
        here,
        "concepts random strokes-random --like strokes-learnt --pictures digits.npy",
    )
    .refuses(&["is there already"]);
    with_models(
        here,
        "concepts random more --like nothing --pictures digits.npy",
    )
    .refuses(&["there is no bundle of concepts 'nothing'", "strokes-learnt"]);
    run(here, &words("concepts import other --template template.json --pictures digits.npy --maps digits.npy"))
        .refuses(&["maps: shape [30, 8, 8]; pictures × concepts × rows × columns"]);
    with_models(here, "study check studies/naming/study.json").succeeds();
    let card = here.join("models/concepts/strokes-random/card.json");
    let text = std::fs::read_to_string(&card).unwrap();
    std::fs::write(&card, text.replace("\"samples\": 10", "\"samples\": 9")).unwrap();
    with_models(here, "study check studies/naming/study.json").refuses(&[
        "strokes-random: pictures.npy: shape [4, 10, 8, 8]; [4, 9, 8, 8], as the card says",
        "there is no such bundle of concepts",
    ]);
}

/// The study of ninety simulated people, analysed and exported.
fn studied(here: &Path) -> Value {
    bundles(here);
    with_models(here, "simulate naming --participants 90 --seed 3").says(&["90 simulated people"]);
    with_models(here, "export naming --simulated --out out").succeeds();
    with_models(here, "verify naming").says(&["No number contradicts its inputs"]);
    with_models(here, "analyze naming --simulated --json").json()
}

/// Mean of a measure by bundle.
fn means(analysed: &Value, measure: &str) -> Vec<(String, f64)> {
    let bundles = &analysed["versions"][0]["included"]["naming"][0]["bundles"];
    let of_bundle = |row: &Value| {
        let scores = row["scores"].as_array().unwrap();
        let score = scores.iter().find(|it| it["measure"] == measure).unwrap();
        (
            row["bundle"].as_str().unwrap().to_owned(),
            score["mean"].as_f64().unwrap(),
        )
    };
    bundles.as_array().unwrap().iter().map(of_bundle).collect()
}

#[test]
fn ninety_simulated_people_name_marked_concepts_best_and_random_ones_worst() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let analysed = studied(here);
    for measure in ["cdr", "cc"] {
        let means = means(&analysed, measure);
        let [(_, learnt), (_, manual), (_, random)] = &means[..] else {
            panic!("{means:?}");
        };
        assert!(manual > learnt && learnt > random, "{measure}: {means:?}");
    }
    with_models(here, "analyze naming --simulated --out analysis").succeeds();
    for file in [
        "tables/naming.csv",
        "tables/naming-concepts.csv",
        "tables/naming-agreement.csv",
        "tables/naming-differences.csv",
        "figures/naming-strokes-learnt.svg",
    ] {
        assert!(here.join("analysis").join(file).is_file(), "{file}");
    }
    let text = with_models(here, "analyze naming --simulated").succeeds();
    assert!(
        text.contains("Names of concepts, vocabulary “strokes”"),
        "{text}"
    );
}

/// A script without Redial's code finds the same numbers in the export.
#[test]
#[ignore = "runs Python"]
fn the_measures_follow_from_the_export() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let analysed = studied(here);
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/naming/measures.py");
    let table = |name: &str| here.join(format!("out/jsonl/raw/{name}.jsonl"));
    let output = Command::new(python)
        .arg(script)
        .args([
            table("concept_naming_questions"),
            table("concept_naming_terms"),
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    for measure in ["cdr", "cc", "mic"] {
        for (bundle, mean) in means(&analysed, measure) {
            let other = found[&bundle][measure].as_f64().unwrap();
            assert!(
                (mean - other).abs() < 1e-9,
                "{measure} of {bundle}: {mean}, not {other}"
            );
        }
    }
}
