//! CGIM, CEM, CoAM.

use crate::{all_close, array, close, numbers, run, whole};
use measures::alignment::activation_mapping::activation_maps;
use measures::alignment::existence::existence;
use measures::alignment::global_importance::{Similarity, alignments, class_means};
use measures::alignment::order::Importance;
use measures::array::Array;
use measures::inputs::{Inputs, Need};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/alignment.json")).unwrap()
}

fn inputs(case: &Value) -> Inputs<'static> {
    Inputs::default()
        .with(Need::Codes, array(&case["u_hat_NxL"]))
        .with(Need::Weights, array(&case["theta_LxK"]))
        .with(Need::Labels, array(&case["u_true_NxL"]))
        .with(Need::Predictions, array(&case["pred"]))
        .with(Need::Task, array(&case["y"]))
}

#[test]
fn global_importance_by_cosine_and_pearson() {
    let golden = golden();
    let case = &golden["cgim_cem"];
    let (y, said) = (whole(&case["y"]), whole(&case["pred"]));
    let all: Vec<Option<usize>> = y.iter().copied().map(Some).collect();
    let correct: Vec<Option<usize>> = y
        .iter()
        .zip(&said)
        .map(|(y, said)| (y == said).then_some(*y))
        .collect();
    let truth = class_means(&array(&case["u_true_NxL"]), &all, 3);
    let seen = class_means(&array(&case["u_hat_NxL"]), &correct, 3);
    for (means, key) in [(&truth, "V_class_mean"), (&seen, "U_star_correct_mean")] {
        let means: Vec<Vec<f64>> = means.iter().flatten().cloned().collect();
        let means = crate::transposed(&Array::from_rows(&means).unwrap());
        all_close(means.values(), &numbers(&case[key]), key);
    }
    let theta = array(&case["theta_LxK"]);
    for similarity in [Similarity::Cosine, Similarity::Pearson] {
        let found = alignments(&theta, &truth, &seen, similarity);
        for (number, found) in found.iter().enumerate() {
            let name = format!("CGIM{}", number + 1);
            let (concepts, classes) = match similarity {
                Similarity::Cosine => (&case["per_concept"][&name], &case["per_class"][&name]),
                Similarity::Pearson => {
                    let case = &golden["cgim_pearson"][&name];
                    (&case["per_concept"], &case["per_class"])
                }
            };
            let there = |values: &[Option<f64>]| -> Vec<f64> {
                values.iter().map(|v| v.unwrap()).collect()
            };
            all_close(&there(&found.per_concept), &numbers(concepts), &name);
            all_close(&there(&found.per_class), &numbers(classes), &name);
        }
    }
}

#[test]
fn global_importance_as_a_measure() {
    let golden = golden();
    let case = &golden["cgim_cem"];
    let found = run("cgim", &inputs(case), "", &[]).unwrap();
    for number in 1..=3 {
        for (what, key) in [("concepts", "per_concept"), ("classes", "per_class")] {
            let expected = numbers(&case[key][format!("CGIM{number}")]);
            let expected = expected.iter().sum::<f64>() / expected.len() as f64;
            let score = format!("cgim{number}_{what}");
            close(found.value(&score).unwrap(), expected, &score);
        }
    }
    assert_eq!(found.flags, []);
}

#[test]
fn existence_in_three_orders() {
    let golden = golden();
    let case = &golden["cgim_cem"];
    let said = whole(&case["pred"]);
    let arrays = ["u_hat_NxL", "theta_LxK", "u_true_NxL"].map(|key| array(&case[key]));
    for (key, (name, importance)) in ["theta_u", "u", "theta"].iter().zip(Importance::NAMED) {
        let each = existence(
            &arrays[0],
            &arrays[1],
            &arrays[2],
            &said,
            importance,
            &[1, 3, 5],
        );
        let measure = run("cem", &inputs(case), name, &[]).unwrap();
        for (place, first) in [1, 3, 5].into_iter().enumerate() {
            let expected = &case["CEM"][format!("{key}_l{first}")];
            let of_images: Vec<f64> = each.iter().map(|image| image[place]).collect();
            all_close(&of_images, &numbers(&expected["per_image"]), key);
            let (all, correct) = (format!("cem_{first}"), format!("cem_{first}_correct"));
            close(
                measure.value(&all).unwrap(),
                expected["all"].as_f64().unwrap(),
                key,
            );
            close(
                measure.value(&correct).unwrap(),
                expected["correct"].as_f64().unwrap(),
                key,
            );
        }
    }
}

#[test]
fn activation_maps_average_to_the_projection() {
    let golden = golden();
    let case = &golden["coam_clm"];
    let found = activation_maps(&array(&case["E_HWd"]), &array(&case["C_Ld"]));
    assert_eq!(found.shape(), [2, 2, 3]);
    all_close(found.values(), &numbers(&case["F_LHW"]), "maps");
    let means: Vec<f64> = (0..2)
        .map(|c| found.row(c).iter().sum::<f64>() / 6.0)
        .collect();
    all_close(&means, &numbers(&case["proj_over_d"]), "means");
}
