//! `redial measure` of arrays in files and of models, as people run it.

use crate::measure_tables::{json, run, text};

/// Labels of 0, 1 and 2: `nis-released` wants 0 and 1, and that keeps nothing else from being computed.
#[test]
fn what_the_arrays_do_not_allow_is_noted_beside_the_results() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (codes, labels) = (path("z.csv"), path("c.csv"));
    let row = |row: usize| format!("{}.5,{}.25\n", row % 3, row % 7);
    let rows: String = (0..60).map(row).collect();
    std::fs::write(&codes, format!("0,1\n{rows}")).unwrap();
    let row = |row: usize| format!("{},{}\n", row % 3, row / 3 % 2);
    let rows: String = (0..60).map(row).collect();
    std::fs::write(&labels, format!("a,b\n{rows}")).unwrap();
    let arguments = ["--all", "--codes", &codes, "--labels", &labels, "--format"];
    let with = |format: &'static str| [&arguments[..], &[format]].concat();
    let all = json(&with("json"));
    let named = |name: &str| {
        let mut each = all.as_array().unwrap().iter();
        each.find(|outcome| outcome["measure"] == name).unwrap()
    };
    let refused = named("nis-released");
    assert_eq!(refused["flags"][0]["flag"], "not_computed", "{refused}");
    assert_eq!(refused["values"].as_array().unwrap().len(), 0);
    assert!(named("mig")["values"][0]["value"].is_number());
    assert_eq!(named("mig")["rows"], 60, "the line of 0 and 1 is no row");
    let csv = text(&with("csv"));
    assert!(
        csv.lines().next().unwrap().ends_with(",rows,flags"),
        "{csv}"
    );
    let noted = csv.lines().find(|line| line.starts_with("nis-released,"));
    assert!(noted.unwrap().contains("must be 0 or 1"), "{csv}");
    let shown = text(&with("table"));
    assert!(shown.contains("! not computed: labels: row 2"), "{shown}");
    // Nothing but what is refused: an error.
    std::fs::write(&codes, "a,b\n1,nan\n2,inf\n").unwrap();
    let output = run(&with("table"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{said}");
    for place in [
        "codes: row 0, column 1 is NaN",
        "codes: row 1, column 1 is inf",
    ] {
        assert_eq!(said.matches(place).count(), 1, "{said}");
    }
}

/// One spelling, a name or a folder, for a single measure, for all, and for a card.
#[test]
fn a_model_is_named_alike_everywhere() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/zoo/dsprites-gt5");
    let one =
        |model: &str| json(&["mig", "--model", model, "--format", "json"])[0]["values"].clone();
    assert_eq!(one("dsprites-gt5"), one(folder));
    let card = [
        "reliability",
        "mig",
        "--model",
        "dsprites-gt5",
        "--repeats",
        "2",
        "--format",
        "json",
    ];
    assert_eq!(json(&card)["measure"], "mig");
    let output = run(&["all", "--model", "nobody"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("no model 'nobody'"), "{said}");
}

/// A lab's model with codes of its own is taken as those of the zoo are.
#[test]
fn codes_of_a_model_of_ones_own_are_kept_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let zoo =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/zoo/dsprites-gt5");
    // A bundle is called as its card says.
    let own = folder.path().join("dsprites-gt5");
    std::fs::create_dir(&own).unwrap();
    for file in ["card.json", "weights.safetensors", "held_out.safetensors"] {
        std::fs::copy(zoo.join(file), own.join(file)).unwrap();
    }
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (model, codes, factors) = (path("dsprites-gt5"), path("z.csv"), path("c.csv"));
    let row = |row: usize| {
        format!(
            "{},{},{},{},{}\n",
            row % 3,
            row % 7,
            row % 5,
            row % 2,
            row % 11
        )
    };
    std::fs::write(&codes, (0..60).map(row).collect::<String>()).unwrap();
    let row = |row: usize| format!("{},{}\n", row % 3, row % 7);
    std::fs::write(&factors, (0..60).map(row).collect::<String>()).unwrap();
    let keep = |more: &[&str]| {
        let output = run(&[&["keep", "--model", &model, "--factors", &factors], more].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), said)
    };
    let onnx = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/import/tests/fixtures/torch-series"
    );
    let (network, instances) = (format!("{onnx}.onnx"), format!("{onnx}.latents.npy"));
    for (more, complaint) in [
        (
            &["--codes", factors.as_str()][..],
            "codes have 2 columns, and the model has 5",
        ),
        (
            &["--codes", &codes, "--names", "a"],
            "--names has 1 names, and there are 2 factors",
        ),
        (
            &["--codes", &codes, "--class", "shape"],
            "--class shape is none of the factors: factor-0, factor-1",
        ),
        (&[], "--codes <FILE>"),
        // A decoder will do as an encoder: rows go in and rows come out.
        (
            &["--encoder", &network, "--instances", &instances],
            "continuous dimensions",
        ),
    ] {
        let (kept, said) = keep(more);
        assert!(!kept && said.contains(complaint), "{more:?}: {said}");
        assert!(!own.join("codes.json").exists());
    }
    let (kept, said) = keep(&[
        "--codes",
        &codes,
        "--names",
        "shape,scale",
        "--class",
        "shape",
    ]);
    assert!(kept, "{said}");
    let found = json(&["all", "--model", &model, "--format", "json"]);
    let found = found.as_array().unwrap();
    let of = |name: &str| found.iter().find(|it| it["measure"] == name).unwrap();
    assert_eq!(
        (&of("mig")["rows"], &of("niche")["rows"]),
        (&60.into(), &60.into())
    );
    let (kept, said) = keep(&["--codes", &codes]);
    assert!(!kept && said.contains("--replace"), "{said}");
    // Files that were kept of the codes before say nothing of the new ones.
    let of_old = own.join("smallest_differences.json");
    std::fs::write(&of_old, "{}").unwrap();
    assert!(keep(&["--codes", &codes, "--replace"]).0);
    assert!(!of_old.exists());
}

