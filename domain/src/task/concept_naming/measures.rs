//! The measures of a question.

use serde::{Deserialize, Serialize};

use super::{Key, Plan, State};
use crate::clock::seconds;
use crate::concepts::ConceptKind;
use crate::task::details::{NamingDetails, TermGroup};

/// What is measured of one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Measures {
    /// Whether the concept was named with any term; absent before the answer is final.
    pub named: Option<bool>,
    /// Whether *None of them* is ticked.
    pub none_of_them: bool,
    /// Names of the groups, in the order of all lists of terms here.
    pub groups: Vec<String>,
    /// Name of the term of each group; null where there is none.
    pub terms: Vec<Option<String>>,
    /// The same of the second set; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_terms: Option<Vec<Option<String>>>,
    /// The explanation.
    pub explanation: String,
    /// Seconds from the start to the first change of the answer.
    pub first_choice_s: Option<f64>,
    /// Seconds from the start to the last change of the answer.
    pub last_choice_s: Option<f64>,
    /// How often the answer was changed.
    pub changes: u32,
    /// How often a sample was enlarged.
    pub enlargements: u32,
    /// How many different samples were enlarged.
    pub samples_enlarged: usize,
    /// Seconds for which a sample was enlarged; the last one counts once it is closed.
    pub enlarged_s: f64,
    /// How often the definitions of each group were opened.
    pub definitions_opened: Vec<u32>,
    /// How often the worked example was opened.
    pub example_opened: u32,
    /// Name of the bundle; known only with the answer key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<String>,
    /// Where its concepts come from; known only with the answer key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concept_kind: Option<ConceptKind>,
    /// Name of the concept; known only with the answer key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concept: Option<String>,
    /// What its maker says that it shows; known only with the answer key, and where somebody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_terms: Option<Vec<Option<String>>>,
    /// What an analysis takes from the answer.
    #[serde(skip)]
    details: Option<NamingDetails>,
}

impl Measures {
    pub(super) fn of(plan: &Plan, key: Option<&Key>, state: &State) -> Self {
        let vocabulary = &plan.vocabulary;
        let answer = &state.answer;
        let expected = key.map(|key| &key.expected).filter(|it| !it.is_empty());
        let details = key.filter(|_| state.finished).map(|key| NamingDetails {
            vocabulary: vocabulary.name.clone(),
            bundle: key.bundle.clone(),
            kind: key.concept_kind,
            concept: key.concept.clone(),
            groups: groups(plan),
            combined: vocabulary.combined,
            chosen: answer.first().to_vec(),
        });
        Self {
            named: state.finished.then(|| answer.names()),
            none_of_them: answer.is_none_of_them(),
            groups: vocabulary.groups.iter().map(|it| it.id.clone()).collect(),
            terms: vocabulary.ids(answer.first()),
            second_terms: answer.second().map(|terms| vocabulary.ids(terms)),
            explanation: state.explanation.clone(),
            first_choice_s: state.changed_ms.map(|[first, _]| seconds(first)),
            last_choice_s: state.changed_ms.map(|[_, last]| seconds(last)),
            changes: state.changes,
            enlargements: state.enlargements,
            samples_enlarged: state.samples_enlarged.len(),
            enlarged_s: seconds(state.enlarged_ms),
            definitions_opened: state.definitions_opened.clone(),
            example_opened: state.example_opened,
            bundle: key.map(|key| key.bundle.clone()),
            concept_kind: key.map(|key| key.concept_kind),
            concept: key.map(|key| key.concept.clone()),
            expected_terms: expected.map(|terms| vocabulary.ids(terms)),
            details,
        }
    }

    /// The details that an analysis takes from the answer; `None` before it is final, and without its key.
    pub(super) fn details(&self) -> Option<NamingDetails> {
        self.details.clone()
    }
}

fn groups(plan: &Plan) -> Vec<TermGroup> {
    let groups = plan.vocabulary.groups.iter();
    let group = groups.map(|group| TermGroup {
        group: group.id.clone(),
        terms: group.terms.iter().map(|term| term.id.clone()).collect(),
    });
    group.collect()
}
