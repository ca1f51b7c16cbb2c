//! What is wrong with arrays is said all at once, with its places.

use crate::edges::{aligned, of, problems};
use measures::inputs::{Inputs, Need};
use measures::list::find;
use measures::measure::Request;

#[test]
fn all_that_is_wrong_is_said_at_once() {
    // In four arrays: numbers that are not finite, no class, no such class, a row too few, no label.
    let labels = [1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.5];
    let codes = [1.0, f64::NAN, 0.0, 0.0, f64::INFINITY, 0.0, 0.0, 0.0];
    let inputs = aligned(&[0.0, 2.0, 0.0, 1.5], &labels)
        .with(Need::Codes, of(&[4, 2], &codes))
        .with(Need::Task, of(&[3], &[0.0, 1.0, 0.0]));
    let found = problems("cem", &inputs);
    let expected = [
        "codes: row 0, column 1 is NaN",
        "codes: row 2, column 0 is inf",
        "predictions: row 3, column 0 is 1.5; labels are whole numbers",
        "predictions: row 1, column 0 is 2, and must be below 2",
        "task has 3 rows, and codes has 4",
        "labels: row 3, column 1 is 0.5",
    ];
    for words in expected {
        let said = found.iter().filter(|it| it.starts_with(words)).count();
        assert_eq!(said, 1, "{words}: {found:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
    // An option beside arrays.
    let request = Request {
        parameters: vec![("most".to_owned(), 0.5)],
        ..Request::default()
    };
    let inputs = Inputs::default()
        .with(Need::Codes, of(&[2, 2], &[1.0, f64::NAN, 0.0, 0.0]))
        .with(Need::Directions, of(&[1, 2, 3], &[0.5; 6]))
        .with(Need::Importances, of(&[2, 2], &[0.5; 4]))
        .with(Need::Outputs, of(&[1, 1], &[0.5]));
    let found = find("parsimony")
        .unwrap()
        .run(&inputs, &request)
        .unwrap_err();
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    for words in [
        "codes: row 0, column 1 is NaN",
        "most is 0.5",
        "directions has 3 entries, and codes has 2",
        "importances has 2 rows, and directions has 1",
        "outputs has 1 rows, and codes has 2",
    ] {
        assert!(
            found.iter().any(|it| it.starts_with(words)),
            "{words}: {found:?}"
        );
    }
    assert_eq!(found.len(), 5, "{found:?}");
}

#[test]
fn ten_places_are_named_and_the_others_counted() {
    let inputs = aligned(&[0.0, 1.0, 0.0, 1.0], &[0.0; 8]).with(
        Need::Codes,
        of(&[4, 2, 3], &[&[f64::NAN; 12][..], &[0.0; 12]].concat()),
    );
    let found = problems("cgim", &inputs);
    assert!(
        found[3].starts_with("codes: row 0, column 1 is NaN"),
        "{found:?}"
    );
    assert!(
        found[9].starts_with("codes: row 1, column 1 is NaN"),
        "{found:?}"
    );
    assert_eq!(found[10], "codes: 2 more numbers are wrong in the same way");
    assert!(
        found[11].starts_with("codes: its shape is [4, 2, 3]"),
        "{found:?}"
    );
}
