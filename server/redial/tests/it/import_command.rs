//! `redial models import` as a lab runs it: from an exported decoder to a study.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../models/import/tests/fixtures")
        .join(name)
}

/// A folder for models, and a place to put other files.
struct Lab(TempDir);

impl Lab {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn models(&self) -> PathBuf {
        self.0.path().join("models")
    }

    fn redial(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_redial"))
            .args(arguments)
            .env("REDIAL_MODELS", self.models())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    fn import(&self, file: &str, arguments: &[&str]) -> Output {
        let file = fixture(file);
        let mut all = vec!["models", "import", file.to_str().unwrap()];
        all.extend(arguments);
        self.redial(&all)
    }
}

fn good(output: Output) -> String {
    let complaint = String::from_utf8(output.stderr).unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{complaint}{said}");
    said
}

fn refused(output: Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).unwrap()
}

const TASK: [&str; 4] = ["--distance", "bray-curtis", "--threshold", "0.005"];

#[test]
fn a_pytorch_decoder_becomes_a_study_with_one_command_and_one_file() {
    let lab = Lab::new();
    let said = good(lab.import("torch-grey.onnx", &TASK));
    assert!(
        said.contains("grey pictures of 20 rows and 12 columns"),
        "{said}"
    );
    assert!(
        said.contains("10 instances with the reference outputs"),
        "{said}"
    );
    assert!(said.contains("CAUTION     only 10 latents"), "{said}");
    assert_eq!(said.matches("CAUTION").count(), 1, "{said}");

    // The study that is printed is a study.
    let start = said.find("{\n").unwrap();
    let end = said.rfind("\n}\n").unwrap() + 3;
    let study = lab.0.path().join("torch-grey/study.json");
    std::fs::create_dir(study.parent().unwrap()).unwrap();
    std::fs::write(&study, &said[start..end]).unwrap();
    let checked = good(lab.redial(&["study", "check", study.to_str().unwrap()]));
    assert!(checked.contains("good. 1 stage, 5 questions"), "{checked}");

    // A graph is verified beside it.
    let graph = ["--distance", "bray-curtis", "--threshold", "0.01"];
    good(lab.import("graph-gated.onnx", &graph));
    let verified = good(lab.redial(&["models", "verify", "torch-grey", "graph-gated"]));
    let line = verified.lines().find(|line| line.starts_with("torch-grey"));
    let line = line.unwrap();
    assert!(
        line.contains("good") && line.contains("percentiles fit"),
        "{line}"
    );
    let line = verified
        .lines()
        .find(|line| line.starts_with("graph-gated"));
    let line = line.unwrap();
    assert!(
        line.contains("good") && line.contains("by kernels"),
        "{line}"
    );
    let listed = good(lab.redial(&["models", "list"]));
    assert!(listed.contains("torch-grey"), "{listed}");

    let again = refused(lab.import("torch-grey.onnx", &TASK));
    assert!(again.contains("--replace"), "{again}");
    let sharper = ["--replace", "--distance", "iou:0.5", "--threshold", "0.2"];
    assert!(good(lab.import("torch-grey.onnx", &sharper)).contains("iou:0.5, solved at 0.2"));
}

#[test]
fn colours_curves_and_choices_are_imported_too() {
    let lab = Lab::new();
    let told = ["--shape", "12x16x3", "--channels", "last", "--name", "mine"];
    let said = good(lab.import("keras-rgb.onnx", &[&told[..], &TASK].concat()));
    assert!(
        said.contains("colour pictures of 12 rows and 16 columns"),
        "{said}"
    );
    let told = [
        "--shape",
        "24",
        "--choice",
        "3",
        "--distance",
        "jaccard:0.1",
    ];
    let told = [&told[..], &["--threshold", "0.1", "--plot", "-3:1"]].concat();
    let said = good(lab.import("torch-series.onnx", &told));
    assert!(said.contains("dials       one of 3, "), "{said}");
    let card = std::fs::read(lab.models().join("torch-series/card.json")).unwrap();
    let card: serde_json::Value = serde_json::from_slice(&card).unwrap();
    assert_eq!(card["latent"][0]["values"], 3);
    assert_eq!(card["display"]["arrangement"], "overlaid");
    assert_eq!(card["display"]["series"]["y_min"], -3.0);
    assert_eq!(card["display"]["series"]["target_band"], 0.1);
}

