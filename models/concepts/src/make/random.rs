//! The floor: samples and highlights drawn at random.

use domain::concepts::{Concept, ConceptCard, ConceptKind};
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
    /// highlights of the same outlines.
    pub like: &'a ConceptBundle,
    /// The pictures that samples are drawn from, each at most once for a concept.
    pub pictures: &'a Pictures,
    /// The same seed draws the same bundle.
    pub seed: u64,
}

/// Draws a bundle of random concepts: for each sample a random picture, and in it a random highlight of the other
/// bundle, mirrored at random and moved to a random place. So outlines and areas are those of the other bundle, and
/// where they are says nothing.
///
/// # Errors
/// Pictures of another shape, or too few of them; another bundle that highlights nothing.
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
    let [_, of_other] = wanted.like.bytes();
    let pixels = (other.shape.height * other.shape.width).max(1);
    let highlights: Vec<&[u8]> = of_other
        .chunks(pixels)
        .filter(|map| map.iter().any(|value| is_highlighted(*value, other)))
        .collect();
    if highlights.is_empty() {
        return Err(ConceptError::problem(format!(
            "'{}' highlights nothing; a bundle with highlights, whose outlines are taken",
            other.name
        )));
    }
    let [mut pictures, mut maps] = [Vec::new(), Vec::new()];
    let mut order: Vec<usize> = (0..wanted.pictures.count()).collect();
    for _ in &other.concepts {
        order.shuffle(&mut rng);
        for picture in order.iter().take(other.samples) {
            let values = wanted.pictures.get(*picture).iter();
            pictures.extend(values.map(|value| byte(*value)));
            let highlight = &highlights[rng.random_range(0..highlights.len())];
            maps.extend(moved(highlight, other, &mut rng));
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

/// A highlight, mirrored at random and moved to a random place, as far as it stays within the picture. What is not
/// above the threshold is left out: the edge would cut it.
fn moved(map: &[u8], card: &ConceptCard, rng: &mut dyn Rng) -> Vec<u8> {
    let (rows, columns) = (card.shape.height, card.shape.width);
    let [upside_down, mirrored]: [bool; 2] = rng.random();
    let mut lit = Vec::new();
    for (at, value) in map.iter().enumerate() {
        if is_highlighted(*value, card) {
            let (row, column) = (at / columns, at % columns);
            let row = if upside_down { rows - 1 - row } else { row };
            let column = if mirrored {
                columns - 1 - column
            } else {
                column
            };
            lit.push(([row, column], *value));
        }
    }
    let mut out = vec![0; map.len()];
    let mut start = |side: usize, length: usize| {
        let first = lit.iter().map(|(at, _)| at[side]).min().unwrap_or(0);
        let last = lit.iter().map(|(at, _)| at[side]).max().unwrap_or(0);
        (first, rng.random_range(0..=length - 1 - (last - first)))
    };
    let ((top, row), (left, column)) = (start(0, rows), start(1, columns));
    for ([y, x], value) in &lit {
        out[(y - top + row) * columns + (x - left + column)] = *value;
    }
    out
}

fn is_highlighted(value: u8, card: &ConceptCard) -> bool {
    f64::from(value) / 255.0 > card.highlight_above
}
