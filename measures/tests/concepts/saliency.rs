//! IAUC, DAUC, stability, infidelity.

use crate::{Row, all_close, array, close, numbers, run};
use measures::array::Array;
use measures::discovered::saliency::curves::{Change, Steps, area, curve};
use measures::discovered::saliency::perturbation::{change_of_explanation, infidelity};
use measures::inputs::{Inputs, Model, Need};
use measures::list::find;
use measures::measure::Request;
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/discovered.json")).unwrap()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn curves_and_their_areas() {
    let case = &golden()["iauc_dauc"];
    let (image, saliency) = (numbers(&case["x"]), numbers(&case["saliency"]));
    let weights = numbers(&case["w"]);
    // The second output is the one that is asked for.
    let model = Row(|x: &[f64]| vec![0.0, 1.0 / (1.0 + (1.0 - dot(&weights, x)).exp())]);
    for (change, name) in [(Change::Insertion, "ins"), (Change::Deletion, "del")] {
        for pixels in [1, 2] {
            let expected = &case[format!("{name}_step{pixels}")];
            let steps = Steps { pixels, blank: 0.0 };
            let found = curve(&model, &image, &saliency, 1, change, steps);
            all_close(&found, &numbers(&expected["curve"]), name);
            close(
                area(&found).unwrap(),
                expected["auc"].as_f64().unwrap(),
                name,
            );
        }
    }
    let steps = Steps {
        pixels: 4,
        blank: 0.0,
    };
    let found = curve(&model, &image, &saliency, 1, Change::Insertion, steps);
    assert_eq!(found.len(), 3, "the last step takes what is left");
    assert_eq!(area(&[0.5]), None);
}

#[test]
fn the_measure_is_the_mean_over_images() {
    let case = &golden()["iauc_dauc"];
    let weights = numbers(&case["w"]);
    let model = Row(|x: &[f64]| vec![1.0 / (1.0 + (1.0 - dot(&weights, x)).exp())]);
    let twice = |key: &str| {
        let rows = vec![numbers(&case[key]); 2];
        Array::from_rows(&rows).unwrap()
    };
    let mut inputs = Inputs::default()
        .with(Need::Images, twice("x"))
        .with(Need::Saliency, twice("saliency"))
        .with(Need::Task, Array::new(vec![2], vec![0.0; 2]).unwrap());
    assert!(run("iauc", &inputs, "", &[]).is_err(), "there is no model");
    inputs.model = Some(&model);
    for (measure, key) in [("iauc", "ins_step2"), ("dauc", "del_step2")] {
        let found = run(measure, &inputs, "", &[("step", 2.0)]).unwrap();
        close(
            found.value(measure).unwrap(),
            case[key]["auc"].as_f64().unwrap(),
            measure,
        );
        let curve: Vec<f64> = found.tables[0]
            .rows
            .iter()
            .filter_map(|row| row[0])
            .collect();
        all_close(&curve, &numbers(&case[key]["curve"]), measure);
    }
    let inputs = inputs.with(Need::Task, Array::new(vec![2], vec![0.0, 1.0]).unwrap());
    let problems = run("iauc", &inputs, "", &[]).unwrap_err();
    assert!(
        problems[0].to_string().contains("row 1, column 0 is 1"),
        "{problems:?}"
    );
}

/// Counts how large batches are.
struct Watched {
    largest: AtomicUsize,
}

impl Model for Watched {
    fn outputs(&self, inputs: &Array) -> Array {
        self.largest
            .fetch_max(inputs.values().len(), Ordering::Relaxed);
        let sums = (0..inputs.rows()).map(|row| inputs.row(row).iter().sum());
        Array::new(vec![inputs.rows(), 1], sums.collect()).unwrap()
    }
}

#[test]
fn batches_are_bounded_and_change_nothing() {
    let image: Vec<f64> = (0..1000).map(|p| f64::from(p % 7)).collect();
    let model = Watched {
        largest: AtomicUsize::new(0),
    };
    let steps = Steps {
        pixels: 1,
        blank: 0.0,
    };
    let found = curve(&model, &image, &image, 0, Change::Deletion, steps);
    let mut descending = image.clone();
    descending.sort_by(|a, b| b.total_cmp(a));
    let mut left: f64 = image.iter().sum();
    close(found[0], left, "the whole image");
    for (step, pixel) in descending.iter().enumerate() {
        left -= pixel;
        close(found[step + 1], left, "a pixel less");
    }
    let largest = model.largest.into_inner();
    assert!(largest <= 1 << 18 && largest > 1 << 17, "{largest}");
}

