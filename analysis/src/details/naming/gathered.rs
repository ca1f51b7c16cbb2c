//! The answers of all people about all concepts of a vocabulary, in one table.

use std::collections::BTreeMap;

use domain::concepts::ConceptKind;
use domain::task::{NamingDetails, Outcome, TermGroup};
use measures::discovered::naming::answers::Answers;
use measures::discovered::naming::consistency::{Reading, consistency};
use measures::discovered::naming::discovery::discovery_rate;
use measures::discovered::naming::similarity::{Estimator, histogram, similarity};
use rand::{Rng, RngExt as _};

use super::results::{ConceptNames, TermCounts};
use crate::person::Person;

/// One answer: the term of each group.
type Terms = Vec<Option<usize>>;

/// A bundle, and which columns of the table its concepts are.
#[derive(Clone)]
pub(crate) struct Bundle {
    pub(crate) name: String,
    pub(super) kind: ConceptKind,
    columns: Vec<usize>,
}

/// People × concepts.
#[derive(Clone)]
pub(crate) struct Gathered {
    vocabulary: String,
    /// Where groups are combined, the one that they make.
    groups: Vec<TermGroup>,
    combined: bool,
    /// Kind, bundle and concept of each column, in this order.
    concepts: Vec<(ConceptKind, String, String)>,
    /// Each person's terms for each concept; `None`: they were not asked, or did not answer.
    said: Vec<Vec<Option<Terms>>>,
}

impl Gathered {
    /// The answers by vocabulary. Of several answers of a person about one concept the first counts.
    pub(crate) fn of(people: &[(usize, &Person)]) -> Vec<Self> {
        let mut vocabularies: BTreeMap<&str, &NamingDetails> = BTreeMap::new();
        for (_, person) in people {
            for details in answers(person) {
                vocabularies.entry(&details.vocabulary).or_insert(details);
            }
        }
        let all = vocabularies.into_values();
        all.map(|first| Self::of_vocabulary(first, people))
            .collect()
    }

    fn of_vocabulary(first: &NamingDetails, people: &[(usize, &Person)]) -> Self {
        let mine = |person: &&Person| -> Vec<NamingDetails> {
            let all = answers(person);
            let mine =
                all.filter(|it| it.vocabulary == first.vocabulary && it.groups == first.groups);
            mine.cloned().collect()
        };
        let given: Vec<Vec<NamingDetails>> = people.iter().map(|(_, it)| mine(it)).collect();
        let column = |it: &NamingDetails| (it.kind, it.bundle.clone(), it.concept.clone());
        let mut concepts: Vec<_> = given.iter().flatten().map(column).collect();
        concepts.sort();
        concepts.dedup();
        let said = given.iter().map(|given| {
            let of_concept = |wanted: &(ConceptKind, String, String)| {
                let answer = given.iter().find(|it| column(it) == *wanted)?;
                Some(terms(answer, first.combined))
            };
            concepts.iter().map(of_concept).collect()
        });
        Self {
            vocabulary: first.vocabulary.clone(),
            said: said.collect(),
            groups: match first.combined {
                true => vec![combination(&first.groups)],
                false => first.groups.clone(),
            },
            combined: first.combined,
            concepts,
        }
    }

    pub(super) fn vocabulary(&self) -> &str {
        &self.vocabulary
    }

    pub(super) fn is_combined(&self) -> bool {
        self.combined
    }

    pub(super) fn groups(&self) -> &[TermGroup] {
        &self.groups
    }

    /// The bundles: learnt, manual, random, then by name.
    pub(crate) fn bundles(&self) -> Vec<Bundle> {
        let mut bundles: Vec<Bundle> = Vec::new();
        for (column, (kind, bundle, _)) in self.concepts.iter().enumerate() {
            match bundles.last_mut() {
                Some(last) if last.name == *bundle => last.columns.push(column),
                _ => bundles.push(Bundle {
                    name: bundle.clone(),
                    kind: *kind,
                    columns: vec![column],
                }),
            }
        }
        bundles
    }

    /// So many people, drawn from these with replacement.
    pub(crate) fn drawn(&self, people: usize, rng: &mut impl Rng) -> Self {
        let mut own = self.clone();
        // An index of fixed width, so that 32 and 64 bits draw the same. Without people there is no bundle.
        let n = u32::try_from(self.said.len()).unwrap_or(u32::MAX);
        let draw = |_| self.said[rng.random_range(0..n) as usize].clone();
        own.said = (0..people).map(draw).collect();
        own
    }

    /// Those who were asked about a concept of one of these bundles, and their answers about everything.
    /// `None` where the answers are not of one shape.
    pub(super) fn who_saw(&self, bundles: &[&Bundle]) -> Option<(Self, Answers)> {
        let mut own = self.clone();
        own.said.retain(|said| {
            let mut columns = bundles.iter().flat_map(|bundle| &bundle.columns);
            columns.any(|column| said[*column].is_some())
        });
        let nothing = || vec![None; own.groups.len()];
        let row = |said: &Vec<Option<Terms>>| -> Vec<Terms> {
            said.iter()
                .map(|it| it.clone().unwrap_or_else(nothing))
                .collect()
        };
        let rows: Vec<Vec<Terms>> = own.said.iter().map(row).collect();
        let answers = Answers::new(&rows)?;
        Some((own, answers))
    }

    /// How often each person counts.
    fn times(&self, answers: &Answers) -> Vec<u32> {
        if answers.concepts() == 0 || answers.groups() == 0 {
            return Vec::new();
        }
        answers.of(0, 0).map(|(_, times)| times).collect()
    }