#[test]
fn several_curves_and_values_of_any_sign_get_what_suits_them() {
    let lab = Lab::new();
    let curves = ["--shape", "32x3"];
    let missing = refused(lab.import("out-curves.onnx", &curves));
    let suits = "jaccard:0.11,2.1,0.058 suits this output";
    assert!(missing.contains(suits), "{missing}");
    assert!(missing.contains("0.1 is a good beginning"), "{missing}");
    assert!(!missing.contains("Enter"), "{missing}");

    let task = ["--distance", "jaccard", "--threshold", "0.1"];
    let said = good(lab.import("out-curves.onnx", &[&curves[..], &task].concat()));
    assert!(said.contains("3 curves of 32 points each"), "{said}");
    assert!(said.contains("CAUTION     curve 1 of 3"), "{said}");
    assert!(said.contains("CAUTION     curve 3 of 3"), "{said}");
    let plots = [
        "--plot",
        "-3:3",
        "--plot",
        "-60:60",
        "--plot",
        "-2:2",
        "--replace",
    ];
    let each = [&curves[..], &task, &plots].concat();
    let said = good(lab.import("out-curves.onnx", &each));
    assert!(!said.contains("CAUTION     curve"), "{said}");
    let card = std::fs::read(lab.models().join("out-curves/card.json")).unwrap();
    let card: serde_json::Value = serde_json::from_slice(&card).unwrap();
    assert_eq!(card["shape"]["channels"], 3);
    let tolerance = serde_json::json!([0.11, 2.1, 0.058]);
    assert_eq!(card["distance"]["tolerance"], tolerance);
    let series = &card["display"]["series"];
    assert_eq!(series["target_band"], tolerance);
    assert_eq!(series["curve_ends"][1], serde_json::json!([-60.0, 60.0]));
    let two = [&curves[..], &task, &plots[..4], &["--replace"]].concat();
    let refusal = refused(lab.import("out-curves.onnx", &two));
    assert!(refusal.contains("2 for 3 curves"), "{refusal}");

    let task = ["--distance", "mean-absolute", "--threshold", "0.03"];
    let heat = good(lab.import(
        "out-heat.onnx",
        &[&["--unclipped=-2:3"][..], &task].concat(),
    ));
    assert!(heat.contains("from -2 (black) to 3 (white)"), "{heat}");
    let smaller = good(lab.redial(&["models", "compress", "out-heat"]));
    assert!(smaller.contains("bytes of weights instead of"), "{smaller}");
    let verified = good(lab.redial(&["models", "verify", "out-curves", "out-heat"]));
    assert!(!verified.contains("BAD"), "{verified}");
    let colour = ["--distance", "bray-curtis", "--threshold", "0.1"];
    let large = good(lab.import("out-large.onnx", &colour));
    assert!(large.contains("targets     786 kB each"), "{large}");
    let sheet = lab.0.path().join("curves.svg");
    good(lab.redial(&[
        "models",
        "show",
        "out-curves",
        "--out",
        sheet.to_str().unwrap(),
    ]));
    assert!(sheet.exists());
}

#[test]
fn layers_in_json_go_with_safetensors() {
    let lab = Lab::new();
    let json = fixture("torch-grey.json");
    let told = ["--architecture", json.to_str().unwrap()];
    let said = good(lab.import("torch-grey.safetensors", &[&told[..], &TASK].concat()));
    assert!(said.contains("largest difference"), "{said}");
    let untold = refused(lab.import("torch-grey.safetensors", &["--name", "other"]));
    assert!(untold.contains("--architecture"), "{untold}");
    assert!(untold.contains("redial.layers"), "{untold}");
}

#[test]
fn a_safetensors_file_may_hold_its_layers() {
    let lab = Lab::new();
    let shape = ["--shape", "12x8x1"];
    let said = good(lab.import("torch-described.safetensors", &[&shape[..], &TASK].concat()));
    assert!(said.contains("10 instances with the reference"), "{said}");
    assert!(said.contains("download    0.1 s on slow 3G"), "{said}");
    assert!(said.contains("models compress torch-described"), "{said}");
}

