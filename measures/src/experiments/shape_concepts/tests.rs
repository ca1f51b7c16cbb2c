use super::*;
use crate::data::shapes::GRID;

const PICTURES: ShapePictures = ShapePictures { seed: 5, cell: 12 };
const COUNT: usize = 60;

fn scenes() -> Vec<Scene> {
    (0..COUNT).map(|number| PICTURES.scene(number)).collect()
}

/// Attention of `concepts` concepts: what `value` says of a concept, a position and the scene.
fn maps(concepts: usize, value: impl Fn(usize, [usize; 2], &Scene) -> f64) -> Array {
    let mut values = Vec::new();
    for scene in scenes() {
        for concept in 0..concepts {
            for position in 0..GRID * GRID {
                values.push(value(concept, [position / GRID, position % GRID], &scene));
            }
        }
    }
    Array::new(vec![COUNT, concepts, GRID, GRID], values).unwrap()
}

fn is_of(shape: usize, cell: [usize; 2], scene: &Scene) -> bool {
    scene.shapes[shape].is_some_and(|placed| placed.cell == cell)
}

fn concepts(method: Method, maps: Array) -> Concepts {
    let width = 1 + maps.columns();
    Concepts {
        method,
        released: maps.clone(),
        printed: maps,
        classifier: Array::new(vec![LABELS, width], vec![0.0; LABELS * width]).unwrap(),
    }
}

#[test]
fn a_concept_for_each_shape_is_perfect_in_both_readings() {
    let maps = maps(OF_INTEREST, |concept, cell, scene| {
        f64::from(is_of(concept, cell, scene))
    });
    let found = shape_concepts(
        &[concepts(Method::Botcl, maps)],
        PICTURES,
        &scenes(),
        2,
        |_| (),
    );
    assert_eq!(found.len(), 2);
    for point in found {
        assert_eq!(point.association, (0..5).map(Some).collect::<Vec<_>>());
        assert_eq!(point.shapes_of(3), [3]);
        assert_eq!(point.completeness, Some(1.0), "{point:?}");
        // Neighbouring cells are covered in part, and some of the drawn pixels lie there.
        assert!(point.purity.unwrap() > 0.95 && point.distinctiveness.unwrap() > 0.38);
        assert!((point.mean_coverage.unwrap() - 0.2).abs() < 0.02);
    }
}

/// A concept that is everywhere covers every shape, and says nothing of any. As released, a map that does not vary is
/// empty.
#[test]
fn concepts_that_are_everywhere_are_complete_and_nothing_else() {
    let maps = maps(2, |_, _, _| 0.7);
    let found = shape_concepts(
        &[concepts(Method::Pca, maps)],
        PICTURES,
        &scenes(),
        1,
        |_| (),
    );
    let (printed, released) = (&found[0], &found[1]);
    assert_eq!(printed.completeness, Some(1.0));
    assert_eq!(printed.purity, Some(0.2));
    // Every shape has the first of the two.
    assert_eq!(printed.distinctiveness, None);
    assert_eq!((released.completeness, released.purity), (Some(0.0), None));
    assert_eq!(released.impure, 5);
}

/// The first label is ¬(S1 ∧ S3) ∨ S4, the ninth S3 alone: a classifier that reads the concept of S3 gets it right.
#[test]
fn accuracy_is_the_share_of_labels_that_are_right() {
    let maps = maps(OF_INTEREST, |concept, cell, scene| {
        f64::from(is_of(concept, cell, scene))
    });
    let mut of = concepts(Method::KMeans, maps);
    let mut weights = vec![0.0; LABELS * 6];
    (weights[8 * 6], weights[8 * 6 + 3]) = (-0.3, 1.0);
    of.classifier = Array::new(vec![LABELS, 6], weights).unwrap();
    let found = shape_concepts(&[of], PICTURES, &scenes(), 1, |_| ());
    let absent = |label: usize| {
        let is = |scene: &Scene| labels(scene.of_interest(), LabelTable::Printed)[label];
        scenes().iter().filter(|scene| !is(scene)).count()
    };
    let others: usize = (0..LABELS).filter(|&label| label != 8).map(absent).sum();
    let expected = (COUNT + others) as f64 / (COUNT * LABELS) as f64;
    assert!((found[0].accuracy - expected).abs() < 1e-12);
    assert_eq!(found[0].accuracy, found[1].accuracy);
}

