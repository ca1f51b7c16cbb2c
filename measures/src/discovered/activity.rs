//! How active concepts are over some images, and how well classes follow from them (BotCL, supplement, figure 1).

use serde::Serialize;

use crate::array::Array;

/// A concept is on in an image where its activation is above this.
pub const ON: f64 = 0.5;

/// A concept is active if it is on in at least this share of the images. The paper says of some concepts that they are
/// never active, and not how that was told.
pub const ACTIVE_SHARE: f64 = 0.01;

/// The range between the ends: quantisation is to drive activations out of here.
const BETWEEN_ENDS: std::ops::RangeInclusive<f64> = 0.1..=0.9;

/// How active a concept is over some images.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConceptActivity {
    /// Number of the concept, from 0.
    pub concept: usize,
    /// Share of the images in which it is on: above ½. 0 without images.
    pub on: f64,
    /// Share of the images in which it is below 0.1 or above 0.9. 0 without images.
    pub at_an_end: f64,
    /// Its largest activation; `None` without images.
    pub largest: Option<f64>,
    /// Its mean activation in the images of each class; `None` for a class without images.
    pub by_class: Vec<Option<f64>>,
}

impl ConceptActivity {
    /// Whether it is on often enough to be called active.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.on >= ACTIVE_SHARE
    }
}

/// How active each concept is: `activations` are images × concepts, `labels` the class of each image, from 0.
///
/// Panics where there is not a label for each image, or a label is no class.
#[must_use]
pub fn activity(activations: &Array, labels: &[usize], classes: usize) -> Vec<ConceptActivity> {
    assert_eq!(activations.rows(), labels.len());
    let of_concept = |concept: usize| {
        let (mut sums, mut counts) = (vec![0.0; classes], vec![0_usize; classes]);
        let (mut on, mut ends, mut largest) = (0, 0, None);
        for (image, &label) in labels.iter().enumerate() {
            let t = activations.row(image)[concept];
            sums[label] += t;
            counts[label] += 1;
            on += usize::from(t > ON);
            ends += usize::from(!BETWEEN_ENDS.contains(&t));
            largest = Some(largest.map_or(t, |before: f64| before.max(t)));
        }
        let by_class = sums.iter().zip(&counts);
        ConceptActivity {
            concept,
            on: share(on, labels.len()),
            at_an_end: share(ends, labels.len()),
            largest,
            by_class: by_class
                .map(|(sum, &count)| (count > 0).then(|| sum / count as f64))
                .collect(),
        }
    };
    (0..activations.columns()).map(of_concept).collect()
}

/// The concepts that are active, the one that is on most often first.
#[must_use]
pub fn active(all: &[ConceptActivity]) -> Vec<usize> {
    let mut active: Vec<&ConceptActivity> = all.iter().filter(|it| it.is_active()).collect();
    active.sort_by(|a, b| b.on.total_cmp(&a.on));
    active.into_iter().map(|it| it.concept).collect()
}

/// Share of images whose class a linear layer finds: weights are classes × concepts, and there is a bias for each
/// class. Of equally large outputs the first counts. `None` without images.
///
/// Panics where shapes do not agree.
#[must_use]
pub fn linear_accuracy(
    activations: &Array,
    labels: &[usize],
    weights: &Array,
    bias: &[f64],
) -> Option<f64> {
    assert_eq!(activations.rows(), labels.len());
    assert_eq!(
        (weights.rows(), weights.columns()),
        (bias.len(), activations.columns())
    );
    let class = |image: usize| {
        let outputs = bias.iter().enumerate().map(|(class, bias)| {
            let pairs = weights.row(class).iter().zip(activations.row(image));
            bias + pairs.map(|(weight, t)| weight * t).sum::<f64>()
        });
        let best = outputs
            .enumerate()
            .reduce(|best, it| if it.1 > best.1 { it } else { best });
        best.map(|(class, _)| class)
    };
    let right = labels
        .iter()
        .enumerate()
        .filter(|(image, label)| class(*image) == Some(**label));
    (!labels.is_empty()).then(|| share(right.count(), labels.len()))
}

fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> (Array, Vec<usize>) {
        let rows = [vec![0.95, 0.2], vec![0.6, 0.2], vec![0.05, 0.2]];
        (Array::from_rows(&rows).unwrap(), vec![1, 1, 3])
    }

    #[test]
    fn shares_and_means_are_those_of_the_images() {
        let (activations, labels) = three();
        let found = activity(&activations, &labels, 4);
        assert!((found[0].on - 2.0 / 3.0).abs() < 1e-12);
        assert!((found[0].at_an_end - 2.0 / 3.0).abs() < 1e-12);
        assert!(found[0].by_class[1].is_some_and(|mean| (mean - 0.775).abs() < 1e-12));
        assert_eq!(
            (found[0].by_class[0], found[0].by_class[3]),
            (None, Some(0.05))
        );
        assert_eq!((found[1].on, found[1].largest), (0.0, Some(0.2)));
        assert_eq!(active(&found), [0]);
    }

    #[test]
    fn classes_follow_from_the_largest_output_and_of_equals_the_first() {
        let (activations, labels) = three();
        // Class 1 where the first concept is above ½, class 3 below.
        let weights = [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]].map(Vec::from);
        let weights = Array::from_rows(&weights).unwrap();
        let accuracy = |bias: [f64; 4]| linear_accuracy(&activations, &labels, &weights, &bias);
        assert_eq!(accuracy([-1.0, 0.0, -1.0, 0.6]), Some(1.0));
        assert_eq!(accuracy([-1.0, 0.0, -1.0, 0.7]), Some(2.0 / 3.0));
        let none = Array::new(vec![0, 2], vec![]).unwrap();
        assert_eq!(linear_accuracy(&none, &[], &weights, &[0.0; 4]), None);
        assert_eq!(activity(&none, &[], 1)[0].largest, None);
    }
}
