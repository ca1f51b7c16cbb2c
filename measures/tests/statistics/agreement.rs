//! Krippendorff's α against the package `krippendorff` 0.9.0 of PyPI:
//! `krippendorff.alpha(reliability_data=coders, level_of_measurement="nominal")`.

use measures::statistics::Undefined;
use measures::statistics::agreement::krippendorff_nominal;

/// Codes of twelve units by four coders, 0 where one is missing.
const CODERS: [[u8; 12]; 4] = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
];

fn units(coders: &[[u8; 12]]) -> Vec<Vec<u8>> {
    (0..12)
        .map(|unit| {
            let codes = coders.iter().map(|codes| codes[unit]);
            codes.filter(|code| *code > 0).collect()
        })
        .collect()
}

#[test]
fn two_coders_and_four() {
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
    let found = krippendorff_nominal(&units(&CODERS[..2])).unwrap();
    close(found, 0.852_173_913_043_478_3);
    let found = krippendorff_nominal(&units(&CODERS)).unwrap();
    close(found, FOUR);
    let opposed = [vec![1, 2], vec![1, 2], vec![2, 1], vec![2, 1]];
    close(krippendorff_nominal(&opposed).unwrap(), -0.75);
}

/// Of all four.
const FOUR: f64 = 0.743_421_052_631_579;

#[test]
fn what_cannot_disagree_has_no_alpha() {
    let same = krippendorff_nominal(&[vec!["a", "a"], vec!["a", "a"]]);
    assert_eq!(same.err(), Some(Undefined::Constant));
    let alone = krippendorff_nominal(&[vec!["a"], vec![]]);
    assert!(matches!(alone.err(), Some(Undefined::TooFew { .. })));
}
