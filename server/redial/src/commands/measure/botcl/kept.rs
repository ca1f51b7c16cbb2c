//! The arrays that `redial measure botcl` is made from: read, and checked against each other.

use std::path::Path;

use anyhow::{Context as _, ensure};
use figures::GreyPicture;
use import::NumericArray;
use measures::array::Array;
use models::kept_concepts::{
    ACTIVATIONS_FILE, BIAS_FILE, CONCEPTS_FOLDER, LABELS_FILE, MAPS_FILE, PICTURES_FILE,
    WEIGHTS_FILE,
};

use crate::commands::measure::files::kept_file;

/// How many pictures of each concept are drawn, as in the paper's figure 1b.
pub(super) const TOP: usize = 10;

/// The share of a concept's largest attention in a picture above which a cell is outlined.
const MARKED: f64 = 0.5;

/// The arrays, of one number of concepts.
pub(super) struct Kept {
    pub(super) activations: Array,
    pub(super) labels: Vec<usize>,
    pub(super) weights: Array,
    pub(super) bias: Vec<f64>,
    /// Pictures × pixels, and rows and columns of a picture.
    pub(super) pictures: (Array, (usize, usize)),
    /// Pictures × concepts × cells, and rows and columns of cells.
    pub(super) maps: (Array, (usize, usize)),
}

impl Kept {
    pub(super) fn read(folder: Option<&Path>) -> anyhow::Result<Self> {
        let ([images, concepts], activations) = numbers(folder, ACTIVATIONS_FILE)?;
        let ([classes], bias) = list(folder, BIAS_FILE)?;
        let ([labelled], labels) = list(folder, LABELS_FILE)?;
        ensure!(
            labelled == images,
            "{LABELS_FILE} has {labelled} classes; {ACTIVATIONS_FILE} is of {images} pictures"
        );
        for (image, label) in labels.iter().enumerate() {
            ensure!(
                label.fract() == 0.0 && (0.0..classes as f64).contains(label),
                "{LABELS_FILE}: {label} of picture {image} is none of the classes 0 to {}",
                classes - 1
            );
        }
        let (of_weights, weights) = numbers(folder, WEIGHTS_FILE)?;
        ensure!(
            of_weights == [classes, concepts],
            "{WEIGHTS_FILE} has shape {of_weights:?}; with {ACTIVATIONS_FILE} and {BIAS_FILE} it is [{classes}, {concepts}]"
        );
        let ([shown, height, width], pictures) = numbers(folder, PICTURES_FILE)?;
        ensure!(
            shown <= images,
            "{PICTURES_FILE} has {shown} pictures; {ACTIVATIONS_FILE} has {images}, of which they are the first"
        );
        let ([of_maps, of_concepts, rows, columns], maps) = numbers(folder, MAPS_FILE)?;
        ensure!(
            (of_maps, of_concepts) == (shown, concepts),
            "{MAPS_FILE} is of {of_maps} pictures and {of_concepts} concepts; the other files are of {shown} and {concepts}"
        );
        let array = |shape: Vec<usize>, values: Vec<f64>, name: &str| {
            Array::new(shape, values).with_context(|| format!("{name} holds no numbers"))
        };
        Ok(Self {
            activations: array(vec![images, concepts], activations, ACTIVATIONS_FILE)?,
            labels: labels.into_iter().map(|label| label as usize).collect(),
            weights: array(vec![classes, concepts], weights, WEIGHTS_FILE)?,
            bias,
            pictures: (
                array(vec![shown, height * width], pictures, PICTURES_FILE)?,
                (height, width),
            ),
            maps: (
                array(vec![shown * concepts, rows * columns], maps, MAPS_FILE)?,
                (rows, columns),
            ),
        })
    }

    /// The pictures of those that are kept in which a concept is most active, the most active first.
    pub(super) fn top(&self, concept: usize) -> Vec<GreyPicture> {
        let t = |picture: &usize| self.activations.row(*picture)[concept];
        let mut order: Vec<usize> = (0..self.pictures.0.rows()).collect();
        order.sort_by(|a, b| t(b).total_cmp(&t(a)));
        order.truncate(TOP);
        let brightest = self.pictures.0.values().iter().copied().fold(0.0, f64::max);
        let picture = |&picture: &usize| {
            let pixels = self.pictures.0.row(picture);
            let map = self
                .maps
                .0
                .row(picture * self.activations.columns() + concept);
            let largest = map.iter().copied().fold(0.0, f64::max);
            GreyPicture {
                pixels: self.pictures.1,
                grey: pixels.iter().map(|it| it / brightest).collect(),
                cells: self.maps.1,
                marked: map
                    .iter()
                    .map(|it| largest > 0.0 && *it > MARKED * largest)
                    .collect(),
                label: self.labels[picture].to_string(),
                value: t(&picture),
            }
        };
        order.iter().map(picture).collect()
    }
}

/// An array of so many axes, all of whose numbers are finite: its shape and its numbers.
fn numbers<const AXES: usize>(
    folder: Option<&Path>,
    name: &str,
) -> anyhow::Result<([usize; AXES], Vec<f64>)> {
    let found = NumericArray::read(name, &kept_file(folder, CONCEPTS_FOLDER, name)?)?;
    let shape = <[usize; AXES]>::try_from(found.shape.as_slice());
    let shape = shape.ok().filter(|_| !found.values.is_empty());
    let shape = shape.with_context(|| {
        format!(
            "{name} has shape {:?}; it needs numbers, and axes: {AXES}",
            found.shape
        )
    })?;
    ensure!(
        found.values.iter().all(|value| value.is_finite()),
        "{name} holds what is no number"
    );
    Ok((shape, found.values))
}

/// A list, which is read as a column.
fn list(folder: Option<&Path>, name: &str) -> anyhow::Result<([usize; 1], Vec<f64>)> {
    let ([length, width], values) = numbers(folder, name)?;
    ensure!(width == 1, "{name} has {width} columns; a list has one");
    Ok(([length], values))
}