#[test]
fn all_that_is_missing_is_listed_and_nothing_is_written() {
    let lab = Lab::new();
    let missing = refused(lab.import("torch-rgb-older.onnx", &[]));
    for flag in ["--latents", "--shape", "--distance", "--threshold"] {
        assert!(missing.contains(&format!("\n  {flag}  ")), "{missing}");
    }
    assert!(!lab.models().exists());
}

#[test]
fn other_outputs_than_the_references_are_refused() {
    let lab = Lab::new();
    // The latents of another model of five inputs: its outputs are not these.
    let latents = fixture("keras-grey.latents.npy");
    let other = ["--latents", latents.to_str().unwrap()];
    let refusal = refused(lab.import("torch-grey.onnx", &[&other[..], &TASK].concat()));
    assert!(refusal.contains("differs by"), "{refusal}");
    assert!(refusal.contains("--tolerance"), "{refusal}");
    assert!(!lab.models().exists());
    let lax = [&other[..], &TASK, &["--tolerance", "1"]].concat();
    good(lab.import("torch-grey.onnx", &lax));
}

#[test]
fn weights_in_fewer_bits_still_pass() {
    let lab = Lab::new();
    let told = ["--shape", "16x12x3", "--channels", "first"];
    good(lab.import("torch-rgb.onnx", &[&told[..], &TASK].concat()));
    let weights = lab.models().join("torch-rgb/weights.safetensors");
    let before = std::fs::metadata(&weights).unwrap().len();
    let said = good(lab.redial(&["models", "compress", "torch-rgb"]));
    assert!(said.contains("no value moves by more than 0.00"), "{said}");
    assert!(std::fs::metadata(&weights).unwrap().len() < before);
    let verified = good(lab.redial(&["models", "verify", "torch-rgb"]));
    assert!(
        verified.contains("torch-rgb") && !verified.contains("BAD"),
        "{verified}"
    );
    assert!(said.contains("s on fast 3G instead of"), "{said}");
    let again = refused(lab.redial(&["models", "compress", "torch-rgb"]));
    assert!(
        again.contains("already") && again.contains("--again"),
        "{again}"
    );
    let nobody = refused(lab.redial(&["models", "compress", "nobody"]));
    assert!(nobody.contains("no model"), "{nobody}");
}

#[test]
fn newer_decoders_become_studies_too() {
    let lab = Lab::new();
    let told = ["--distance", "bray-curtis", "--threshold", "0.01"];
    let said = good(lab.import("graph-diffusion-nearest.onnx", &told));
    assert!(
        said.contains("6 instances with the reference outputs"),
        "{said}"
    );
    assert!(said.contains("as plan"), "{said}");
    let two = good(lab.import("graph-conditional.onnx", &told));
    assert!(two.contains("class (3), z (2)"), "{two}");
    let smaller = good(lab.redial(&["models", "compress", "graph-diffusion-nearest"]));
    assert!(smaller.contains("bytes of weights instead of"), "{smaller}");
}

#[test]
fn what_makes_no_questions_is_refused_with_the_next_step() {
    let lab = Lab::new();
    let distance = |distance: &str| {
        let told = ["--distance", distance, "--threshold", "0.005"];
        refused(lab.import("torch-grey.onnx", &told))
    };
    assert!(distance("iou:2").contains("none could be asked"));
    assert!(distance("jaccard:0.5").contains("none could be asked"));
    let one = lab.0.path().join("one.csv");
    std::fs::write(&one, "0.1,0.2,0.3,0.4,0.5\n").unwrap();
    let told = [&TASK[..], &["--latents", one.to_str().unwrap()]].concat();
    let single = refused(lab.import("torch-grey.onnx", &told));
    assert!(single.contains("a single vector"), "{single}");
    let shipped = refused(lab.import(
        "torch-grey.onnx",
        &[&TASK[..], &["--name", "circles"]].concat(),
    ));
    assert!(shipped.contains("ships with Redial"), "{shipped}");
    for (flag, value) in [("--skip-after", "nan"), ("--step", "0")] {
        let output = lab.import("torch-grey.onnx", &[&TASK[..], &[flag, value]].concat());
        assert_eq!(output.status.code(), Some(2), "{flag}");
    }
}
