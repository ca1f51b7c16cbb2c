//! Details that an analysis takes from a question beside metrics.

use serde::{Deserialize, Serialize};

use crate::concepts::ConceptKind;

/// The details that an analysis takes from a question beside metrics; each is empty where it means nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuestionDetails {
    /// The dimension asked about, from 0.
    pub dimension: Option<usize>,
    /// Number of options; chance is one over it.
    pub options: Option<usize>,
    /// Dials in the order in which they were first moved, from 0.
    pub first_touched: Vec<usize>,
    /// The name that a concept was given.
    pub naming: Option<NamingDetails>,
}

/// The name that a concept was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamingDetails {
    /// Name of the vocabulary.
    pub vocabulary: String,
    /// Name of the bundle that the concept is from.
    pub bundle: String,
    /// Where the bundle's concepts come from.
    pub kind: ConceptKind,
    /// Name of the concept.
    pub concept: String,
    /// The groups of terms.
    pub groups: Vec<TermGroup>,
    /// Whether all groups together are one of all combinations.
    pub combined: bool,
    /// The term of each group, from 0; `None` where none was chosen. Of two sets the first one counts.
    pub chosen: Vec<Option<usize>>,
}

/// A group of terms by the names that they have in the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermGroup {
    /// Name of the group.
    pub group: String,
    /// Names of its terms.
    pub terms: Vec<String>,
}