#[test]
fn infidelity_against_given_noise_and_against_its_closed_form() {
    let case = &golden()["infidelity"];
    let (weights, explanation) = (numbers(&case["w"]), numbers(&case["expl"]));
    let model = Row(|x: &[f64]| vec![dot(&weights, x)]);
    let image = vec![0.5; 6];
    let found = infidelity(&model, &image, &explanation, 0, &array(&case["I"]));
    close(found, case["empirical"].as_f64().unwrap(), "given noise");
    let mut inputs = Inputs::default()
        .with(
            Need::Images,
            Array::from_rows(std::slice::from_ref(&image)).unwrap(),
        )
        .with(Need::Saliency, Array::from_rows(&[explanation]).unwrap())
        .with(Need::Task, Array::new(vec![1], vec![0.0]).unwrap());
    inputs.model = Some(&model);
    let found = run("infidelity", &inputs, "", &[("draws", 100_000.0)]).unwrap();
    let expected = case["closed_form_sigma02"].as_f64().unwrap();
    let found = found.value("infidelity").unwrap();
    assert!(
        (found / expected - 1.0).abs() < 0.02,
        "{found}, not {expected}"
    );
    // A linear model explained by its own weights.
    let inputs = inputs.with(
        Need::Saliency,
        Array::from_rows(std::slice::from_ref(&weights)).unwrap(),
    );
    let perfect = run("infidelity", &inputs, "", &[]).unwrap();
    close(perfect.value("infidelity").unwrap(), 0.0, "perfect");
}

#[test]
fn stability_of_one_change_and_of_noise() {
    let golden = golden();
    let case = &golden["stability"];
    let weights = numbers(&golden["iauc_dauc"]["w"]);
    let explain = |x: &[f64]| -> Vec<f64> { x.iter().zip(&weights).map(|(x, w)| x * w).collect() };
    let (image, changed) = (numbers(&case["x"]), numbers(&case["x_pert"]));
    let found = change_of_explanation(&image, &changed, &explain(&image), &explain(&changed));
    close(
        found.unwrap(),
        case["value"].as_f64().unwrap(),
        "one change",
    );
    assert_eq!(change_of_explanation(&image, &image, &image, &image), None);
    // An explanation that doubles its image is moved by twice as much, whatever the noise.
    let double = Row(|x: &[f64]| x.iter().map(|x| 2.0 * x).collect());
    let mut inputs = Inputs::default().with(Need::Images, Array::from_rows(&[image]).unwrap());
    inputs.explainer = Some(&double);
    let found = run("stability", &inputs, "", &[]).unwrap();
    close(found.value("stability").unwrap(), 2.0, "doubled");
}

/// Each image has noise of its own: threads, and images after it, change nothing.
#[test]
fn threads_and_other_images_change_nothing() {
    let model = Row(|x: &[f64]| vec![(x[0] * x[1]).sin(), x[2] * x[2]]);
    let images: Vec<f64> = (0..30).map(|p| f64::from(p) / 30.0).collect();
    let images = Array::new(vec![10, 3], images).unwrap();
    let of = |rows: usize, threads: usize, name: &str| {
        let images = images.pick(&(0..rows).collect::<Vec<usize>>());
        let mut inputs = Inputs::default()
            .with(Need::Saliency, images.clone())
            .with(Need::Images, images)
            .with(Need::Task, Array::new(vec![rows], vec![1.0; rows]).unwrap());
        inputs.model = Some(&model);
        inputs.explainer = Some(&model);
        let request = Request {
            seed: 3,
            threads,
            ..Request::default()
        };
        let found = find(name).unwrap().run(&inputs, &request).unwrap();
        found
            .values
            .into_iter()
            .filter(|v| v.of.is_some())
            .collect::<Vec<_>>()
    };
    for name in ["iauc", "dauc", "stability", "infidelity"] {
        let all = of(10, 1, name);
        assert_eq!(all, of(10, 3, name), "{name}");
        assert_eq!(all[..4], of(4, 2, name), "{name}");
    }
}