/// The codes kept by an encoder are those that PyTorch's network gives for the same rows.
#[test]
fn codes_are_made_by_the_encoder_of_ones_own_model() {
    let folder = tempfile::tempdir().unwrap();
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let zoo = project.join("models/zoo/mnist-botcl20");
    let own = folder.path().join("mnist-botcl20");
    std::fs::create_dir(&own).unwrap();
    for file in ["card.json", "weights.safetensors", "held_out.safetensors"] {
        std::fs::copy(zoo.join(file), own.join(file)).unwrap();
    }
    // A recurrent network from PyTorch, with as many numbers a row as the model has dials.
    let onnx = project.join("models/import/tests/fixtures/graph-recurrent");
    let of_onnx = |end: &str| format!("{}.{end}", onnx.display());
    let factors = folder.path().join("c.csv");
    std::fs::write(&factors, "a,b\n0,1\n1,0\n2,1\n0,0\n1,1\n2,0\n").unwrap();
    let output = run(&[
        "keep",
        "--model",
        own.to_str().unwrap(),
        "--encoder",
        &of_onnx("onnx"),
        "--instances",
        &of_onnx("latents.npy"),
        "--factors",
        factors.to_str().unwrap(),
    ]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let array = |path: &std::path::Path| {
        let file = std::fs::read(path).unwrap();
        arrays::NumericArray::read("array", &file).unwrap()
    };
    let kept = array(&own.join("codes.npy"));
    let said = array(of_onnx("outputs.npy").as_ref());
    assert_eq!((&kept.shape, &said.shape), (&vec![6, 20], &vec![6, 20]));
    for (kept, said) in kept.values.iter().zip(&said.values) {
        assert!((kept - said).abs() < 1e-5, "{kept} {said}");
    }
}
