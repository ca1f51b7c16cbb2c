//! Concepts that a model has found: pictures, maps and activations of a data set.

use arrays::NumericArray;
use domain::concepts::{Concept, ConceptKind};

use super::resample::bilinear;
use super::template::BundleTemplate;
use crate::bundle::{ConceptBundle, byte};
use crate::error::{ConceptError, Problems};
use crate::pictures::{Pictures, scaled};

/// A lab's arrays.
pub struct LabArrays<'a> {
    /// The pictures of a data set.
    pub pictures: &'a Pictures,
    /// Maps of all concepts in these pictures: `[pictures, concepts, rows, columns]`, in 0…1 or 0…255. They
    /// may be smaller than the pictures.
    pub maps: &'a NumericArray,
    /// How active each concept is in each picture: `[pictures, concepts]`; absent: the mean of its map.
    pub activations: Option<&'a NumericArray>,
    /// Which concepts are asked about, from 0; absent: all but the example.
    pub concepts: Option<&'a [usize]>,
}

/// Makes a bundle of learnt concepts. Each has the pictures in which it is most active, in falling order;
/// of equally active ones the first.
///
/// # Errors
/// All that does not fit, with arrays, rows and columns.
pub fn import(
    name: &str,
    template: &BundleTemplate,
    lab: &LabArrays<'_>,
) -> Result<ConceptBundle, ConceptError> {
    let maps = Maps::of(lab)?;
    let example = template.example.as_ref().map(|example| example.concept);
    let all = || {
        (0..maps.concepts)
            .filter(|it| Some(*it) != example)
            .collect()
    };
    let wanted: Vec<usize> = lab.concepts.map_or_else(all, <[usize]>::to_vec);
    let mut problems = Problems::default();
    for concept in wanted.iter().copied().chain(example) {
        if concept >= maps.concepts {
            problems.add(format!(
                "concept {concept}: the maps have concepts 0 to {}",
                maps.concepts.saturating_sub(1)
            ));
        }
    }
    if let Some(example) = example.filter(|example| wanted.contains(example)) {
        problems.add(format!(
            "concept {example} is the worked example, and asked about"
        ));
    }
    if lab.pictures.count() < template.samples {
        problems.add(format!(
            "pictures: {}; at least {}, as many as each concept has samples",
            lab.pictures.count(),
            template.samples
        ));
    }
    problems.done()?;
    let [mut pictures, mut of_maps] = [Vec::new(), Vec::new()];
    for concept in &wanted {
        let [more_pictures, more_maps] = maps.samples(lab.pictures, *concept, template.samples);
        pictures.extend(more_pictures);
        of_maps.extend(more_maps);
    }
    let example = example.map(|it| maps.samples(lab.pictures, it, template.samples));
    let concepts = wanted.iter().map(|number| Concept {
        id: format!("c{number:02}"),
        terms: std::collections::BTreeMap::default(),
    });
    let shape = lab.pictures.shape();
    let concepts = concepts.collect();
    let card = template.card(name, ConceptKind::Learnt, shape, maps.size, concepts);
    let example = example.as_ref().map(|[a, b]| [a.as_slice(), b.as_slice()]);
    ConceptBundle::new(&card, &pictures, &of_maps, example)
}

/// Maps and activations of all concepts in all pictures.
struct Maps {
    concepts: usize,
    size: [usize; 2],
    /// In 0…1, picture by picture, concept by concept.
    values: Vec<f32>,
    activations: Vec<f64>,
}

impl Maps {
    fn of(lab: &LabArrays<'_>) -> Result<Self, ConceptError> {
        let count = lab.pictures.count();
        let [pictures, concepts, rows, columns] = lab.maps.shape[..] else {
            return Err(ConceptError::problem(format!(
                "maps: shape {:?}; pictures × concepts × rows × columns",
                lab.maps.shape
            )));
        };
        let mut problems = Problems::default();
        if pictures != count {
            problems.add(format!("maps: {pictures} pictures; {count}, as there are"));
        }
        if let Some(found) = lab.activations
            && found.shape[..] != [count, concepts]
        {
            problems.add(format!(
                "activations: shape {:?}; [{count}, {concepts}], a row for each picture and a column for each concept",
                found.shape
            ));
        }
        problems.done()?;
        let values = scaled("maps", lab.maps)?;
        let activations = match lab.activations {
            Some(given) => given.values.clone(),
            None => values.chunks(rows * columns).map(mean).collect(),
        };
        Ok(Self {
            concepts,
            size: [rows, columns],
            values,
            activations,
        })
    }

    /// Pictures and maps, in bytes, of the samples of a concept.
    fn samples(&self, pictures: &Pictures, concept: usize, samples: usize) -> [Vec<u8>; 2] {
        let activation = |picture: usize| self.activations[picture * self.concepts + concept];
        let mut order: Vec<usize> = (0..pictures.count()).collect();
        order.sort_by(|a, b| activation(*b).total_cmp(&activation(*a)));
        let shape = pictures.shape();
        let one = self.size[0] * self.size[1];
        let (mut of_pictures, mut of_maps) = (Vec::new(), Vec::new());
        for picture in order.into_iter().take(samples) {
            of_pictures.extend(pictures.get(picture).iter().map(|value| byte(*value)));
            let start = (picture * self.concepts + concept) * one;
            let map = &self.values[start..start + one];
            let map = bilinear(map, self.size, [shape.height, shape.width]);
            of_maps.extend(map.into_iter().map(byte));
        }
        [of_pictures, of_maps]
    }
}

fn mean(map: &[f32]) -> f64 {
    let sum: f64 = map.iter().map(|value| f64::from(*value)).sum();
    #[allow(clippy::cast_precision_loss)] // some thousand pixels
    let count = map.len().max(1) as f64;
    sum / count
}
