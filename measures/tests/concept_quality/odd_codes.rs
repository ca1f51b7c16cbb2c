//! Codes that say nothing, or too few of them, have the defined result and a flag.

use crate::edges::told;
use crate::toy::{Toy, array, run};
use measures::inputs::{Inputs, Need};
use measures::outcome::Flag;

#[test]
fn a_constant_code_is_flagged_and_in_no_niche() {
    let toy = Toy::new(400, 3, 0.2, 1);
    let codes = array(400, 3, |row, code| {
        if code == 2 {
            0.7
        } else {
            toy.codes.at(row, code)[0]
        }
    });
    let inputs = toy.inputs().with(Need::Codes, codes);
    for name in [
        "niche",
        "mig",
        "sap",
        "modularity",
        "alignment",
        "dci",
        "leakage",
        "ois",
        "concept-auc",
        "task-auc",
        "explicitness",
    ] {
        let outcome = run(name, &inputs, 2);
        let unsettled =
            |flag: &Flag| matches!(flag, Flag::NotConverged { fit } if fit.contains("factor"));
        assert!(
            !outcome.flags.iter().any(unsettled),
            "{name}: {:?}",
            outcome.flags
        );
        let constant = Flag::Constant {
            array: "codes",
            column: 2,
        };
        assert!(outcome.flags.contains(&constant), "{name}");
    }
    let outcome = run("niche", &inputs, 2);
    assert!(outcome.tables[1].rows[2].iter().all(Option::is_none));
    let outcome = run("infomec", &inputs, 2);
    assert!(outcome.flags.contains(&Flag::Inactive {
        array: "codes",
        column: 2
    }));
}

#[test]
fn neurons_without_a_pair_of_samples_are_undefined() {
    // Code 0 does not vary, code 1 responds to one sample; one embedding has no direction.
    let codes = array(6, 3, |row, code| match code {
        0 => 1.0,
        1 => f64::from(u8::from(row == 2)),
        _ => row as f64,
    });
    let embeddings = array(6, 2, |row, column| {
        if row == 5 {
            0.0
        } else {
            (row + column) as f64 + 0.5
        }
    });
    let inputs = Inputs::default()
        .with(Need::Codes, codes)
        .with(Need::Embeddings, embeddings);
    let outcome = run("monosemanticity", &inputs, 0);
    assert_eq!(outcome.values[1].value, None);
    assert_eq!(outcome.values[2].value, None);
    assert!(outcome.values[3].value.is_some());
    assert_eq!(outcome.value("monosemanticity"), outcome.values[3].value);
    assert_eq!(outcome.rows, 5);
    assert!(outcome.flags.contains(&Flag::ZeroRows {
        array: "embeddings",
        rows: 1
    }));
    assert_eq!(
        told(&outcome)
            .iter()
            .filter(|f| f.contains("does not vary"))
            .count(),
        2
    );
}

#[test]
fn a_single_code_and_a_single_factor_have_no_gap() {
    let codes = array(30, 1, |row, _| (row % 7) as f64);
    let labels = array(30, 1, |row, _| (row % 2) as f64);
    let inputs = Inputs::default()
        .with(Need::Codes, codes)
        .with(Need::Labels, labels);
    for (name, score) in [
        ("mig", "mig"),
        ("sap", "sap"),
        ("modularity", "modularity"),
        ("dci", "disentanglement"),
    ] {
        let outcome = run(name, &inputs, 0);
        assert_eq!(outcome.value(score), None, "{name}");
        assert!(
            told(&outcome).iter().any(|f| f.contains("not defined")),
            "{name}"
        );
    }
}
