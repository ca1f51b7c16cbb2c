//! How well concepts that a network found by itself cover the shapes that decide its labels (paper 001, figures 7 and 8
//! of the supplement): BotCL, k-means and PCA, by number of concepts.
//!
//! The pictures are those of [`ShapePictures`], whose shapes are known; attention and classifiers come from a network
//! that somebody trained.

mod expected;
mod kept;

use crate::array::Array;
use crate::data::shapes::labels::{LABELS, LabelTable, labels};
use crate::data::shapes::{Extent, OF_INTEREST, Scene, ShapePictures};
use crate::discovered::attention::activations;
use crate::discovered::coverage::{Cover, CoverageCount};
use crate::discovered::matching::{
    Matching, Pairs, associate, completeness, distinctiveness, purity,
};
use crate::parallel;
use crate::upsampling::Size;
use serde::Serialize;

pub use expected::{Verdict, verdicts};
pub use kept::{KeptConcepts, KeptFeatures};

/// The method that found the concepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Queries that were learnt with the labels.
    Botcl,
    /// Centres of clusters of features.
    KMeans,
    /// Principal components of features.
    Pca,
}

impl Method {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 3] = [Self::Botcl, Self::KMeans, Self::Pca];

    /// Its name for readers.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Botcl => "BotCL",
            Self::KMeans => "k-means",
            Self::Pca => "PCA",
        }
    }
}

/// How coverage is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// As the supplement prints it: attention above 0.2 on more than 0.9 of a shape's cell.
    Printed,
    /// As the released code has it: maps scaled to 0…1, attention above 0.5 on more than 0.2 of the pixels that were
    /// drawn; a position belongs to one cluster or one component alone.
    Released,
}

impl Reading {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Printed, Self::Released];

    /// Its name for readers.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Printed => "printed",
            Self::Released => "released",
        }
    }

    /// When a concept covers a shape.
    #[must_use]
    pub fn cover(self) -> Cover {
        match self {
            Self::Printed => Cover::PRINTED,
            Self::Released => Cover::RELEASED,
        }
    }

    fn extent(self) -> Extent {
        match self {
            Self::Printed => Extent::Cell,
            Self::Released => Extent::Drawn,
        }
    }
}

/// Concepts of one method, in pictures that nothing was trained on.
#[derive(Debug, Clone, PartialEq)]
pub struct Concepts {
    /// The method that found them.
    pub method: Method,
    /// Attention as printed: pictures × concepts × rows × columns.
    pub printed: Array,
    /// Attention as the released code has it, of the same shape.
    pub released: Array,
    /// The linear classifier of activations: labels × (1 + concepts), what it adds first.
    pub classifier: Array,
}

impl Concepts {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.printed.columns()
    }
}

/// The results of one method with one number of concepts, in one reading.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    /// The method that found the concepts.
    pub method: Method,
    /// How many concepts there are.
    pub concepts: usize,
    /// How coverage is read.
    pub reading: Reading,
    /// For each shape the share of its pictures in which each concept covers it; none for a shape in no picture.
    pub coverage: Vec<Option<Vec<f64>>>,
    /// The concept of each shape that is in a picture, in their order: the one that covers it best. See
    /// [`Self::shapes_of`].
    pub association: Vec<Option<usize>>,
    /// The mean of all of coverage, shapes and concepts.
    pub mean_coverage: Option<f64>,
    /// The mean coverage of matches.
    pub completeness: Option<f64>,
    /// How far matched concepts cover nothing else.
    pub purity: Option<f64>,
    /// Matches that purity leaves out, since their concept covers nothing at all.
    pub impure: usize,
    /// How different matched concepts are.
    pub distinctiveness: Option<f64>,
    /// The share of labels that the classifier gets right, of attention as printed; both readings have the same.
    pub accuracy: f64,
}

impl Point {
    /// The shapes, from 0, whose concept this one is.
    #[must_use]
    pub fn shapes_of(&self, concept: usize) -> Vec<usize> {
        let there = self.coverage.iter().enumerate();
        let there = there.filter_map(|(shape, of)| of.as_ref().map(|_| shape));
        let pairs = there.zip(&self.association);
        pairs
            .filter_map(|(shape, own)| (*own == Some(concept)).then_some(shape))
            .collect()
    }
}

