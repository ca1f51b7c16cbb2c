//! The floor: samples and highlights drawn at random.

use domain::concepts::{Concept, ConceptKind};
use rand::seq::SliceRandom as _;
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::template::like;
use crate::bundle::{ConceptBundle, byte};
use crate::error::ConceptError;
use crate::pictures::Pictures;

/// What a random bundle is made from.
pub struct RandomBundle<'a> {
    /// Name of the new bundle.
    pub name: &'a str,
    /// The bundle that it is to look like: as many concepts and samples, the same vocabulary, and
    /// highlights as large as there.
    pub like: &'a ConceptBundle,
    /// The pictures that samples are drawn from, each at most once for a concept.
    pub pictures: &'a Pictures,
    /// The same seed draws the same bundle.
    pub seed: u64,
}

/// Draws a bundle of random concepts: for each sample a random picture, and in it an ellipse at a random
/// place, whose area is that of a random highlight of the other bundle.
///
/// # Errors
/// Pictures of another shape, or too few of them.
pub fn random(wanted: &RandomBundle<'_>) -> Result<ConceptBundle, ConceptError> {
    let other = wanted.like.card();
    if wanted.pictures.shape() != other.shape {
        return Err(ConceptError::problem(format!(
            "pictures: {:?}; {:?}, as in '{}'",
            wanted.pictures.shape(),
            other.shape,
            other.name
        )));
    }
    if wanted.pictures.count() < other.samples {
        return Err(ConceptError::problem(format!(
            "pictures: {}; at least {}, as many as each concept has samples",
            wanted.pictures.count(),
            other.samples
        )));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(wanted.seed);
    let areas = areas(wanted.like);
    let [mut pictures, mut maps] = [Vec::new(), Vec::new()];
    let mut order: Vec<usize> = (0..wanted.pictures.count()).collect();
    for _ in &other.concepts {
        order.shuffle(&mut rng);
        for picture in order.iter().take(other.samples) {
            let values = wanted.pictures.get(*picture).iter();
            pictures.extend(values.map(|value| byte(*value)));
            let area = areas[rng.random_range(0..areas.len())];
            maps.extend(ellipse(
                area,
                [other.shape.height, other.shape.width],
                &mut rng,
            ));
        }
    }
    let concepts = (1..=other.concepts.len()).map(|number| Concept {
        id: format!("r{number:02}"),
        terms: std::collections::BTreeMap::default(),
    });
    let title = format!(
        "Random samples and highlights, seed {}, like {}",
        wanted.seed, other.name
    );
    let card = like(
        other,
        wanted.name,
        title,
        ConceptKind::Random,
        concepts.collect(),
    );
    let example = wanted.like.example_bytes();
    let example = example.as_ref().map(|[a, b]| [a.as_slice(), b.as_slice()]);
    ConceptBundle::new(&card, &pictures, &maps, example)
}

/// How many pixels each highlight of a bundle covers; at least one highlight of one pixel.
fn areas(bundle: &ConceptBundle) -> Vec<usize> {
    let card = bundle.card();
    let [_, maps] = bundle.bytes();
    let above = |value: &&u8| f64::from(**value) / 255.0 > card.highlight_above;
    let pixels = (card.shape.height * card.shape.width).max(1);
    let each = maps
        .chunks(pixels)
        .map(|map| map.iter().filter(above).count());
    let areas: Vec<usize> = each.filter(|area| *area > 0).collect();
    if areas.is_empty() { vec![1] } else { areas }
}

/// A map with an ellipse of about so many pixels: its axes differ by up to twice, its centre is anywhere in
/// the picture.
fn ellipse(area: usize, size: [usize; 2], rng: &mut dyn Rng) -> Vec<u8> {
    #[allow(clippy::cast_precision_loss)] // a few hundred pixels
    let [rows, columns] = size.map(|side| side as f64);
    let stretch = 2.0_f64.powf(rng.random_range(-0.5..0.5));
    #[allow(clippy::cast_precision_loss)]
    let radius = (area as f64 / std::f64::consts::PI).sqrt();
    let radii = [radius * stretch, radius / stretch];
    // An ellipse that the edge cuts would be smaller than it should be.
    let mut centre = |side: f64, radius: f64| {
        let margin = radius.min(side / 2.0);
        margin + rng.random::<f64>() * (side - 2.0 * margin)
    };
    let middle = [centre(rows, radii[0]), centre(columns, radii[1])];
    let mut map = Vec::with_capacity(size[0] * size[1]);
    let mut nearest = (f64::INFINITY, 0);
    for row in 0..size[0] {
        for column in 0..size[1] {
            #[allow(clippy::cast_precision_loss)]
            let away = [
                row as f64 + 0.5 - middle[0],
                column as f64 + 0.5 - middle[1],
            ];
            let distance = (away[0] / radii[0]).powi(2) + (away[1] / radii[1]).powi(2);
            if distance < nearest.0 {
                nearest = (distance, map.len());
            }
            map.push(if distance <= 1.0 { u8::MAX } else { 0 });
        }
    }
    // Something is highlighted, however small it is.
    if let Some(pixel) = map.get_mut(nearest.1) {
        *pixel = u8::MAX;
    }
    map
}
