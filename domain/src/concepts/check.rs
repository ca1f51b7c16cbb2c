//! Problems of a card, all at once.

use std::collections::BTreeMap;

use super::{CARD_FORMAT, ConceptCard, MAX_SAMPLES, MAX_SIDE, PictureShape, Vocabulary};
use crate::common::language::LocalText;
use crate::common::problem::StudyProblem;

/// Most terms of a group: more cannot be read as a list of buttons.
const MAX_TERMS: usize = 40;

impl ConceptCard {
    /// All that is wrong with the card, each with its place; nothing for one that can be used.
    #[must_use]
    pub fn problems(&self) -> Vec<StudyProblem> {
        let mut out = Problems(Vec::new());
        if self.format != CARD_FORMAT {
            out.add("format", self.format.to_string(), "1, the only format");
        }
        out.name("name", &self.name, '-');
        if !(0.0..1.0).contains(&self.highlight_above) {
            let found = self.highlight_above.to_string();
            out.add("highlight_above", found, "a number from 0 to below 1");
        }
        self.check_shape(&mut out);
        if !(1..=MAX_SAMPLES).contains(&self.samples) {
            let expected = format!("1 to {MAX_SAMPLES} samples of each concept");
            out.add("samples", self.samples.to_string(), expected);
        }
        check_vocabulary(&self.vocabulary, &mut out);
        self.check_concepts(&mut out);
        if let Some(example) = &self.example {
            self.check_terms("example.terms", &example.terms, true, &mut out);
            if example.explanation.is_blank() {
                let expected = "why these terms";
                out.add("example.explanation", "nothing but space", expected);
            }
        }
        out.0
    }

    fn check_shape(&self, out: &mut Problems) {
        let PictureShape {
            height,
            width,
            channels,
        } = self.shape;
        for (place, side) in [("shape.height", height), ("shape.width", width)] {
            if !(1..=MAX_SIDE).contains(&side) {
                let expected = format!("1 to {MAX_SIDE} pixels");
                out.add(place, side.to_string(), expected);
            }
        }
        if channels != 1 && channels != 3 {
            let expected = "1 (grey) or 3 (red, green, blue)";
            out.add("shape.channels", channels.to_string(), expected);
        }
        if let Some([rows, columns]) = self.map_size
            && !((1..=height).contains(&rows) && (1..=width).contains(&columns))
        {
            let expected = format!("1 to {height} rows and 1 to {width} columns");
            out.add("map_size", format!("{rows} × {columns}"), expected);
        }
    }

    fn check_concepts(&self, out: &mut Problems) {
        if self.concepts.is_empty() {
            out.add("concepts", "an empty list", "at least one concept");
        }
        for (index, concept) in self.concepts.iter().enumerate() {
            let place = format!("concepts[{index}]");
            out.name(&format!("{place}.id"), &concept.id, '-');
            let before = &self.concepts[..index];
            if before.iter().any(|other| other.id == concept.id) {
                out.twice(&format!("{place}.id"), &concept.id);
            }
            self.check_terms(&format!("{place}.terms"), &concept.terms, false, out);
        }
    }

    /// Terms by the names of their groups; `whole` if each group that may not stay empty needs one.
    fn check_terms(
        &self,
        place: &str,
        terms: &BTreeMap<String, String>,
        whole: bool,
        out: &mut Problems,
    ) {
        let groups = &self.vocabulary.groups;
        for (group, term) in terms {
            match groups.iter().find(|known| known.id == *group) {
                None => out.add(
                    format!("{place}.{group}"),
                    format!("'{group}'"),
                    "the name of a group of the vocabulary",
                ),
                Some(known) if !known.terms.iter().any(|it| it.id == *term) => out.add(
                    format!("{place}.{group}"),
                    format!("'{term}'"),
                    "the name of a term of this group",
                ),
                Some(_) => {}
            }
        }
        let missing = groups
            .iter()
            .filter(|group| !group.may_stay_empty && !terms.contains_key(&group.id));
        if whole || !terms.is_empty() {
            for group in missing {
                let expected = "a term of each group that may not stay empty";
                out.add(format!("{place}.{}", group.id), "nothing", expected);
            }
        }
    }
}