fn point(method: Method, concepts: usize, score: f64) -> Point {
    Point {
        method,
        concepts,
        reading: Reading::Printed,
        coverage: Vec::new(),
        association: Vec::new(),
        mean_coverage: None,
        completeness: Some(score),
        purity: None,
        impure: 0,
        distinctiveness: Some(score),
        accuracy: score,
    }
}

/// Where the first shape is in no picture, the first association is the second shape's.
#[test]
fn a_shape_in_no_picture_has_no_concept() {
    let mut of = point(Method::Pca, 2, 0.5);
    of.coverage = vec![None, Some(vec![0.2, 0.6]), Some(vec![0.1, 0.9])];
    of.association = vec![Some(1), Some(1)];
    assert_eq!((of.shapes_of(0), of.shapes_of(1)), (vec![], vec![1, 2]));
}

#[test]
fn verdicts_say_where_something_does_not_hold() {
    let mut points = Vec::new();
    for (k, own) in [(5, 0.6), (10, 0.5), (15, 0.9)] {
        points.push(point(Method::Botcl, k, own));
        points.push(point(Method::KMeans, k, 0.55));
    }
    let found = verdicts(&points);
    assert_eq!(found.len(), 9 + 4);
    assert!(!found[0].holds);
    assert_eq!(found[0].not_for, [10]);
    // Purity is nowhere defined: k-means is not the purest.
    assert!(!found[3].holds && found[3].not_for == [5, 10, 15]);
    assert!(found[4].holds && found[5].holds && !found[6].holds);
    // There is no PCA, and no released reading.
    assert!(!found[8].holds);
    assert!(found[9..].iter().all(|verdict| !verdict.holds));
    // With one number of concepts there is no order.
    assert_eq!(verdicts(&points[..2]).len(), 4 + 4);
}

// One picture of two positions with the features of botcl_baselines in concept.json; its attention is
// kmeans_attention_kP and pca_attention_kP there.
#[test]
fn what_is_kept_becomes_attention_of_all_three() {
    let row = |values: &[f64]| Array::new(vec![2, 3], values.to_vec()).unwrap();
    let features = [
        -0.15, 0.02, 1.18, 0.68, 0.38, -0.56, -1.38, 0.95, 0.97, -0.14, 0.54, 0.78,
    ];
    let kept = KeptFeatures {
        features: Array::new(vec![1, 4, 3], features.to_vec()).unwrap(),
        mean: vec![-0.2475, 0.4725, 0.5925],
        deviations: vec![1.0; 3],
    };
    let centres = row(&[0.83, 0.92, -0.46, 1.51, -1.25, 0.86]);
    let classifier = Array::new(vec![LABELS, 3], vec![0.0; 45]).unwrap();
    let found = kept.concepts(&KeptConcepts {
        maps: Array::new(vec![1, 2, 2, 2], vec![0.5; 8]).unwrap(),
        components: centres.clone(),
        centres,
        classifiers: std::array::from_fn(|_| classifier.clone()),
    });
    assert_eq!(
        found.iter().map(|of| of.method).collect::<Vec<_>>(),
        Method::ALL
    );
    let close = |found: &Array, expected: [f64; 8]| {
        assert_eq!(found.shape(), [1, 2, 2, 2]);
        for (found, expected) in found.values().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        }
    };
    close(&found[0].released, [0.5; 8]);
    close(
        &found[1].printed,
        [
            0.1210113170773318,
            0.5659226827078756,
            0.07190062492411309,
            0.19799035316459962,
            0.12069962193296048,
            0.09870275111275338,
            0.02641671342340525,
            0.08752988241009443,
        ],
    );
    close(&found[1].released, [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    close(
        &found[2].printed,
        [
            0.6126342357047043,
            0.6201200155455424,
            0.3968165533943052,
            0.2174471850581828,
            0.7608121042455549,
            0.16546283434863446,
            0.7202560293468208,
            0.4935120831200757,
        ],
    );
    let of_positions = (0..4)
        .map(|place| found[2].released.values()[place] + found[2].released.values()[place + 4]);
    assert!(of_positions.into_iter().all(|sum| sum == 1.0));
}
