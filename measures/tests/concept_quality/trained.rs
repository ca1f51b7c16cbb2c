//! Measures that train networks, beside the same procedure in scikit-learn: `../golden/trained.py` makes inputs and
//! numbers.

use measures::array::Array;
use measures::concept_quality::oracle_impurity::{independent, oracle_impurity};
use measures::inputs::{Inputs, Need};
use measures::list;
use measures::measure::Request;
use measures::outcome::Outcome;
use serde_json::Value;

/// How far means of five seeds may be from scikit-learn's.
const TOLERANCE: f64 = 0.03;

struct Golden {
    inputs: Inputs<'static>,
    beta: f64,
    means: Value,
    /// The same of NPS and NIS, which seeds move more: of 25 seeds.
    of_25: Value,
}

fn golden() -> Golden {
    let golden: Value = serde_json::from_str(include_str!("../golden/trained.json")).unwrap();
    let rows = |key: &str, unit: f64| {
        let rows = golden[key].as_array().unwrap().iter();
        let numbers = |row: &Value| -> Vec<f64> {
            let one = std::slice::from_ref(row);
            let row = row.as_array().map_or(one, Vec::as_slice);
            row.iter().map(|v| v.as_f64().unwrap() / unit).collect()
        };
        Array::from_rows(&rows.map(numbers).collect::<Vec<_>>()).unwrap()
    };
    Golden {
        inputs: Inputs::default()
            .with(Need::Codes, rows("codes_in_hundredths", 100.0))
            .with(Need::Labels, rows("concepts", 1.0))
            .with(Need::Task, rows("task", 1.0)),
        beta: golden["beta"].as_f64().unwrap(),
        means: golden["means_of_five_seeds"].clone(),
        of_25: golden["means_of_25_seeds"].clone(),
    }
}

/// Outcomes of five seeds.
fn five(
    name: &str,
    golden: &Golden,
    variant: Option<&str>,
    parameters: &[(&str, f64)],
) -> Vec<Outcome> {
    seeds(5, name, golden, variant, parameters)
}

/// Outcomes of so many seeds.
fn seeds(
    count: u64,
    name: &str,
    golden: &Golden,
    variant: Option<&str>,
    parameters: &[(&str, f64)],
) -> Vec<Outcome> {
    let measure = list::find(name).unwrap();
    let outcome = |seed: u64| {
        let request = Request {
            seed,
            threads: 2,
            variant: variant.map(str::to_owned),
            parameters: parameters
                .iter()
                .map(|(name, v)| ((*name).to_owned(), *v))
                .collect(),
            ..Request::default()
        };
        measure.run(&golden.inputs, &request).unwrap()
    };
    (0..count).map(outcome).collect()
}

fn near(outcomes: &[Outcome], score: &str, golden: &Golden, key: &str, tolerance: f64) {
    let values: Vec<f64> = outcomes.iter().map(|o| o.value(score).unwrap()).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let expected = golden.of_25.get(key).unwrap_or(&golden.means[key]);
    let expected = expected.as_f64().unwrap();
    let apart = (mean - expected).abs();
    println!("{key}: {mean:.4} {values:.4?}, scikit-learn {expected:.4}");
    assert!(
        apart <= tolerance,
        "{key}: {mean}, and scikit-learn {expected}"
    );
}

#[test]
fn oracle_impurity_is_near_scikit_learns() {
    let golden = golden();
    let printed = five("ois", &golden, None, &[]);
    near(&printed, "ois", &golden, "ois", TOLERANCE);
    let non_oracle = printed.iter().map(|outcome| {
        let purity = outcome.tables[0].rows.iter();
        let purity = purity.map(|row| row.iter().map(|area| area.unwrap()).collect());
        oracle_impurity(&purity.collect::<Vec<Vec<f64>>>(), &independent(3))
    });
    let (mean, expected) = (
        non_oracle.sum::<f64>() / 5.0,
        golden.means["non_oracle"].as_f64(),
    );
    assert!((mean - expected.unwrap()).abs() <= TOLERANCE, "{mean}");
    let purity = golden.means["purity"].as_array().unwrap();
    for (code, row) in purity.iter().enumerate() {
        for (concept, expected) in row.as_array().unwrap().iter().enumerate() {
            let areas = printed
                .iter()
                .map(|o| o.tables[0].rows[code][concept].unwrap());
            let mean = areas.sum::<f64>() / 5.0;
            let expected = expected.as_f64().unwrap();
            assert!(
                (mean - expected).abs() <= TOLERANCE,
                "{code} {concept}: {mean}, {expected}"
            );
        }
    }
}

#[test]
fn niche_scores_are_near_scikit_learns() {
    let golden = golden();
    let outcomes = seeds(25, "niche", &golden, None, &[("beta", golden.beta)]);
    near(&outcomes, "nps", &golden, "nps", TOLERANCE);
    near(&outcomes, "nis", &golden, "nis", TOLERANCE);
    near(&outcomes, "niche_size", &golden, "niche_size", 0.25);
    for variant in ["cem", "concept-quality"] {
        let outcomes = five("nis-released", &golden, Some(variant), &[]);
        near(&outcomes, "nis_released", &golden, variant, TOLERANCE);
    }
}

#[test]
fn concept_auc_is_near_scikit_learns() {
    let golden = golden();
    let outcomes = five("concept-auc", &golden, None, &[]);
    near(&outcomes, "concept_auc", &golden, "concept_auc", TOLERANCE);
}

#[test]
fn regressions_on_all_codes_are_near_scikit_learns() {
    let golden = golden();
    let outcomes = five("explicitness", &golden, None, &[]);
    near(
        &outcomes,
        "explicitness",
        &golden,
        "explicitness",
        TOLERANCE,
    );
    let outcomes = five("infomec", &golden, None, &[]);
    near(&outcomes, "infoe", &golden, "infoe", TOLERANCE);
}
