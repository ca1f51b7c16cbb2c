//! The terms that people chose for concepts.

use crate::array::Array;
use crate::inputs::Need;
use crate::problem::{Checked, Problem};

/// One term, or none, of each person for each concept and group of the vocabulary. Where people could give a second
/// set of terms, these are the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers {
    concepts: usize,
    groups: usize,
    /// Person by person, concept by concept, group by group.
    terms: Vec<Option<usize>>,
    /// How often each person counts: once, but in samples that a bootstrap draws.
    times: Vec<u32>,
}

/// More terms than any group of a vocabulary has: histograms need room for them.
pub(super) const MOST_TERMS: usize = 10_000;

/// How many answers that are wrong are named.
const NAMED: usize = 10;

impl Answers {
    /// Answers of people from lists of concepts from lists of groups; none when the lists differ in length.
    #[must_use]
    pub fn new(people: &[Vec<Vec<Option<usize>>>]) -> Option<Self> {
        let concepts = people.first().map_or(0, Vec::len);
        let groups = people.first().and_then(|p| p.first()).map_or(0, Vec::len);
        let even = people.iter().all(|person| {
            person.len() == concepts && person.iter().all(|answer| answer.len() == groups)
        });
        even.then(|| Self {
            concepts,
            groups,
            terms: people.iter().flatten().flatten().copied().collect(),
            times: vec![1; people.len()],
        })
    }

    /// Answers from an array of people × concepts × groups of whole numbers, −1 for none.
    ///
    /// # Errors
    /// Another number of axes; numbers that are neither whole nor −1, or not below the number of terms of their
    /// group; without that, not below 10,000.
    pub fn from_array(array: &Array, terms: Option<&[usize]>) -> Checked<Self> {
        let [people, concepts, groups] = array.shape() else {
            return Err(vec![Problem::Shape {
                array: Need::Answers.name(),
                found: array.shape().to_vec(),
                wanted: "people × concepts × groups".to_owned(),
            }]);
        };
        let (people, concepts, groups) = (*people, *concepts, *groups);
        let end = |group: usize| match terms.and_then(|terms| terms.get(group)) {
            Some(&size) => (size, "its group has as many terms"),
            None => (MOST_TERMS, "no vocabulary has so many terms"),
        };
        let mut problems = Vec::new();
        let mut chosen = Vec::with_capacity(array.values().len());
        for (place, &value) in array.values().iter().enumerate() {
            let (row, column) = (place / (concepts * groups), place / groups % concepts);
            let whole = value.fract() == 0.0 && (-1.0..f64::from(u32::MAX)).contains(&value);
            let term = (whole && value >= 0.0).then_some(value as usize);
            chosen.push(term);
            let (end, why) = end(place % groups);
            if !whole {
                problems.push(Problem::NotAnAnswer { row, column, value });
            } else if term.is_some_and(|term| term >= end) {
                problems.push(Problem::TooLarge {
                    array: Need::Answers.name(),
                    row,
                    column,
                    value,
                    end,
                    why,
                });
            }
        }
        if !problems.is_empty() {
            let more = problems.len().saturating_sub(NAMED);
            problems.truncate(NAMED);
            problems.extend((more > 0).then_some(Problem::More {
                array: Need::Answers.name(),
                count: more,
            }));
            return Err(problems);
        }
        Ok(Self {
            concepts,
            groups,
            terms: chosen,
            times: vec![1; people],
        })
    }

    /// How many people there are.
    #[must_use]
    pub fn people(&self) -> usize {
        self.times.len()
    }

    /// How many concepts there are.
    #[must_use]
    pub fn concepts(&self) -> usize {
        self.concepts
    }

    /// How many groups the vocabulary has.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Whether nobody chose a term for any concept.
    #[must_use]
    pub fn nobody_named(&self) -> bool {
        self.terms.iter().all(Option::is_none)
    }

    /// The term that each person chose for a concept in a group, with how often the person counts. Panics when there is
    /// no such concept or group.
    pub fn of(
        &self,
        concept: usize,
        group: usize,
    ) -> impl Iterator<Item = (Option<usize>, u32)> + '_ {
        assert!(concept < self.concepts && group < self.groups);
        let answer = concept * self.groups + group;
        let width = self.concepts * self.groups;
        self.times
            .iter()
            .enumerate()
            .map(move |(person, &times)| (self.terms[person * width + answer], times))
    }

    /// The same answers, each person counting as often as `times` says. Panics when there are not as many.
    #[must_use]
    pub fn weighted(&self, times: Vec<u32>) -> Self {
        assert_eq!(times.len(), self.people(), "a count for each person");
        Self {
            times,
            ..self.clone()
        }
    }

    /// The same answers with all groups made into one, whose terms are all combinations: with groups of 3 and 8
    /// terms, term 8 × first + second of 24. A person who left one of the groups open named nothing. This is how
    /// BotCL counts its study of written digits. `terms` are the sizes of the groups. Panics when they are not as
    /// many as the groups.
    #[must_use]
    pub fn combined(&self, terms: &[usize]) -> Self {
        assert_eq!(terms.len(), self.groups, "a size for each group");
        let together = |answer: &[Option<usize>]| {
            let mut parts = answer.iter().zip(terms);
            parts.try_fold(0, |sum, (term, size)| Some(sum * size + (*term)?))
        };
        Self {
            concepts: self.concepts,
            groups: 1,
            terms: self
                .terms
                .chunks(self.groups.max(1))
                .map(together)
                .collect(),
            times: self.times.clone(),
        }
    }

    /// One more than the largest term of each group: how many terms there are at least.
    #[must_use]
    pub fn terms_seen(&self) -> Vec<usize> {
        let largest = |group| {
            self.terms
                .iter()
                .skip(group)
                .step_by(self.groups)
                .flatten()
                .max()
        };
        (0..self.groups)
            .map(|group| largest(group).map_or(0, |term| term + 1))
            .collect()
    }
}
