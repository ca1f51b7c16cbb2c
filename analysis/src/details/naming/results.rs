//! Results about the names of concepts.

use domain::concepts::ConceptKind;
use domain::study::NamingMeasure;
use measures::statistics::Interval;
use measures::statistics::rank::{MannWhitney, RankAnova};
use serde::Serialize;

use crate::computed::Computed;

/// Names of the concepts of one vocabulary.
#[derive(Debug, Clone, Serialize)]
pub struct NamingResults {
    /// Name of the vocabulary.
    pub vocabulary: String,
    /// Whether all groups of terms were made into one of all combinations.
    pub combined: bool,
    /// Each bundle of concepts: learnt, manual, random.
    pub bundles: Vec<NamingRow>,
    /// Every two bundles.
    pub differences: Vec<NamingDifference>,
    /// Whether bundles differ at all, over their concepts; none for fewer than two bundles.
    pub omnibus: Vec<NamingOmnibus>,
}

/// The names of one bundle's concepts.
#[derive(Debug, Clone, Serialize)]
pub struct NamingRow {
    /// Name of the bundle.
    pub bundle: String,
    /// Where its concepts come from.
    pub kind: ConceptKind,
    /// People who gave a final answer about one of its concepts.
    pub people: usize,
    /// CDR, CC by the default reading and MIC by the default estimator.
    pub scores: Vec<NamingScore>,
    /// Mean CC as the paper prints it: None = None agrees, and pairs that both named are discounted.
    pub cc_literal: Option<f64>,
    /// Mean CC where None = None agrees and pairs that both gave none are discounted.
    pub cc_both_none: Option<f64>,
    /// Mean over pairs of concepts of the mutual information, in nats, of the concept shown and the term.
    pub mic_concept_and_term: Option<f64>,
    /// Mean over pairs of concepts of the mutual information, in nats, of their counts as paired labels.
    pub mic_counts: Option<f64>,
    /// Krippendorff's α of the terms of each group.
    pub agreement: Vec<TermAgreement>,
    /// Its concepts.
    pub concepts: Vec<ConceptNames>,
}

/// One measure of one bundle.
#[derive(Debug, Clone, Serialize)]
pub struct NamingScore {
    /// The measure.
    pub measure: NamingMeasure,
    /// Mean over concepts, or over pairs of them; `None` where none has a value.
    pub mean: Option<f64>,
    /// Standard deviation over the same, divisor n − 1; `None` below two.
    pub sd: Option<f64>,
    /// 95 % interval of the mean over people (CDR and CC: BCa bootstrap; MIC: jackknife); absent where it was not
    /// asked for.
    pub interval: Option<Computed<Interval>>,
}

/// How far people agree on the terms of a group beyond chance.
#[derive(Debug, Clone, Serialize)]
pub struct TermAgreement {
    /// Name of the group.
    pub group: String,
    /// Krippendorff's α, for nominal data.
    pub alpha: Computed<f64>,
    /// 95 % BCa bootstrap interval over people; absent where it was not asked for.
    pub interval: Option<Computed<Interval>>,
}

/// The names that one concept was given.
#[derive(Debug, Clone, Serialize)]
pub struct ConceptNames {
    /// Name of the concept.
    pub concept: String,
    /// People who gave a final answer about it.
    pub people: usize,
    /// People among them who named nothing.
    pub named_nothing: usize,
    /// Its concept discovery rate.
    pub cdr: Option<f64>,
    /// Its concept consistency by the default reading; `None` below two people.
    pub cc: Option<f64>,
    /// How often each term was given, group by group.
    pub groups: Vec<TermCounts>,
}

/// How often each term of a group was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TermCounts {
    /// Name of the group.
    pub group: String,
    /// Each term with the number of people who gave it.
    pub terms: Vec<(String, usize)>,
}

/// Two bundles compared.
#[derive(Debug, Clone, Serialize)]
pub struct NamingDifference {
    /// The measure.
    pub measure: NamingMeasure,
    /// Whether the study's analysis declares it.
    pub planned: bool,
    /// Names of the two bundles.
    pub bundles: [String; 2],
    /// Mean of the first minus mean of the second; `None` where one is not defined.
    pub difference: Option<f64>,
    /// 95 % interval of the difference over people (CDR and CC: BCa bootstrap; MIC: jackknife); absent where it was
    /// not asked for.
    pub interval: Option<Computed<Interval>>,
    /// Mann and Whitney's test over concepts; absent for MIC, whose pairs of concepts are not independent.
    pub ranks: Option<Computed<MannWhitney>>,
    /// p of that test, corrected over the declared ones; absent for what is not declared.
    pub p_corrected: Option<f64>,
}

/// All bundles compared over their concepts.
#[derive(Debug, Clone, Serialize)]
pub struct NamingOmnibus {
    /// The measure.
    pub measure: NamingMeasure,
    /// Kruskal and Wallis's test.
    pub ranks: Computed<RankAnova>,
}
