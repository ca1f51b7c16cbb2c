//! SURF, ICE, MCD, C-SHAP 1, against the golden file.

use crate::{all_close, array, close, numbers, run, transposed, whole};
use measures::array::Array;
use measures::faithfulness::agreement::Losses;
use measures::faithfulness::cost::{Sizes, cshap_flops, cshap_parameters, ice_flops, surf_flops};
use measures::faithfulness::loss::completeness;
use measures::faithfulness::projection::non_negative;
use measures::faithfulness::sanity::steps;
use measures::faithfulness::surrogates::{ice, mcd, products, surf, surf_of_projections};
use measures::inputs::{Inputs, Need};
use measures::random::Random;
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/faithfulness.json")).unwrap()
}

/// One concept for each output.
fn single(vectors: &Array) -> Array {
    let shape = vec![vectors.rows(), 1, vectors.columns()];
    Array::new(shape, vectors.values().to_vec()).unwrap()
}

fn ones(values: Vec<f64>) -> Array {
    Array::new(vec![values.len(), 1], values).unwrap()
}

/// Directions and importances of the three steps, with the draws of the golden file.
fn golden_steps(case: &Value) -> [(&'static str, Array, Array); 3] {
    let weights = transposed(&array(&case["F"]));
    let [perfect, _, _] = steps(&weights, &mut Random::new(0, 0));
    let random = ones(numbers(&case["rand_imp"]));
    let vectors = single(&array(&case["rand_cav"]));
    [
        ("perfect", perfect.directions.clone(), perfect.importances),
        ("rand_imp", perfect.directions, random.clone()),
        ("full_rand", vectors, random),
    ]
}

#[test]
fn surf_and_ice_at_the_three_steps() {
    let golden = golden();
    let case = &golden["surf"];
    let (codes, outputs) = (array(&case["H"]), array(&case["y"]));
    let (weights, bias) = (transposed(&array(&case["F"])), numbers(&case["b"]));
    let task = whole(&case["t_argmax"]);
    for (step, directions, importances) in golden_steps(case) {
        for (name, surrogate) in [
            ("SURF", surf(&codes, &directions, &importances, &bias)),
            ("ICE", ice(&codes, &weights, &directions, &bias)),
        ] {
            let expected = &case[name][step];
            all_close(surrogate.values(), &numbers(&expected["yhat"]), step);
            let found = Losses::of(&outputs, &surrogate, Some(&task), 0.25);
            let of = |key: &str| expected[key].as_f64().unwrap();
            close(found.surf_mae, of("SURF_MAE"), step);
            close(found.surf_emd, of("SURF_EMD"), step);
            close(found.ice_2, of("top1_agree"), step);
            close(found.mean_ice_1().unwrap(), of("norm_l1"), step);
            close(
                found.mean_rank_correlation().unwrap(),
                of("rank_corr"),
                step,
            );
        }
    }
}

#[test]
fn surf_as_a_measure() {
    let golden = golden();
    let case = &golden["surf"];
    let [_, (_, directions, importances), _] = golden_steps(case);
    let inputs = Inputs::default()
        .with(Need::Codes, array(&case["H"]))
        .with(Need::Weights, transposed(&array(&case["F"])))
        .with(Need::Directions, directions)
        .with(Need::Importances, importances)
        .with(Need::Bias, array(&case["b"]))
        .with(Need::Outputs, array(&case["y"]))
        .with(Need::Task, array(&case["t_argmax"]));
    for (measure, name) in [("surf", "SURF"), ("ice", "ICE")] {
        let found = run(measure, &inputs, "", &[]).unwrap();
        let expected = &case[name]["rand_imp"];
        for (score, key) in [
            ("surf_mae", "SURF_MAE"),
            ("surf_emd", "SURF_EMD"),
            ("ice_1", "norm_l1"),
            ("ice_2", "top1_agree"),
            ("rank_correlation", "rank_corr"),
        ] {
            close(
                found.value(score).unwrap(),
                expected[key].as_f64().unwrap(),
                score,
            );
        }
        let surrogate = array(&expected["yhat"]);
        let of_outputs = run(
            "surrogate-agreement",
            &inputs.clone().with(Need::Surrogate, surrogate),
            "",
            &[],
        );
        let of_outputs = of_outputs.unwrap();
        for (one, other) in found.values.iter().zip(&of_outputs.values) {
            close(one.value.unwrap(), other.value.unwrap(), one.score.name);
        }
        let alone = run(measure, &inputs, "regression", &[]).unwrap();
        assert_eq!(
            (alone.values.len(), alone.value("surf_mae")),
            (1, found.value("surf_mae"))
        );
    }
    // The model has the class of every input: C-SHAP 1 is (0.7 − ¼) / (1 − ¼) where 7 of 10 classes are the same.
    let found = run("surf", &inputs, "", &[]).unwrap();
    close(
        found.value("cshap_1").unwrap(),
        (0.7 - 0.25) / 0.75,
        "C-SHAP 1",
    );
}

#[test]
fn surf_sums_over_positions() {
    let golden = golden();
    let case = &golden["surf_spatial"];
    let (codes, outputs) = (array(&case["H_njd"]), array(&case["y"]));
    let (directions, importances) = (array(&case["V_ckd"]), array(&case["alpha_ck"]));
    let bias = numbers(&case["b"]);
    let found = surf(&codes, &directions, &importances, &bias);
    all_close(found.values(), &numbers(&case["yhat"]), "outputs");
    let losses = Losses::of(&outputs, &found, None, 0.0);
    close(losses.surf_mae, case["SURF_MAE"].as_f64().unwrap(), "MAE");
    close(losses.surf_emd, case["SURF_EMD"].as_f64().unwrap(), "EMD");
    let expected = case["spearman_mean_over_inputs"].as_f64().unwrap();
    close(
        losses.mean_rank_correlation().unwrap(),
        expected,
        "rank correlation",
    );
    // The same from projections that somebody else made.
    let mut projections = Vec::new();
    for input in 0..codes.rows() {
        for output in 0..directions.rows() {
            for concept in 0..directions.columns() {
                let vector = directions.at(output, concept);
                let of = |position: usize| -> f64 {
                    codes
                        .at(input, position)
                        .iter()
                        .zip(vector)
                        .map(|(h, v)| h * v)
                        .sum()
                };
                projections.push((0..codes.columns()).map(of).sum());
            }
        }
    }
    let projections = Array::new(vec![6, 3, 2], projections).unwrap();
    let again = surf_of_projections(&projections, &importances, &bias);
    all_close(again.values(), found.values(), "projections");
}

#[test]
fn subspaces_leave_their_complement_out() {
    let golden = golden();
    let case = &golden["mcd"];
    let (codes, bias) = (array(&case["h"]), numbers(&case["b"]));
    let weights = transposed(&array(&case["F"]));
    let basis = array(&case["basis"]);
    let three = |basis: &[f64]| Array::new(vec![3, basis.len() / 5, 5], basis.repeat(3)).unwrap();
    let bases = three(basis.values());
    all_close(
        products(&weights, &bases).values(),
        &numbers(&case["alpha_cj"]),
        "α",
    );
    let expected = numbers(&case["yhat_without_residual"]);
    let found = mcd(&codes, &weights, &bases, &bias).unwrap();
    all_close(found.values(), &expected, "orthonormal");
    // Other vectors of the same subspace leave the same out.
    let skewed: Vec<f64> = (0..5)
        .map(|d| 2.0 * basis.row(0)[d] + 0.5 * basis.row(1)[d])
        .collect();
    let found = mcd(
        &codes,
        &weights,
        &three(&[&skewed, basis.row(1)].concat()),
        &bias,
    )
    .unwrap();
    all_close(found.values(), &expected, "not orthogonal");
    let twice = three(&[basis.row(0), basis.row(0)].concat());
    assert_eq!(mcd(&codes, &weights, &twice, &bias), Err(0));
}

#[test]
fn what_surrogates_cost() {
    let golden = golden();
    let sizes = Sizes {
        concepts: 1,
        outputs: 100,
        codes: 2048,
    };
    let found = [surf_flops(sizes), ice_flops(sizes), cshap_flops(sizes, 500)];
    let flops = &golden["surf"]["flops"];
    let expected =
        ["surf_2KC", "ice_CD(2K+1)", "cshap_2C(H1K+H1D+D)"].map(|key| flops[key].as_u64().unwrap());
    assert_eq!(found, expected);
    let expected = golden["surf_params"]["with_biases"].as_u64().unwrap();
    assert_eq!(cshap_parameters(sizes, 500), expected);
    let case = &golden["cshap1"];
    let of = |key: &str| case[key].as_f64().unwrap();
    let found = completeness(of("acc_surrogate"), of("acc_model"), of("a_r"));
    close(found.unwrap(), of("value"), "C-SHAP 1");
    assert_eq!(completeness(0.5, 0.1, 0.1), None);
}

#[test]
fn non_negative_parts_are_those_of_scipy() {
    let golden = golden();
    let case = &golden["non_negative"];
    let (codes, directions) = (array(&case["h"]), array(&case["V_ckd"]));
    let expected = array(&case["parts_nck"]);
    let found = non_negative(&codes, &directions, |_| {}).unwrap();
    assert_eq!(found.shape(), expected.shape());
    all_close(found.values(), expected.values(), "parts");
    assert!(expected.values().contains(&0.0), "some would be negative");
    // Codes that are put together from the vectors come apart as they were.
    let parts = [0.5, 0.0, 2.0];
    let code: Vec<f64> = (0..6)
        .map(|d| (0..3).map(|k| parts[k] * directions.at(1, k)[d]).sum())
        .collect();
    let inputs = Inputs::default()
        .with(Need::Codes, Array::from_rows(&[code]).unwrap())
        .with(Need::Directions, directions)
        .with(
            Need::Importances,
            Array::new(vec![2, 3], vec![1.0; 6]).unwrap(),
        )
        .with(
            Need::Outputs,
            Array::new(vec![1, 2], vec![0.0, 2.5]).unwrap(),
        );
    let found = run("surf", &inputs, "non-negative", &[]).unwrap();
    let first = non_negative(
        inputs.needed(Need::Codes),
        inputs.needed(Need::Directions),
        |_| {},
    )
    .unwrap();
    all_close(first.at(0, 1), &parts, "parts");
    close(
        found.value("surf_mae").unwrap(),
        first.at(0, 0).iter().sum::<f64>() / 2.0,
        "MAE",
    );
    let below = inputs.with(
        Need::Codes,
        Array::new(vec![1, 6], vec![1.0, -0.5, 0.0, 0.0, 1.0, 1.0]).unwrap(),
    );
    let problems = run("surf", &below, "non-negative", &[]).unwrap_err();
    assert!(
        problems[0]
            .to_string()
            .contains("codes: row 0, column 1 is -0.5"),
        "{problems:?}"
    );
    assert!(run("surf", &below, "product", &[]).is_ok());
}
