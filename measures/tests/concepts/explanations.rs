//! Explanations that get longer, or worse step by step.

use crate::{array, close, numbers, run, transposed};
use measures::array::Array;
use measures::faithfulness::loss::mean_absolute_error;
use measures::faithfulness::surf::parsimony;
use measures::faithfulness::surrogates::surf;
use measures::inputs::{Inputs, Need};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/faithfulness.json")).unwrap()
}

#[test]
fn more_concepts_are_more_faithful_when_they_are_the_layer() {
    let golden = golden();
    let case = &golden["surf"];
    let (codes, outputs, bias) = (array(&case["H"]), array(&case["y"]), numbers(&case["b"]));
    let weights = array(&case["F"]);
    // The axes are the concepts, and the weights how much each counts.
    let mut axes = Vec::new();
    for _ in 0..4 {
        axes.extend((0..36).map(|p| f64::from(u8::from(p / 6 == p % 6))));
    }
    let axes = Array::new(vec![4, 6, 6], axes).unwrap();
    let points = parsimony(&codes, &axes, &weights, &bias, &outputs, 6, 1);
    assert_eq!(
        points,
        parsimony(&codes, &axes, &weights, &bias, &outputs, 6, 3)
    );
    assert_eq!(points.len(), 6);
    close(points[5].mae, 0.0, "all of them");
    close(points[5].emd, 0.0, "all of them");
    assert!(
        points[0].mae > points[4].mae && points[4].mae > 0.0,
        "{points:?}"
    );
    // By hand: with one concept, only the largest weight of each output.
    let largest: Vec<f64> = (0..4)
        .flat_map(|output| {
            let row = weights.row(output);
            let most = row.iter().fold(0.0_f64, |most, w| most.max(w.abs()));
            row.iter()
                .map(move |&w| if w.abs() == most { w } else { 0.0 })
                .collect::<Vec<_>>()
        })
        .collect();
    let one = surf(
        &codes,
        &axes,
        &Array::new(vec![4, 6], largest).unwrap(),
        &bias,
    );
    close(
        points[0].mae,
        mean_absolute_error(&outputs, &one),
        "one concept",
    );
    let inputs = Inputs::default()
        .with(Need::Codes, codes)
        .with(Need::Directions, axes)
        .with(Need::Importances, weights)
        .with(Need::Bias, array(&case["b"]))
        .with(Need::Outputs, outputs);
    let found = run("parsimony", &inputs, "", &[("most", 9.0)]).unwrap();
    assert_eq!(found.tables[0].rows.len(), 6);
    assert_eq!(found.flags.len(), 1, "nine were asked for");
}

#[test]
fn surf_notices_both_steps_and_ice_only_the_second() {
    let golden = golden();
    let case = &golden["surf"];
    let inputs = Inputs::default()
        .with(Need::Codes, array(&case["H"]))
        .with(Need::Weights, transposed(&array(&case["F"])))
        .with(Need::Bias, array(&case["b"]));
    let found = run("faithfulness-sanity", &inputs, "", &[]).unwrap();
    let at = |score: &str| -> Vec<f64> {
        let values = found.values.iter().filter(|v| v.score.name == score);
        values.map(|v| v.value.unwrap()).collect()
    };
    for score in ["surf_mae", "surf_emd"] {
        let [perfect, rand_imp, full_rand] = at(score)[..] else {
            panic!()
        };
        close(perfect, 0.0, score);
        assert!(
            0.1 < rand_imp && rand_imp < full_rand,
            "{score}: {rand_imp}, {full_rand}"
        );
    }
    let [perfect, rand_imp, full_rand] = at("ice_1")[..] else {
        panic!()
    };
    close(perfect, 0.0, "ICE 1");
    close(rand_imp, 0.0, "ICE 1");
    assert!(full_rand > 0.1, "{full_rand}");
    assert_eq!(at("ice_2")[..2], [1.0, 1.0]);
    // C-SHAP's are the same before and after the first step, and not perfect.
    let losses = &found.tables[0].rows;
    assert_eq!(found.tables[0].row_names[6], "C-SHAP, Perfect");
    assert_eq!(losses[6], losses[7]);
    assert!(losses[6][3].unwrap() > 0.1, "{:?}", losses[6]);
    let counts = |row: usize| losses[row][6..].to_vec();
    assert_eq!(counts(0), [Some(0.0), Some(2.0 * 4.0)]);
    assert_eq!(counts(3), [Some(0.0), Some(4.0 * 6.0 * 3.0)]);
    let learnt = 500.0 + 500.0 + 500.0 * 6.0 + 6.0;
    assert_eq!(
        counts(6),
        [Some(learnt), Some(2.0 * 4.0 * (500.0 + 3000.0 + 6.0))]
    );
    let again = run("faithfulness-sanity", &inputs, "", &[]).unwrap();
    assert_eq!(
        again.values, found.values,
        "the same seed gives the same numbers"
    );
}

/// Codes of two clusters and axes as concepts: everything can be decoded, so the surrogate learns the classes.
#[test]
fn cshap_learns_classes_from_concepts_that_have_them() {
    let codes: Vec<f64> = (0..200)
        .flat_map(|row| {
            let side = f64::from(row % 2) * 2.0 - 1.0;
            [
                side + f64::from(row % 7) / 20.0,
                f64::from(row % 5) / 10.0 - side,
            ]
        })
        .collect();
    let codes = Array::new(vec![200, 2], codes).unwrap();
    let weights = Array::new(vec![2, 2], vec![1.0, -1.0, -0.5, 0.5]).unwrap();
    let outputs = measures::faithfulness::surrogates::last_layer(&codes, &weights, &[]);
    let axes = [1.0, 0.0, 0.0, 1.0].repeat(2);
    let task = (0..200).map(|row| f64::from(1 - row % 2)).collect();
    let inputs = Inputs::default()
        .with(Need::Codes, codes)
        .with(Need::Weights, weights)
        .with(Need::Directions, Array::new(vec![2, 2, 2], axes).unwrap())
        .with(Need::Outputs, outputs)
        .with(Need::Task, Array::new(vec![200], task).unwrap());
    for loss in ["cross-entropy", "l1"] {
        let found = run("cshap", &inputs, loss, &[("hidden", 50.0)]).unwrap();
        assert_eq!(found.value("cshap_1"), Some(1.0), "{loss}");
        assert_eq!(found.rows, 40, "a fifth of the samples");
        let again = run("cshap", &inputs, loss, &[("hidden", 50.0)]).unwrap();
        assert_eq!(again.values, found.values);
    }
}
