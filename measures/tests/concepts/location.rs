//! CLM: regions, places, hits.

use crate::{all_close, array, close, numbers, run};
use measures::alignment::activation_mapping::activation_maps;
use measures::alignment::location::{Unknown, hit, image_location, region};
use measures::array::Array;
use measures::inputs::{Inputs, Need};
use measures::upsampling::{Size, bilinear};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/alignment.json")).unwrap()
}

fn maps() -> Array {
    let golden = golden();
    let case = &golden["coam_clm"];
    activation_maps(&array(&case["E_HWd"]), &array(&case["C_Ld"]))
}

#[test]
fn regions_of_nearest_and_bilinear_maps() {
    let golden = golden();
    let case = &golden["coam_clm"];
    let hits = |pixels: &[Vec<f64>], points: &Value, size: Size, alpha: f64| -> Vec<f64> {
        let points = array(points);
        pixels
            .iter()
            .enumerate()
            .map(|(concept, pixels)| {
                let point = points.row(concept);
                let pixel = point[0] as usize * size.width + point[1] as usize;
                f64::from(u8::from(hit(pixels, pixel, region(size, alpha, 12.0))))
            })
            .collect()
    };
    let size = Size {
        height: 4,
        width: 6,
    };
    let pixels: Vec<Vec<f64>> = case["F_up"]
        .as_array()
        .unwrap()
        .iter()
        .map(numbers)
        .collect();
    for alpha in [1, 2, 3, 6] {
        let found = hits(&pixels, &case["points_row_col"], size, f64::from(alpha));
        assert_eq!(
            found,
            numbers(&case["hits"][format!("alpha{alpha}")]),
            "α = {alpha}"
        );
    }
    let case = &golden["clm_bilinear"];
    let (from, size) = (
        Size {
            height: 2,
            width: 3,
        },
        Size {
            height: 8,
            width: 12,
        },
    );
    let maps = maps();
    let pixels: Vec<Vec<f64>> = (0..2).map(|c| bilinear(maps.row(c), from, size)).collect();
    for (row, key) in [(0, "F_up_row0"), (5, "F_up_row5")] {
        let found: Vec<f64> = pixels
            .iter()
            .flat_map(|p| p[row * 12..][..12].to_vec())
            .collect();
        all_close(&found, &numbers(&case[key]), key);
    }
    for (alpha, expected) in case["hits"].as_object().unwrap() {
        let found = hits(
            &pixels,
            &case["points_row_col"],
            size,
            alpha.parse().unwrap(),
        );
        assert_eq!(found, numbers(expected), "α = {alpha}");
    }
}

#[test]
fn equal_pixels_count_in_reading_order() {
    let flat = [1.0; 4];
    assert!(hit(&flat, 0, 1) && !hit(&flat, 1, 1) && hit(&flat, 1, 2));
    assert!(!hit(&flat, 0, 0), "no region, no hit");
    assert_eq!(
        region(
            Size {
                height: 5,
                width: 5
            },
            1.0,
            12.0
        ),
        2
    );
}

#[test]
fn unknown_places_are_left_out_or_missed() {
    let golden = golden();
    let case = &golden["clm_mean"];
    let (order, known) = (
        array(&case["order_per_image"]),
        array(&case["known_visible"]),
    );
    let hit = array(&case["hit"]);
    let mean = |unknown: Unknown| -> f64 {
        let each: Vec<f64> = (0..3)
            .filter_map(|image| {
                let order: Vec<usize> = order.row(image).iter().map(|&c| c as usize).collect();
                let pairs = known.row(image).iter().zip(hit.row(image));
                let hits: Vec<Option<bool>> = pairs
                    .map(|(known, hit)| (*known == 1.0).then_some(*hit == 1.0))
                    .collect();
                image_location(&order, &hits, 2, unknown)
            })
            .collect();
        each.iter().sum::<f64>() / each.len() as f64
    };
    close(
        mean(Unknown::LeftOut),
        case["l2_first_known"].as_f64().unwrap(),
        "known",
    );
    close(
        mean(Unknown::Miss),
        case["l2_zero_filled"].as_f64().unwrap(),
        "zero filled",
    );
}

/// Two concepts in one image, with the maps and places of the golden file; concept 1 matters most.
#[test]
fn location_as_a_measure() {
    let maps = maps();
    let places = array(&golden()["clm_bilinear"]["points_row_col"]);
    let wrap = |array: &Array| {
        let shape = [vec![1], array.shape().to_vec()].concat();
        Array::new(shape, array.values().to_vec()).unwrap()
    };
    let inputs = Inputs::default()
        .with(Need::Codes, Array::new(vec![1, 2], vec![1.0, 2.0]).unwrap())
        .with(
            Need::Weights,
            Array::new(vec![2, 1], vec![1.0, 1.0]).unwrap(),
        )
        .with(Need::Predictions, Array::new(vec![1], vec![0.0]).unwrap())
        .with(Need::Maps, wrap(&maps))
        .with(Need::Centres, wrap(&places));
    let size = [("height", 8.0), ("width", 12.0)];
    let found = run("clm", &inputs, "", &size).unwrap();
    assert_eq!(found.value("clm_1"), Some(1.0));
    assert_eq!(
        found.flags.len(),
        2,
        "3 and 5 concepts were asked for, and there are 2"
    );
    let found = run("clm", &inputs, "", &[size[0], size[1], ("alpha", 0.5)]).unwrap();
    assert_eq!(found.value("clm_3"), Some(0.0));
    // Concept 1 has no known place: concept 0 is looked at, or 1 is a miss.
    let unknown = Array::new(vec![1, 2, 2], vec![6.0, 9.0, -1.0, -1.0]).unwrap();
    let inputs = inputs.with(Need::Centres, unknown);
    assert_eq!(
        run("clm", &inputs, "known", &size).unwrap().value("clm_1"),
        Some(1.0)
    );
    let missed = run("clm", &inputs, "zero-filled", &size).unwrap();
    assert_eq!(
        (missed.value("clm_1"), missed.value("clm_3")),
        (Some(0.0), Some(0.5))
    );
    // Places outside the image say that its size is missing.
    let problems = run("clm", &inputs, "", &[]).unwrap_err();
    assert!(
        problems[0]
            .to_string()
            .contains("outside an image of 2 × 3"),
        "{problems:?}"
    );
}
