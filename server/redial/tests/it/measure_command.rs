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
