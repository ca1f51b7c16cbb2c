//! Attention, coverage, completeness, purity, distinctiveness.

use crate::{all_close, array, close, numbers, rows, run, whole};
use measures::array::Array;
use measures::discovered::attention::{activations, combined, non_overlapping, overlapping};
use measures::discovered::baselines::{
    cluster_attention, component_attention, largest_component, nearest_cluster,
};
use measures::discovered::components::components;
use measures::discovered::coverage::Cover;
use measures::discovered::matching::{
    Matching, Pairs, associate, completeness, distinctiveness, purity,
};
use measures::inputs::{Inputs, Need};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/discovered.json")).unwrap()
}

#[test]
fn attention_in_both_forms() {
    let case = &golden()["botcl_attention"];
    let scores = array(&case["a_prime_kS"]);
    let found = overlapping(&scores);
    all_close(
        found.values(),
        &numbers(&case["overlapping_sigmoid"]),
        "overlapping",
    );
    let found = non_overlapping(&scores);
    all_close(
        found.values(),
        &numbers(&case["non_overlapping"]),
        "non-overlapping",
    );
    all_close(
        &activations(&found),
        &numbers(&case["t_tanh_sum"]),
        "activations",
    );
    let case = &golden()["botcl_combined"];
    let found = combined(&array(&case["a_kS"]), &numbers(&case["z_class_k"]));
    all_close(&found, &numbers(&case["a_bar"]), "combined");
}

#[test]
fn attention_of_clusters_and_components() {
    let case = &golden()["botcl_baselines"];
    let (features, centres) = (array(&case["features_Pd"]), array(&case["centres_kd"]));
    let found = cluster_attention(&features, &centres);
    all_close(
        found.values(),
        &numbers(&case["kmeans_attention_kP"]),
        "k-means",
    );
    all_close(&activations(&found), &numbers(&case["kmeans_t"]), "k-means");
    // The nearest centre is the one with the largest attention.
    let hard = nearest_cluster(&features, &centres);
    for position in 0..features.rows() {
        let nearer = usize::from(found.at(1, position) > found.at(0, position));
        assert_eq!(hard.column(position), [1.0 - nearer as f64, nearer as f64]);
    }
    let found = component_attention(&features, &numbers(&case["mean_subtracted"]), &centres);
    all_close(found.values(), &numbers(&case["pca_attention_kP"]), "PCA");
    all_close(&activations(&found), &numbers(&case["pca_t"]), "PCA");
    let still = component_attention(&features, features.row(0), &centres);
    assert_eq!(
        still.at(0, 0),
        [0.0],
        "a feature that is the mean has no direction"
    );
}

// import numpy as np; from sklearn.decomposition import PCA   # 2.4.6, 1.9.1; f = botcl_baselines["features_Pd"]
// c = PCA(2).fit(f).components_; d = (f - f.mean(0))/f.std(0, ddof=1)   # as torch.std has it
// print(abs(d @ c.T).argmax(1).tolist())
#[test]
fn a_position_is_of_the_component_with_the_largest_product() {
    let features = array(&golden()["botcl_baselines"]["features_Pd"]);
    let of = components(&features, 2).unwrap();
    let found = largest_component(&features, &of.mean, &of.deviations, &of.directions);
    assert_eq!(found.row(0), [0.0, 1.0, 1.0, 0.0]);
    assert_eq!(found.row(1), [1.0, 0.0, 0.0, 1.0]);
    // An entry that does not vary is left out, in the place of a division by 0.
    let still = largest_component(&features, &of.mean, &[0.0; 3], &of.directions);
    assert_eq!(still.row(0), [1.0; 4]);
}

#[test]
fn completeness_purity_distinctiveness() {
    let golden = golden();
    let case = &golden["botcl_cov"];
    let coverage = rows(&case["coverage_shapes_x_concepts"]);
    let best = associate(&coverage, Matching::BestPerShape);
    let expected: Vec<Option<usize>> = whole(&case["assoc"]).into_iter().map(Some).collect();
    assert_eq!(best, expected);
    let number = |of: &Value| of.as_f64().unwrap();
    close(
        completeness(&coverage, &best).unwrap(),
        number(&case["completeness"]),
        "completeness",
    );
    close(
        purity(&coverage, &best).mean.unwrap(),
        number(&case["purity"]),
        "purity",
    );
    let expected = &golden["distinctiveness"];
    for (pairs, name) in [
        (Pairs::Matches, "pairs_of_matches"),
        (Pairs::DistinctConcepts, "pairs_of_distinct_concepts"),
    ] {
        let found = distinctiveness(&coverage, &best, pairs).unwrap();
        close(found, number(&expected[name]), name);
    }
    let case = &case["injective_variant"];
    let coverage = rows(&case["coverage"]);
    let found = associate(&coverage, Matching::OneToOne);
    let expected: Vec<Option<usize>> = whole(&case["assoc"]).into_iter().map(Some).collect();
    assert_eq!(found, expected);
    close(
        completeness(&coverage, &found).unwrap(),
        number(&case["completeness"]),
        "one to one",
    );
}

