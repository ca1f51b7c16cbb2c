//! The answer to a question as it stands, and what changes it.

use crate::concepts::Vocabulary;

crate::json::tagged! {
    "choice";
    /// A change of the answer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    pub enum Choice {
        /// A term was chosen, in place of the one before. *None of them* is no longer ticked.
        Term {
            /// The set: 0, or 1 for the second one.
            set: usize,
            /// The group, from 0.
            group: usize,
            /// The term, from 0; absent: the group was left empty.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            term: Option<usize>,
        },
        /// *None of them* was ticked. All terms are gone.
        NoneOfThem,
        /// A second set of terms was begun.
        SecondSetBegun,
        /// The second set of terms was given up.
        SecondSetGivenUp,
    }
}

/// The answer to a question as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    none_of_them: bool,
    /// The term of each group in one set or two.
    sets: Vec<Vec<Option<usize>>>,
}

impl Answer {
    /// Nothing is chosen.
    #[must_use]
    pub fn empty(vocabulary: &Vocabulary) -> Self {
        Self {
            none_of_them: false,
            sets: vec![vec![None; vocabulary.groups.len()]],
        }
    }

    /// Whether *None of them* is ticked.
    #[must_use]
    pub fn is_none_of_them(&self) -> bool {
        self.none_of_them
    }

    /// The term of each group in the first set.
    #[must_use]
    pub fn first(&self) -> &[Option<usize>] {
        self.sets.first().map_or(&[], Vec::as_slice)
    }

    /// The term of each group in the second set; `None` where it was not begun.
    #[must_use]
    pub fn second(&self) -> Option<&[Option<usize>]> {
        self.sets.get(1).map(Vec::as_slice)
    }

    /// Changes the answer, or leaves it as it was.
    ///
    /// # Errors
    /// Why the vocabulary or the answer does not admit it.
    pub fn change(&mut self, vocabulary: &Vocabulary, choice: Choice) -> Result<(), &'static str> {
        match choice {
            Choice::Term { set, group, term } => {
                let known = vocabulary
                    .groups
                    .get(group)
                    .ok_or("there is no such group")?;
                match term {
                    Some(term) if term >= known.terms.len() => return Err("there is no such term"),
                    None if !known.may_stay_empty => return Err("the group may not stay empty"),
                    _ => {}
                }
                let chosen = self.sets.get_mut(set).and_then(|set| set.get_mut(group));
                *chosen.ok_or("there is no such set")? = term;
                self.none_of_them = false;
            }
            Choice::NoneOfThem => {
                *self = Self::empty(vocabulary);
                self.none_of_them = true;
            }
            Choice::SecondSetBegun => {
                if !vocabulary.second_set {
                    return Err("the vocabulary allows one set");
                }
                if self.sets.len() > 1 || self.none_of_them {
                    return Err("there is no place for a second set");
                }
                self.sets.push(vec![None; vocabulary.groups.len()]);
            }
            Choice::SecondSetGivenUp => {
                if self.sets.len() < 2 {
                    return Err("there is no second set");
                }
                self.sets.truncate(1);
            }
        }
        Ok(())
    }

    /// The terms that are missing before the answer can be final: none where *None of them* is ticked, else a
    /// term of each group that may not stay empty, and one at least, in each set.
    #[must_use]
    pub fn missing(&self, vocabulary: &Vocabulary) -> Vec<Missing> {
        if self.none_of_them {
            return Vec::new();
        }
        let mut missing = Vec::new();
        for (set, terms) in self.sets.iter().enumerate() {
            let groups = vocabulary.groups.iter().zip(terms).enumerate();
            let before = missing.len();
            for (group, (known, term)) in groups {
                if term.is_none() && !known.may_stay_empty {
                    let group = Some(group);
                    missing.push(Missing { set, group });
                }
            }
            if missing.len() == before && terms.iter().all(Option::is_none) {
                missing.push(Missing { set, group: None });
            }
        }
        missing
    }

    /// Whether a concept is named: any group has a term in the first set.
    #[must_use]
    pub fn names(&self) -> bool {
        self.first().iter().any(Option::is_some)
    }
}

/// A place of the answer that is still to be filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// The set: 0, or 1 for the second one.
    pub set: usize,
    /// The group that needs a term, from 0; `None`: any of them.
    pub group: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::concepts::vocabulary;

    fn term(set: usize, group: usize, term: usize) -> Choice {
        let term = Some(term);
        Choice::Term { set, group, term }
    }

    #[test]
    fn none_of_them_and_terms_exclude_each_other() {
        let vocabulary = vocabulary();
        let mut answer = Answer::empty(&vocabulary);
        assert_eq!(answer.missing(&vocabulary).len(), 2);
        answer.change(&vocabulary, term(0, 0, 1)).unwrap();
        answer.change(&vocabulary, Choice::SecondSetBegun).unwrap();
        answer.change(&vocabulary, Choice::NoneOfThem).unwrap();
        assert_eq!((answer.first(), answer.second()), (&[None; 2][..], None));
        assert!(answer.missing(&vocabulary).is_empty() && !answer.names());
        answer.change(&vocabulary, term(0, 1, 0)).unwrap();
        assert!(!answer.is_none_of_them() && answer.names());
        let missing = Missing {
            set: 0,
            group: Some(0),
        };
        assert_eq!(answer.missing(&vocabulary), [missing]);
    }

    #[test]
    fn a_second_set_is_as_complete_as_the_first_or_given_up() {
        let vocabulary = vocabulary();
        let mut answer = Answer::empty(&vocabulary);
        for choice in [term(0, 0, 1), term(0, 1, 1), Choice::SecondSetBegun] {
            answer.change(&vocabulary, choice).unwrap();
        }
        answer.change(&vocabulary, term(1, 0, 0)).unwrap();
        assert_eq!(answer.missing(&vocabulary).len(), 1);
        answer
            .change(&vocabulary, Choice::SecondSetGivenUp)
            .unwrap();
        assert!(answer.missing(&vocabulary).is_empty());
    }

    #[test]
    fn groups_that_may_stay_empty_are_not_all_left_so() {
        let mut vocabulary = vocabulary();
        for group in &mut vocabulary.groups {
            group.may_stay_empty = true;
        }
        let mut answer = Answer::empty(&vocabulary);
        let nothing = Missing {
            set: 0,
            group: None,
        };
        assert_eq!(answer.missing(&vocabulary), [nothing]);
        answer.change(&vocabulary, term(0, 1, 0)).unwrap();
        assert_eq!(answer.missing(&vocabulary), []);
        let cleared = Choice::Term {
            set: 0,
            group: 1,
            term: None,
        };
        answer.change(&vocabulary, cleared).unwrap();
        assert_eq!(answer.missing(&vocabulary), [nothing]);
    }

    #[test]
    fn what_the_vocabulary_does_not_have_is_refused_and_changes_nothing() {
        let mut vocabulary = vocabulary();
        let mut answer = Answer::empty(&vocabulary);
        answer.change(&vocabulary, term(0, 0, 1)).unwrap();
        let before = answer.clone();
        let cleared = Choice::Term {
            set: 0,
            group: 0,
            term: None,
        };
        let wrong = [term(0, 2, 0), term(0, 0, 9), term(1, 0, 0), cleared];
        for choice in wrong.into_iter().chain([Choice::SecondSetGivenUp]) {
            assert!(answer.change(&vocabulary, choice).is_err(), "{choice:?}");
        }
        vocabulary.second_set = false;
        assert!(answer.change(&vocabulary, Choice::SecondSetBegun).is_err());
        assert_eq!(answer, before);
    }
}
