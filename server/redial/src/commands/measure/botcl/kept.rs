//! The arrays that `redial measure botcl` is made from: read, and checked against each other.

use std::borrow::Cow;
use std::path::Path;

use anyhow::{Context as _, ensure};
use figures::GreyPicture;
use import::NumericArray;
use measures::array::Array;
use models::Zoo;
use models::kept_concepts::{
    ACTIVATIONS_FILE, BIAS_FILE, CONCEPTS_FOLDER, LABELS_FILE, MAPS_FILE, PICTURES_FILE,
    WEIGHTS_FILE,
};

/// How many pictures of each concept are drawn, as in the paper's figure 1.
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
        let read = |name: &str, axes: usize| -> anyhow::Result<NumericArray> {
            let mut found = NumericArray::read(name, &bytes(folder, name)?)?;
            // A list is read as a column.
            if axes == 1 && found.shape.get(1) == Some(&1) {
                found.shape.truncate(1);
            }
            ensure!(
                found.shape.len() == axes && !found.values.is_empty(),
                "{name} has shape {:?}; an array of {axes} axes is wanted, with numbers in it",
                found.shape
            );
            ensure!(
                found.values.iter().all(|value| value.is_finite()),
                "{name} holds what is no number"
            );
            Ok(found)
        };
        let activations = read(ACTIVATIONS_FILE, 2)?;
        let [images, concepts] = activations.shape[..] else {
            unreachable!("two axes were asked for");
        };
        let bias = read(BIAS_FILE, 1)?.values;
        let classes = bias.len();
        let of_shape = |name: &str, shape: &[usize]| -> anyhow::Result<NumericArray> {
            let found = read(name, shape.len())?;
            ensure!(
                found.shape == shape,
                "{name} has shape {:?}; with {ACTIVATIONS_FILE} and {BIAS_FILE} it is {shape:?}",
                found.shape
            );
            Ok(found)
        };
        let labels = of_shape(LABELS_FILE, &[images])?.values;
        for (image, label) in labels.iter().enumerate() {
            ensure!(
                label.fract() == 0.0 && (0.0..classes as f64).contains(label),
                "{LABELS_FILE}: {label} of picture {image} is none of the classes 0 to {}",
                classes - 1
            );
        }
        let weights = of_shape(WEIGHTS_FILE, &[classes, concepts])?;
        let pictures = read(PICTURES_FILE, 3)?;
        let [shown, height, width] = pictures.shape[..] else {
            unreachable!("three axes were asked for");
        };
        ensure!(
            shown <= images,
            "{PICTURES_FILE} has {shown} pictures; {ACTIVATIONS_FILE} has {images}, of which they are the first"
        );
        let maps = read(MAPS_FILE, 4)?;
        let [of_maps, of_concepts, rows, columns] = maps.shape[..] else {
            unreachable!("four axes were asked for");
        };
        ensure!(
            (of_maps, of_concepts) == (shown, concepts),
            "{MAPS_FILE} has shape {:?}; it begins with {shown} pictures and {concepts} concepts",
            maps.shape
        );
        let array = |shape: Vec<usize>, values: Vec<f64>, name: &str| {
            Array::new(shape, values).with_context(|| format!("{name} holds no numbers"))
        };
        Ok(Self {
            activations: array(activations.shape, activations.values, ACTIVATIONS_FILE)?,
            labels: labels.into_iter().map(|label| label as usize).collect(),
            weights: array(weights.shape, weights.values, WEIGHTS_FILE)?,
            bias,
            pictures: (
                array(vec![shown, height * width], pictures.values, PICTURES_FILE)?,
                (height, width),
            ),
            maps: (
                array(
                    vec![shown * concepts, rows * columns],
                    maps.values,
                    MAPS_FILE,
                )?,
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

/// A file of the folder that somebody named, else one that ships.
fn bytes(folder: Option<&Path>, name: &str) -> anyhow::Result<Cow<'static, [u8]>> {
    match folder {
        Some(folder) => {
            let path = folder.join(name);
            let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
            Ok(Cow::Owned(bytes))
        }
        None => Zoo::shipped_file(&format!("{CONCEPTS_FOLDER}/{name}"))
            .with_context(|| format!("{name} does not ship")),
    }
}