#[test]
fn one_to_one_differs_from_the_best() {
    let case = &golden()["matching_differs"];
    let coverage = rows(&case["coverage"]);
    for (matching, name) in [
        (Matching::BestPerShape, "best"),
        (Matching::OneToOne, "one_to_one"),
    ] {
        let found = associate(&coverage, matching);
        let expected: Vec<Option<usize>> = whole(&case[name]).into_iter().map(Some).collect();
        assert_eq!(found, expected);
        let expected = case[format!("{name}_completeness")].as_f64().unwrap();
        close(completeness(&coverage, &found).unwrap(), expected, name);
    }
}

#[test]
fn a_concept_that_covers_nothing_has_no_purity() {
    let golden = golden();
    let case = &golden["purity_zero"];
    let coverage = rows(&case["coverage"]);
    let best = associate(&coverage, Matching::BestPerShape);
    assert_eq!(best, [Some(0), Some(0)]);
    close(
        completeness(&coverage, &best).unwrap(),
        0.25,
        "completeness",
    );
    let found = purity(&coverage, &best);
    assert_eq!((found.mean, found.left_out), (Some(0.5), 0));
    let found = purity(&coverage, &[Some(0), Some(1)]);
    assert_eq!((found.mean, found.left_out), (Some(1.0), 1));
    let nothing = purity(&coverage, &[None, Some(1)]);
    assert_eq!((nothing.mean, nothing.left_out), (None, 1));
    assert_eq!(
        distinctiveness(&coverage, &best, Pairs::DistinctConcepts),
        None
    );
    assert_eq!(distinctiveness(&coverage, &best, Pairs::Matches), Some(0.0));
}

#[test]
fn covering_is_strict_in_both_thresholds() {
    let golden = golden();
    let h = &golden["botcl_cov"]["h"];
    let (attention, shape) = (numbers(&h["att"]), numbers(&h["shape_mask"]));
    assert!(Cover::PRINTED.covers(&attention, &shape));
    // python3: (np.array(h["att"])[np.array(h["shape_mask"])] > h["beta"]).mean() is h["ratio"]. It is covered for any
    // share below that, and not for that share.
    let ratio = h["ratio"].as_f64().unwrap();
    let at = |share: f64| Cover {
        attention: h["beta"].as_f64().unwrap(),
        share,
        ..Cover::PRINTED
    };
    assert!(at(ratio - 1e-9).covers(&attention, &shape));
    assert!(!at(ratio).covers(&attention, &shape));
    // 0.2 itself is not above 0.2, and half of the pixels is not more than half.
    let half = Cover {
        share: 0.5,
        ..Cover::PRINTED
    };
    assert!(!half.covers(&[0.2, 0.3], &[1.0, 1.0]));
    assert!(half.covers(&[0.2, 0.3, 0.3], &[1.0, 1.0, 1.0]));
    assert!(
        !half.covers(&[0.9], &[0.0]),
        "a shape without pixels is not covered"
    );
}

/// Two images of 4 × 4 pixels with two shapes, and attention of two concepts at 2 × 2 positions. Expected values are
/// counted by hand: concept 0 is active (0.9) at the upper left, concept 1 (0.15) everywhere.
fn two_images() -> Inputs<'static> {
    let corner = |row: usize, column: usize| -> Vec<f64> {
        (0..16)
            .map(|p| f64::from(u8::from((p / 4, p % 4) == (row, column))))
            .collect()
    };
    let nothing = vec![0.0; 16];
    let masks = [corner(0, 0), corner(3, 3), corner(0, 0), nothing].concat();
    let maps = [0.9, 0.0, 0.0, 0.0, 0.15, 0.15, 0.15, 0.12].repeat(2);
    Inputs::default()
        .with(Need::Maps, Array::new(vec![2, 2, 2, 2], maps).unwrap())
        .with(Need::Masks, Array::new(vec![2, 2, 4, 4], masks).unwrap())
}

#[test]
fn the_measure_counts_images_with_the_shape() {
    let found = run("shape-coverage", &two_images(), "", &[]).unwrap();
    let some = |rows: [[f64; 2]; 2]| rows.map(|row| row.map(Some).to_vec()).to_vec();
    assert_eq!(found.tables[0].rows, some([[1.0, 0.0], [0.0, 0.0]]));
    assert_eq!(found.value("completeness"), Some(0.5));
    assert_eq!(
        found.value("distinctiveness"),
        None,
        "both shapes have concept 0"
    );
    // Scaled to 0…1, the upper left of both maps is above ½; the lower right of neither.
    let found = run("shape-coverage", &two_images(), "released", &[]).unwrap();
    assert_eq!(found.tables[0].rows, some([[1.0, 1.0], [0.0, 0.0]]));
    // With another threshold the second concept covers everything, and is the best of shape 1.
    let found = run(
        "shape-coverage",
        &two_images(),
        "one-to-one",
        &[("beta", 0.1)],
    )
    .unwrap();
    assert_eq!(found.tables[0].rows, some([[1.0, 1.0], [0.0, 1.0]]));
    assert_eq!(found.value("completeness"), Some(1.0));
    assert_eq!(found.value("purity"), Some(0.75));
    assert_eq!(found.value("distinctiveness"), Some(0.5));
}
