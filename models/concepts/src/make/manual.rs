//! The ceiling: concepts that people have marked in pictures.

use std::collections::BTreeMap;

use domain::concepts::{Concept, ConceptKind};

use super::resample::outlined;
use super::template::like;
use crate::bundle::{ConceptBundle, byte};
use crate::error::{ConceptError, Problems};
use crate::pictures::Pictures;

/// What a bundle of marked concepts is made from.
pub struct MarkedBundle<'a> {
    /// Name of the new bundle.
    pub name: &'a str,
    /// The bundle that it is to look like: as many samples of each concept, the same vocabulary.
    pub like: &'a ConceptBundle,
    /// The pictures.
    pub pictures: &'a Pictures,
    /// The marks, as CSV: a rectangle a line, under the heads `concept`, `picture` (from 0), `top`, `left`,
    /// `bottom` and `right` (in pixels; `bottom` and `right` are the first beyond), and one head for each
    /// group of the vocabulary with the concept's term. Several rectangles of a concept in a picture are one
    /// highlight. Its outline is that of a map as coarse as the other bundle's, its area that of the rectangles, so
    /// that rectangles do not tell who marked it. Pictures come in the order of their first rectangle.
    pub marks: &'a str,
}

/// The heads of every file of marks.
const PLACE: [&str; 6] = ["concept", "picture", "top", "left", "bottom", "right"];

/// Makes a bundle of marked concepts.
///
/// # Errors
/// All that does not fit, with line and column of the marks.
pub fn manual(wanted: &MarkedBundle<'_>) -> Result<ConceptBundle, ConceptError> {
    let other = wanted.like.card();
    let mut problems = Problems::default();
    if wanted.pictures.shape() != other.shape {
        problems.add(format!(
            "pictures: {:?}; {:?}, as in '{}'",
            wanted.pictures.shape(),
            other.shape,
            other.name
        ));
    }
    let marks = Marks::read(wanted, &mut problems);
    for (concept, marked) in &marks.concepts {
        if marked.samples.len() != other.samples {
            problems.add(format!(
                "marks: concept '{concept}' has {} pictures; {}, as in '{}'",
                marked.samples.len(),
                other.samples,
                other.name
            ));
        }
    }
    problems.done()?;
    let [mut pictures, mut maps] = [Vec::new(), Vec::new()];
    for (_, marked) in &marks.concepts {
        for (picture, map) in &marked.samples {
            let values = wanted.pictures.get(*picture).iter();
            pictures.extend(values.map(|value| byte(*value)));
            let size = [other.shape.height, other.shape.width];
            let places = other.map_size.unwrap_or(size);
            maps.extend(outlined(map, size, places, other.highlight_above));
        }
    }
    let concepts = marks.concepts.into_iter().map(|(id, marked)| Concept {
        id,
        terms: marked.terms,
    });
    let title = format!("Concepts marked by people, like {}", other.name);
    let card = like(
        other,
        wanted.name,
        title,
        ConceptKind::Manual,
        concepts.collect(),
    );
    let example = wanted.like.example_bytes();
    let example = example.as_ref().map(|[a, b]| [a.as_slice(), b.as_slice()]);
    ConceptBundle::new(&card, &pictures, &maps, example)
}

/// One concept.
#[derive(Default)]
struct Marked {
    terms: BTreeMap<String, String>,
    /// Picture of each sample, and which of its pixels are marked.
    samples: Vec<(usize, Vec<bool>)>,
}

/// The concepts by name, in the order of their first marks.
#[derive(Default)]
struct Marks {
    concepts: Vec<(String, Marked)>,
}

impl Marks {
    fn read(wanted: &MarkedBundle<'_>, problems: &mut Problems) -> Self {
        let mut marks = Self::default();
        let mut lines = wanted.marks.trim_start_matches('\u{feff}').lines();
        let heads: Vec<&str> = lines
            .next()
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .collect();
        let groups = &wanted.like.card().vocabulary.groups;
        let mut columns = BTreeMap::new();
        let known = PLACE
            .into_iter()
            .chain(groups.iter().map(|group| group.id.as_str()));
        for head in known {
            match heads.iter().position(|found| *found == head) {
                Some(at) => {
                    columns.insert(head, at);
                }
                None => problems.add(format!("marks, line 1: there is no column '{head}'")),
            }
        }
        if columns.len() < PLACE.len() + groups.len() {
            return marks;
        }
        let mut found = Vec::new();
        for (number, line) in (2..).zip(lines).filter(|(_, line)| !line.trim().is_empty()) {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            let cell = |head: &str| {
                let at = columns.get(head).copied();
                at.and_then(|at| cells.get(at)).copied().unwrap_or_default()
            };
            let at = format!("marks, line {number}");
            marks.take(wanted, &at, cell, &mut found);
        }
        problems.of_array(found.into_iter());
        marks
    }

    /// Takes in a line.
    fn take<'a>(
        &mut self,
        wanted: &MarkedBundle<'_>,
        at: &str,
        cell: impl Fn(&str) -> &'a str,
        found: &mut Vec<String>,
    ) {
        let shape = wanted.pictures.shape();
        let mut number = |head: &str, least: usize, end: usize| {
            let value = cell(head).parse::<usize>().ok();
            let value = value.filter(|value| (least..end).contains(value));
            if value.is_none() {
                found.push(format!(
                    "{at}, column '{head}': '{}'; a whole number from {least} to {}",
                    cell(head),
                    end.saturating_sub(1)
                ));
            }
            value
        };
        let picture = number("picture", 0, wanted.pictures.count());
        let top = number("top", 0, shape.height);
        let left = number("left", 0, shape.width);
        let bottom = number("bottom", top.unwrap_or(0) + 1, shape.height + 1);
        let right = number("right", left.unwrap_or(0) + 1, shape.width + 1);
        let name = cell("concept");
        let mut terms = BTreeMap::new();
        for group in &wanted.like.card().vocabulary.groups {
            let term = cell(&group.id);
            if group.terms.iter().any(|known| known.id == term) {
                terms.insert(group.id.clone(), term.to_owned());
            } else if !(term.is_empty() && group.may_stay_empty) {
                let known: Vec<&str> = group.terms.iter().map(|term| term.id.as_str()).collect();
                found.push(format!(
                    "{at}, column '{}': '{term}'; one of: {}",
                    group.id,
                    known.join(", ")
                ));
            }
        }
        let place = match self.concepts.iter().position(|(known, _)| known == name) {
            Some(place) => place,
            None => {
                let terms = terms.clone();
                let samples = Vec::new();
                self.concepts
                    .push((name.to_owned(), Marked { terms, samples }));
                self.concepts.len() - 1
            }
        };
        let marked = &mut self.concepts[place].1;
        if marked.terms != terms {
            found.push(format!("{at}: concept '{name}' has other terms before"));
        }
        let (Some(picture), Some(top), Some(left), Some(bottom), Some(right)) =
            (picture, top, left, bottom, right)
        else {
            return;
        };
        let sample = match marked
            .samples
            .iter()
            .position(|(known, _)| *known == picture)
        {
            Some(sample) => sample,
            None => {
                let map = vec![false; shape.height * shape.width];
                marked.samples.push((picture, map));
                marked.samples.len() - 1
            }
        };
        let map = &mut marked.samples[sample].1;
        for row in top..bottom {
            map[row * shape.width + left..row * shape.width + right].fill(true);
        }
    }
}
