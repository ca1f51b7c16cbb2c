//! The stability of an explanation when its image changes a little.

use crate::array::Array;
use crate::inputs::Model;
use crate::random::Random;

/// Stability of an explanation against one change of its image: ‖E(x) − E(x′)‖₂ / ‖x − x′‖₂, lower is better; none
/// when the image did not change. Panics when images, or explanations, differ in length.
#[must_use]
pub fn change_of_explanation(
    image: &[f64],
    changed: &[f64],
    explanation: &[f64],
    of_changed: &[f64],
) -> Option<f64> {
    let moved = distance(image, changed);
    (moved > 0.0).then(|| distance(explanation, of_changed) / moved)
}

/// Stability of the explanation of one image: the mean of [`change_of_explanation`] over `draws` additions of white
/// noise with standard deviation `sigma`. None when no draw changed the image. Panics when the explainer gives no row
/// for an image.
#[must_use]
pub fn stability(
    explainer: &dyn Model,
    image: &[f64],
    sigma: f64,
    draws: usize,
    random: &mut Random,
) -> Option<f64> {
    let of = |pixels: Vec<f64>| explainer.outputs(&one(pixels)).row(0).to_vec();
    let explanation = of(image.to_vec());
    let changes: Vec<f64> = (0..draws)
        .filter_map(|_| {
            let noise = noise(image.len(), sigma, random);
            let changed: Vec<f64> = image.iter().zip(noise).map(|(x, n)| x + n).collect();
            change_of_explanation(image, &changed, &explanation, &of(changed.clone()))
        })
        .collect();
    (!changes.is_empty()).then(|| changes.iter().sum::<f64>() / changes.len() as f64)
}

/// Infidelity of an explanation against given perturbations: the mean of (I·E − (f(x) − f(x − I)))², lower is
/// better. f is what the model gives for `class`; `perturbations` are rows of the image's length. Panics when lengths
/// differ or the model has no such output.
#[must_use]
pub fn infidelity(
    model: &dyn Model,
    image: &[f64],
    explanation: &[f64],
    class: usize,
    perturbations: &Array,
) -> f64 {
    assert_eq!(
        image.len(),
        perturbations.columns(),
        "a number for each pixel"
    );
    let said = model.outputs(&one(image.to_vec())).at(0, class)[0];
    let mut without = Vec::with_capacity(perturbations.values().len());
    for row in 0..perturbations.rows() {
        without.extend(image.iter().zip(perturbations.row(row)).map(|(x, i)| x - i));
    }
    let shape = perturbations.shape().to_vec();
    let without = Array::new(shape, without).expect("as many numbers as perturbations");
    let after = model.outputs(&without).column(class);
    let squares = after.iter().enumerate().map(|(row, after)| {
        let pairs = perturbations.row(row).iter().zip(explanation);
        let expected: f64 = pairs.map(|(i, e)| i * e).sum();
        (expected - (said - after)).powi(2)
    });
    squares.sum::<f64>() / after.len() as f64
}

/// Rows of white noise, to perturb images of `pixels` with.
#[must_use]
pub fn perturbations(rows: usize, pixels: usize, sigma: f64, random: &mut Random) -> Array {
    let noise = noise(rows * pixels, sigma, random);
    Array::new(vec![rows, pixels], noise).expect("rows of as many pixels")
}

fn noise(count: usize, sigma: f64, random: &mut Random) -> Vec<f64> {
    (0..count).map(|_| sigma * random.normal()).collect()
}

fn one(image: Vec<f64>) -> Array {
    Array::new(vec![1, image.len()], image).expect("one row")
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "as many numbers");
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}
