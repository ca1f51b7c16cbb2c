//! `r.json`.

use measures::statistics::anova::{mixed, welch};
use measures::statistics::contingency::fisher;
use serde_json::Value;

use super::{data, rows, same, within};

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