/// Every method and number of concepts in both readings. `scenes` are what is in the pictures that the concepts are of,
/// as `pictures` places it. `done` is told how many are done.
///
/// # Panics
/// When there are not as many scenes as pictures, or a classifier has not 15 rows of 1 + concepts.
pub fn shape_concepts(
    concepts: &[Concepts],
    pictures: ShapePictures,
    scenes: &[Scene],
    threads: usize,
    done: impl Fn(usize) + Sync,
) -> Vec<Point> {
    let readings = Reading::ALL.len();
    parallel::map(concepts.len() * readings, threads, done, |item| {
        let reading = Reading::ALL[item % readings];
        point(&concepts[item / readings], reading, pictures, scenes)
    })
}

fn point(of: &Concepts, reading: Reading, pictures: ShapePictures, scenes: &[Scene]) -> Point {
    let maps = match reading {
        Reading::Printed => &of.printed,
        Reading::Released => &of.released,
    };
    let coverage = coverage(maps, reading, pictures, scenes);
    let there: Vec<Vec<f64>> = coverage.iter().flatten().cloned().collect();
    let association = associate(&there, Matching::BestPerShape);
    let purity = purity(&there, &association);
    let all = there.concat();
    Point {
        method: of.method,
        concepts: of.count(),
        reading,
        mean_coverage: (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64),
        completeness: completeness(&there, &association),
        purity: purity.mean,
        impure: purity.left_out,
        distinctiveness: distinctiveness(&there, &association, Pairs::DistinctConcepts),
        accuracy: accuracy(of, scenes),
        coverage,
        association,
    }
}

fn coverage(
    maps: &Array,
    reading: Reading,
    pictures: ShapePictures,
    scenes: &[Scene],
) -> Vec<Option<Vec<f64>>> {
    assert_eq!(maps.rows(), scenes.len(), "a scene for each picture");
    let map = Size {
        height: maps.shape()[2],
        width: maps.shape()[3],
    };
    let image = Size {
        height: pictures.side(),
        width: pictures.side(),
    };
    let mut count = CoverageCount::new(reading.cover(), OF_INTEREST, maps.columns());
    for (row, scene) in scenes.iter().enumerate() {
        let masks = (0..OF_INTEREST).flat_map(|shape| {
            let mask = pictures.mask(scene, shape, reading.extent());
            mask.into_iter().map(f64::from)
        });
        count.add(maps.row(row), map, &masks.collect::<Vec<f64>>(), image);
    }
    count.coverage()
}

/// The share of right labels, as the released code counts it: a label is there when its logit is above 0.
fn accuracy(of: &Concepts, scenes: &[Scene]) -> f64 {
    let shape = [LABELS, 1 + of.count()];
    assert_eq!(of.classifier.shape(), shape, "labels × (1 + concepts)");
    let mut right = 0_u32;
    for (row, scene) in scenes.iter().enumerate() {
        let maps = Array::new(
            of.printed.shape()[1..].to_vec(),
            of.printed.row(row).to_vec(),
        );
        let t = activations(&maps.expect("the maps of a picture"));
        let truth = labels(scene.of_interest(), LabelTable::Printed);
        right += right_labels(&of.classifier, &t, &truth);
    }
    f64::from(right) / (scenes.len() * LABELS).max(1) as f64
}

/// How many labels a linear classifier (labels × (1 + concepts)) gets right of one picture.
#[must_use]
pub fn right_labels(classifier: &Array, activations: &[f64], truth: &[bool; LABELS]) -> u32 {
    let logit = |label: usize| {
        let (first, weights) = classifier.row(label).split_at(1);
        let products = weights.iter().zip(activations).map(|(w, t)| w * t);
        first[0] + products.sum::<f64>()
    };
    let pairs = truth.iter().enumerate();
    pairs
        .map(|(label, &is)| u32::from((logit(label) > 0.0) == is))
        .sum()
}

#[cfg(test)]
mod tests;
