//! `r.json`.

use measures::statistics::Undefined;
use measures::statistics::anova::{mixed, welch};
use measures::statistics::contingency::fisher;
use measures::statistics::t_test::{Variances, contrast_test};
use serde_json::Value;

use super::{data, numbers, rows, same, within};

pub fn r() -> Value {
    serde_json::from_str(include_str!("r.json")).unwrap()
}

#[test]
fn mixed_anova_agrees_with_afex() {
    let (r, data) = (r(), data());
    let groups: Vec<Vec<Vec<f64>>> = data["mixed"].as_array().unwrap().iter().map(rows).collect();
    let found = mixed(&groups).unwrap();
    let expected = &r["mixed"];
    for (key, test) in [
        ("between", found.between),
        ("within", found.within),
        ("interaction", found.interaction),
    ] {
        same(test.f, &expected["f"][key]);
        same(test.p, &expected["p"][key]);
        same(test.df2, &expected["df2"][key]);
    }
    same(found.epsilon.unwrap(), &expected["epsilon"]);
    let corrected = found.p_within_greenhouse_geisser.unwrap();
    same(corrected, &expected["p_gg"]["within"]);
    let corrected = found.p_interaction_greenhouse_geisser.unwrap();
    same(corrected, &expected["p_gg"]["interaction"]);
}

#[test]
fn contrasts_of_independent_samples_agree_with_lm() {
    let (r, data) = (r(), data());
    let groups = rows(&data["groups"]);
    let groups: Vec<&[f64]> = groups.iter().map(Vec::as_slice).collect();
    for key in ["a", "b"] {
        let expected = &r["contrasts"][key];
        let weights = numbers(&expected["weights"]);
        for (key, variances) in [
            ("pooled", Variances::Pooled),
            ("separate", Variances::Separate),
        ] {
            let found = contrast_test(&groups, &weights, variances).unwrap();
            same(found.difference, &expected[key]["estimate"]);
            same(found.standard_error, &expected[key]["se"]);
            same(found.df, &expected[key]["df"]);
            same(found.p.two_sided, &expected[key]["p"]);
        }
    }
    let refused =
        |weights: &[f64]| contrast_test(&groups[..2], weights, Variances::Pooled).unwrap_err();
    assert!(matches!(refused(&[1.0]), Undefined::Lengths { .. }));
    assert!(matches!(
        refused(&[1.0, f64::NAN]),
        Undefined::NotFinite { index: 1 }
    ));
    let constant: [&[f64]; 2] = [&[1.0, 1.0], &[2.0, 2.0]];
    let found = contrast_test(&constant, &[1.0, -1.0], Variances::Pooled);
    assert_eq!(found.unwrap_err(), Undefined::Constant);
}

#[test]
fn welchs_anova() {
    let (r, data) = (r(), data());
    let found = welch(&rows(&data["groups"])).unwrap();
    same(found.f, &r["welch"]["f"]);
    same(found.df2, &r["welch"]["df2"]);
    same(found.p, &r["welch"]["p"]);
}

#[test]
fn fishers_exact_test_of_seven_groups() {
    let (r, data) = (r(), data());
    let table: Vec<[usize; 2]> = serde_json::from_value(data["retention"].clone()).unwrap();
    // R's network algorithm rounds its paths; it agrees with itself to about 1e-9.
    within(fisher(&table).unwrap(), &r["fisher"], 1e-8, 0.0);
    within(
        fisher(&table[..3]).unwrap(),
        &r["fisher_first_three"],
        1e-9,
        0.0,
    );
}