    /// The answers about one concept of those who were asked about it.
    fn of_concept(&self, column: usize, answers: &Answers) -> Option<Answers> {
        let each = self.said.iter().zip(self.times(answers));
        let asked = each.filter_map(|(said, times)| Some((said[column].as_ref()?, times)));
        let (rows, times): (Vec<Vec<Terms>>, Vec<u32>) = asked
            .map(|(terms, times)| (vec![terms.clone()], times))
            .unzip();
        let found = Answers::new(&rows).filter(|_| !rows.is_empty())?;
        Some(found.weighted(times))
    }

    /// The answers about the concepts of one bundle: who was not asked about one said nothing of it.
    pub(super) fn of_bundle(&self, bundle: &Bundle, answers: &Answers) -> Option<Answers> {
        let row = |said: &Vec<Option<Terms>>| -> Vec<Terms> {
            let columns = bundle.columns.iter();
            let each = columns.map(|column| said[*column].clone());
            each.map(|it| it.unwrap_or_else(|| vec![None; self.groups.len()]))
                .collect()
        };
        let rows: Vec<Vec<Terms>> = self.said.iter().map(row).collect();
        Some(Answers::new(&rows)?.weighted(self.times(answers)))
    }

    fn each(
        &self,
        bundle: &Bundle,
        answers: &Answers,
        value: impl Fn(&Answers) -> Option<f64>,
    ) -> Vec<Option<f64>> {
        let columns = bundle.columns.iter();
        columns
            .map(|column| value(&self.of_concept(*column, answers)?))
            .collect()
    }

    /// CDR of each concept.
    pub(super) fn discovery(&self, bundle: &Bundle, answers: &Answers) -> Vec<Option<f64>> {
        self.each(bundle, answers, |it| discovery_rate(it, 0))
    }

    /// CC of each concept.
    pub(super) fn consistency(
        &self,
        bundle: &Bundle,
        answers: &Answers,
        reading: Reading,
    ) -> Vec<Option<f64>> {
        self.each(bundle, answers, |it| consistency(it, 0, reading))
    }

    /// MIC of each pair of concepts.
    pub(super) fn similarity(
        &self,
        bundle: &Bundle,
        answers: &Answers,
        estimator: Estimator,
    ) -> Vec<Option<f64>> {
        let sizes: Vec<usize> = self.groups.iter().map(|group| group.terms.len()).collect();
        let columns = bundle.columns.iter();
        let histograms: Vec<Vec<f64>> = columns
            .map(|column| histogram(answers, *column, &sizes))
            .collect();
        let pairs = histograms.iter().enumerate();
        let pairs = pairs.flat_map(|(at, first)| {
            let others = histograms[at + 1..].iter();
            others.map(move |second| similarity(first, second, estimator))
        });
        pairs.collect()
    }

    /// The names that each concept was given.
    pub(super) fn names(&self, bundle: &Bundle, answers: &Answers) -> Vec<ConceptNames> {
        let cdr = self.discovery(bundle, answers);
        let cc = self.consistency(bundle, answers, Reading::BothName);
        let each = bundle.columns.iter().zip(cdr.into_iter().zip(cc));
        each.map(|(column, (cdr, cc))| {
            let said = self.said.iter().filter_map(|said| said[*column].as_ref());
            let said: Vec<&Terms> = said.collect();
            let nothing = said
                .iter()
                .filter(|terms| terms.iter().all(Option::is_none));
            let groups = self.groups.iter().enumerate().map(|(group, known)| {
                let count = |term| {
                    let given = said.iter().filter(|terms| terms[group] == Some(term));
                    given.count()
                };
                let terms = known.terms.iter().enumerate();
                TermCounts {
                    group: known.group.clone(),
                    terms: terms.map(|(at, term)| (term.clone(), count(at))).collect(),
                }
            });
            ConceptNames {
                concept: self.concepts[*column].2.clone(),
                people: said.len(),
                named_nothing: nothing.count(),
                cdr,
                cc,
                groups: groups.collect(),
            }
        })
        .collect()
    }
}

/// The final answers of a person, in order.
fn answers(person: &Person) -> impl Iterator<Item = &NamingDetails> {
    let questions = person.stages.iter().flat_map(|stage| &stage.questions);
    let ended = questions.filter(|question| question.outcome == Some(Outcome::Finished));
    ended.filter_map(|question| question.naming.as_ref())
}

/// The terms of an answer, or the one combination that they are: who left a group open gave none.
fn terms(answer: &NamingDetails, combined: bool) -> Terms {
    if !combined {
        return answer.chosen.clone();
    }
    let mut parts = answer.groups.iter().zip(&answer.chosen);
    vec![parts.try_fold(0, |sum, (group, term)| {
        Some(sum * group.terms.len() + (*term)?)
    })]
}

/// The group of all combinations of terms, in the order of [`terms`].
fn combination(groups: &[TermGroup]) -> TermGroup {
    let names: Vec<&str> = groups.iter().map(|group| group.group.as_str()).collect();
    let nothing = vec![String::new()];
    let terms = groups.iter().fold(nothing, |before, group| {
        let with = |start: &String| {
            let start = start.clone();
            group.terms.iter().map(move |term| match start.as_str() {
                "" => term.clone(),
                start => format!("{start} + {term}"),
            })
        };
        before.iter().flat_map(with).collect()
    });
    TermGroup {
        group: names.join(" + "),
        terms,
    }
}