fn check_vocabulary(vocabulary: &Vocabulary<LocalText>, out: &mut Problems) {
    out.name("vocabulary.name", &vocabulary.name, '-');
    if vocabulary.groups.is_empty() {
        out.add("vocabulary.groups", "an empty list", "at least one group");
    }
    for (index, group) in vocabulary.groups.iter().enumerate() {
        let place = format!("vocabulary.groups[{index}]");
        out.name(&format!("{place}.id"), &group.id, '_');
        let before = &vocabulary.groups[..index];
        if before.iter().any(|other| other.id == group.id) {
            out.twice(&format!("{place}.id"), &group.id);
        }
        out.words(&format!("{place}.text"), &group.text);
        if !(2..=MAX_TERMS).contains(&group.terms.len()) {
            let found = format!("{} terms", group.terms.len());
            out.add(
                format!("{place}.terms"),
                found,
                format!("2 to {MAX_TERMS} to choose from"),
            );
        }
        for (number, term) in group.terms.iter().enumerate() {
            let place = format!("{place}.terms[{number}]");
            out.name(&format!("{place}.id"), &term.id, '_');
            let before = &group.terms[..number];
            if before.iter().any(|other| other.id == term.id) {
                out.twice(&format!("{place}.id"), &term.id);
            }
            out.words(&format!("{place}.text"), &term.text);
            if let Some(definition) = &term.definition {
                out.words(&format!("{place}.definition"), definition);
            }
        }
    }
    if vocabulary.combined && vocabulary.groups.iter().any(|group| group.may_stay_empty) {
        let expected = "groups that describe one thing together are all answered";
        out.add(
            "vocabulary.combined",
            "a group that may stay empty",
            expected,
        );
    }
}

struct Problems(Vec<StudyProblem>);

impl Problems {
    fn add(
        &mut self,
        path: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        self.0.push(StudyProblem {
            path: path.into(),
            found: found.into(),
            expected: expected.into(),
        });
    }

    fn twice(&mut self, place: &str, name: &str) {
        self.add(
            place,
            format!("'{name}' a second time"),
            "a name of its own",
        );
    }

    fn name(&mut self, place: &str, name: &str, joiner: char) {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == joiner;
        if !(1..=64).contains(&name.len()) || !name.chars().all(fits) {
            let expected = format!("lower-case letters, digits and '{joiner}', 1 to 64 characters");
            self.add(place, format!("'{name}'"), expected);
        }
    }

    fn words(&mut self, place: &str, text: &LocalText) {
        if text.is_blank() {
            self.add(place, "nothing but space", "what participants read");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::concepts::card;

    #[test]
    fn a_good_card_has_no_problem() {
        assert_eq!(card("marks", "manual").problems(), []);
    }

    #[test]
    fn all_problems_are_told_at_once_with_their_places() {
        let mut wrong = card("marks", "manual");
        wrong.format = 7;
        wrong.name = "My concepts".into();
        wrong.highlight_above = f64::NAN;
        wrong.shape = PictureShape::new(0, 2, 2);
        wrong.samples = 0;
        wrong.vocabulary.groups[0].terms.truncate(1);
        wrong.vocabulary.groups[1].id = "position".into();
        wrong.concepts[1].id = wrong.concepts[0].id.clone();
        let terms = &mut wrong.concepts[0].terms;
        terms.insert("colour".into(), "red".into());
        terms.insert("position".into(), "middle".into());
        let places: Vec<String> = wrong
            .problems()
            .into_iter()
            .map(|problem| problem.path)
            .collect();
        for place in [
            "format",
            "name",
            "highlight_above",
            "shape.height",
            "shape.channels",
            "samples",
            "vocabulary.groups[0].terms",
            "vocabulary.groups[1].id",
            "concepts[1].id",
            "concepts[0].terms.colour",
            "concepts[0].terms.position",
        ] {
            assert!(places.iter().any(|it| it == place), "{place}: {places:?}");
        }
    }
}
