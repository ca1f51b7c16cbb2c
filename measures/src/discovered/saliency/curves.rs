//! A model's output for an image while pixels are put in or taken out, the most salient ones first.

use crate::array::Array;
use crate::inputs::Model;

/// The change that is made to pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// They are put into a blank image (IAUC, higher is better).
    Insertion,
    /// They are taken out of the image (DAUC, lower is better).
    Deletion,
}

/// How pixels are changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steps {
    /// How many pixels at once. The last step takes what is left.
    pub pixels: usize,
    /// The value of a pixel that is blank or taken out.
    pub blank: f64,
}

/// Numbers that a batch of images holds at most, unless one image has more: 2 MB, so that memory stays bounded
/// however many images and pixels there are.
pub(super) const BATCH: usize = 1 << 18;

/// The model's output for `class` after each step, both ends included: ⌈pixels / step⌉ + 1 numbers.
///
/// Pixels come by descending saliency, of equals in reading order. The model is called with batches of images.
/// Panics when image and saliency differ in length, a step has no pixels, or the model has no such output.
#[must_use]
pub fn curve(
    model: &dyn Model,
    image: &[f64],
    saliency: &[f64],
    class: usize,
    change: Change,
    steps: Steps,
) -> Vec<f64> {
    assert_eq!(image.len(), saliency.len(), "a saliency for each pixel");
    assert!(steps.pixels > 0, "a step changes a pixel at least");
    let order = descending(saliency);
    let mut chunks = order.chunks(steps.pixels);
    let mut current = match change {
        Change::Insertion => vec![steps.blank; image.len()],
        Change::Deletion => image.to_vec(),
    };
    let wanted = image.len().div_ceil(steps.pixels) + 1;
    let in_batch = (BATCH / image.len()).max(1);
    let mut curve = Vec::with_capacity(wanted);
    while curve.len() < wanted {
        let images = in_batch.min(wanted - curve.len());
        let mut values = Vec::with_capacity(images * image.len());
        for row in 0..images {
            if curve.len() + row > 0 {
                for &pixel in chunks.next().unwrap_or_default() {
                    current[pixel] = match change {
                        Change::Insertion => image[pixel],
                        Change::Deletion => steps.blank,
                    };
                }
            }
            values.extend_from_slice(&current);
        }
        let batch =
            Array::new(vec![images, image.len()], values).expect("rows of an image's length");
        curve.extend(model.outputs(&batch).column(class));
    }
    curve
}

/// The area under a curve whose points are equally far apart on an axis from 0 to 1, by trapezia:
/// (Σ − first/2 − last/2)/(n − 1). None with fewer than two points.
#[must_use]
pub fn area(curve: &[f64]) -> Option<f64> {
    let [first, .., last] = curve else {
        return None;
    };
    let sum: f64 = curve.iter().sum();
    Some((sum - first / 2.0 - last / 2.0) / (curve.len() - 1) as f64)
}

/// Pixels by descending saliency, of equals in reading order.
fn descending(saliency: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..saliency.len()).collect();
    order.sort_by(|&a, &b| {
        let reversed = saliency[b].partial_cmp(&saliency[a]);
        reversed.unwrap_or(std::cmp::Ordering::Equal)
    });
    order
}
