//! Bad input is refused with everything that is wrong; odd input has the defined result and a flag.

use crate::toy::{Toy, array, run};
use measures::array::Array;
use measures::inputs::{Inputs, Need};
use measures::list;
use measures::measure::Request;
use measures::outcome::{Flag, Outcome};

/// What is wrong with inputs of a measure, in words.
fn wrong(name: &str, inputs: &Inputs, variant: Option<&str>) -> Vec<String> {
    let request = Request {
        variant: variant.map(str::to_owned),
        ..Request::default()
    };
    let problems = list::find(name).unwrap().run(inputs, &request).unwrap_err();
    problems.iter().map(ToString::to_string).collect()
}

pub fn told(outcome: &Outcome) -> Vec<String> {
    outcome.flags.iter().map(ToString::to_string).collect()
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let codes = array(10, 2, |row, _| row as f64);
    let labels = array(9, 3, |row, column| {
        if (row, column) == (1, 1) {
            1.5
        } else {
            -(row as f64)
        }
    });
    let inputs = Inputs::default()
        .with(Need::Codes, codes)
        .with(Need::Labels, labels);
    let found = wrong("ois", &inputs, None);
    assert!(
        found[0].contains("labels: row 1, column 0 is -1"),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|p| p.contains("labels: row 1, column 1 is 1.5"))
    );
    assert!(
        found
            .iter()
            .any(|p| p == "labels has 9 rows, and codes has 10: they must be as many")
    );
    assert!(
        found
            .iter()
            .any(|p| p == "codes has 2 columns, and at least 3 are needed")
    );
}

#[test]
fn several_columns_of_a_task_are_0_or_1() {
    let toy = Toy::new(40, 2, 0.0, 1);
    let task = array(40, 2, |row, _| (row % 3) as f64);
    let found = wrong("niche", &toy.inputs().with(Need::Task, task.clone()), None);
    assert!(
        found[0].contains("task: row 2, column 0 is 2, and must be 0 or 1"),
        "{found:?}"
    );
    let found = wrong("leakage", &toy.inputs().with(Need::Task, task), None);
    assert!(found[0].contains("task: its shape is [40, 2]"), "{found:?}");
}

#[test]
fn codes_of_several_entries_are_refused_where_they_mean_nothing() {
    let deep = Array::new(vec![20, 2, 3], (0..120).map(f64::from).collect()).unwrap();
    let labels = array(20, 2, |row, column| ((row >> column) % 2) as f64);
    let inputs = Inputs::default()
        .with(Need::Codes, deep)
        .with(Need::Labels, labels.clone())
        .with(Need::Task, labels.clone());
    for name in ["mig", "sap", "modularity", "dci", "infomec", "nis-released"] {
        assert!(
            wrong(name, &inputs, None)[0].contains("[20, 2, 3]"),
            "{name}"
        );
    }
    for name in [
        "ois",
        "niche",
        "alignment",
        "concept-auc",
        "task-auc",
        "explicitness",
    ] {
        let outcome = run(name, &inputs, 1);
        assert!(outcome.values[0].value.is_some(), "{name}");
    }
}

#[test]
fn a_concept_with_one_class_is_left_out_and_flagged() {
    let toy = Toy::new(400, 3, 0.2, 1);
    let labels = array(400, 3, |row, column| {
        if column == 1 {
            1.0
        } else {
            toy.concepts.at(row, column)[0]
        }
    });
    let inputs = toy.inputs().with(Need::Labels, labels);
    let outcome = run("ois", &inputs, 2);
    assert!(outcome.flags.contains(&Flag::OneClass {
        array: "labels",
        column: 1
    }));
    assert_eq!(outcome.tables[0].rows[0][1], None);
    assert!(outcome.value("ois").is_some_and(|v| v < 0.5));
    for name in ["alignment", "explicitness", "concept-auc", "infomec"] {
        let outcome = run(name, &inputs, 2);
        assert!(
            told(&outcome).iter().any(|f| f.contains("one class")),
            "{name}"
        );
    }
    for name in ["mig", "sap", "modularity", "dci", "leakage"] {
        let outcome = run(name, &inputs, 2);
        let constant = Flag::Constant {
            array: "labels",
            column: 1,
        };
        assert!(outcome.flags.contains(&constant), "{name}");
    }
    let nothing = array(400, 3, |_, _| 1.0);
    let outcome = run("ois", &toy.inputs().with(Need::Labels, nothing), 2);
    assert_eq!(outcome.value("ois"), None, "no concept has two classes");
}

#[test]
fn a_class_that_is_missing_from_the_rows_judged_is_flagged() {
    let toy = Toy::new(50, 2, 0.2, 1);
    let labels = array(50, 2, |row, column| {
        if (row, column) == (7, 0) {
            2.0
        } else {
            toy.concepts.at(row, column)[0]
        }
    });
    let outcome = run("ois", &toy.inputs().with(Need::Labels, labels), 2);
    let absent = |flag: &Flag| {
        matches!(
            flag,
            Flag::ClassAbsent {
                column: 0,
                class: 2.0,
                ..
            }
        )
    };
    assert_eq!(
        outcome.flags.iter().filter(|flag| absent(flag)).count(),
        1,
        "{:?}",
        outcome.flags
    );
    assert!(outcome.value("ois").is_some());
}

#[test]
fn an_empty_niche_is_flagged_and_scores_one_half() {
    let toy = Toy::new(400, 3, 0.2, 1);
    let request = Request {
        parameters: vec![("beta".to_owned(), 1.0)],
        ..Request::default()
    };
    let outcome = list::find("niche")
        .unwrap()
        .run(&toy.inputs(), &request)
        .unwrap();
    assert_eq!(outcome.value("nps"), Some(0.5));
    assert_eq!(outcome.value("niche_size"), Some(0.0));
    assert!(outcome.flags.contains(&Flag::EmptyNiche {
        label: 0,
        beta: 1.0
    }));
    assert!(outcome.value("nis").is_some_and(|nis| nis > 0.9));
}

/// Each code tells the other concept, so that its own is told by chance, and below it with this seed.
#[test]
fn impurity_above_one_is_kept_and_flagged() {
    let toy = Toy::new(200, 2, 0.0, 1);
    let codes = array(200, 2, |row, code| toy.concepts.at(row, 1 - code)[0]);
    let inputs = toy.inputs().with(Need::Codes, codes);
    let above = (0..20)
        .map(|seed| run("ois", &inputs, seed))
        .find(|outcome| outcome.value("ois").is_some_and(|value| value > 1.0));
    let outcome = above.expect("one of twenty splits has AUCs below ½ on the diagonal");
    let found = told(&outcome);
    assert!(found.iter().any(|f| f.contains("not clamped")), "{found:?}");
    assert!(found.iter().any(|f| f.contains("below ½")), "{found:?}");
}
