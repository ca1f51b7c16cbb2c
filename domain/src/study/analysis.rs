//! The plan of what is analysed, and how: declared in the study, and so fixed before the data and
//! hashed with it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Metric;

/// The analysis that a study declares. What is worked out beyond it is exploratory, and says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AnalysisPlan {
    /// What is measured, the most important first.
    #[cfg_attr(feature = "check", schemars(length(min = 1)))]
    pub metrics: Vec<Metric>,
    /// What conditions are.
    #[serde(default)]
    pub conditions_are: ConditionsAre,
    /// Whether each person meets all conditions of a comparison, or one of them.
    pub conditions_vary: ConditionsVary,
    /// Which conditions are compared with each other; absent: those of each task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparisons: Vec<Comparison>,
    /// Which comparisons are compared with each other, each list by a mixed analysis of variance of
    /// its own, with the comparison between people and the place in `conditions` within: such as one
    /// task's data sets. For a design within people whose comparisons each have people of their own;
    /// error AUC is left out, since its unit differs from one data set to another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub across: Vec<Vec<String>>,
    /// What tables and figures call conditions, by their names in the data; absent: the names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub condition_labels: BTreeMap<String, String>,
    /// Weighted sums of conditions that are tested beside each two of them, in every comparison that has all their
    /// conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contrasts: Vec<PlannedContrast>,
    /// What mixed models have as fixed effects beside the conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adjust_for: Vec<Adjustment>,
    /// The test of two conditions that counts.
    #[serde(default)]
    pub test: PairTest,
    /// Which of these tests are corrected together.
    #[serde(default)]
    pub family: Family,
    /// How they are corrected.
    #[serde(default)]
    pub correction: Correction,
    /// Who is left out beyond the study's inclusion rules, and why. Every result is given for
    /// all who started, too.
    #[serde(default = "incomplete")]
    pub exclusions: Vec<ExclusionCriterion>,
    /// Differences that are too small to matter: tested as equivalence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equivalence: Vec<EquivalenceBounds>,
    /// What is compared of the names that people give to concepts; absent: all that is said of names is exploratory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub naming: Option<NamingPlan>,
    /// How many people are to be included; before that, an analysis is interim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<usize>,
    /// Seconds of active time up to which mean times to the end of a question are taken;
    /// absent: the time before which nobody can skip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_s: Option<f64>,
    /// Seed of the bootstrap.
    #[serde(default)]
    pub seed: u64,
    /// What was changed in the plan after it had been deposited or people had started, the oldest
    /// first. Methods, report and deposit tell them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub amendments: Vec<Amendment>,
}

/// What is compared of the names that people give to concepts, bundle with bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NamingPlan {
    /// What is compared, the most important first.
    #[cfg_attr(feature = "check", schemars(length(min = 1)))]
    pub measures: Vec<NamingMeasure>,
    /// Which bundles are compared, each with each; absent: all of a vocabulary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "check", schemars(length(min = 2)))]
    pub bundles: Vec<String>,
}

impl NamingPlan {
    /// Whether a comparison of two bundles is declared.
    #[must_use]
    pub fn names(&self, measure: NamingMeasure, bundles: &[String; 2]) -> bool {
        self.measures.contains(&measure)
            && (self.bundles.is_empty() || bundles.iter().all(|it| self.bundles.contains(it)))
    }
}

/// What the names of a bundle's concepts are measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NamingMeasure {
    /// Concept discovery rate: share of people who named the concept.
    Cdr,
    /// Concept consistency: pairs of people who gave the same name, discounted by those who gave none.
    Cc,
    /// Mutual information between concepts: how alike two concepts' names are.
    Mic,
}

impl NamingMeasure {
    /// All of them, in the paper's order.
    pub const ALL: [Self; 3] = [Self::Cdr, Self::Cc, Self::Mic];

    /// The name in study files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cdr => "cdr",
            Self::Cc => "cc",
            Self::Mic => "mic",
        }
    }

    /// The label that a reader reads.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Cdr => "CDR",
            Self::Cc => "CC",
            Self::Mic => "MIC",
        }
    }
}

/// A change of an analysis plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Amendment {
    /// The day of the change, as ISO 8601 writes it: `2026-11-22`.
    pub date: String,
    /// What was changed, and why.
    #[cfg_attr(feature = "check", schemars(length(min = 1)))]
    pub change: String,
}

fn incomplete() -> Vec<ExclusionCriterion> {
    vec![ExclusionCriterion::Incomplete]
}

/// What conditions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConditionsAre {
    /// Stages of the study, by name.
    #[default]
    Stage,
    /// Models, by name: stages of one model count together.
    Model,
}

/// Who meets which conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConditionsVary {
    /// Each person meets all conditions of a comparison. Who lacks a value in one of them is
    /// left out of its tests, and counted.
    Within,
    /// Each person meets one.
    Between,
}

/// Conditions that are compared with each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Name in tables: lower-case letters, digits and `-`.
    pub name: String,
    /// The conditions, in the order of tables.
    #[cfg_attr(feature = "check", schemars(length(min = 2)))]
    pub conditions: Vec<String>,
}

/// A weighted sum of conditions, tested against 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlannedContrast {
    /// Name in tables: lower-case letters, digits and `-`.
    pub name: String,
    /// The weight of each condition; those that are not named have 0. Their sum is 0. Where the positive ones have the
    /// sum 1, the estimate is a difference of means.
    pub weights: BTreeMap<String, f64>,
}

/// A fixed effect of mixed models beside the conditions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Adjustment {
    /// The place of a stage among those of the comparison that the person went through, as a factor: first, second and
    /// so on.
    Period,
    /// The order in which the person went through the conditions of the comparison, as a factor: such as the row of a
    /// Latin square.
    Sequence,
    /// A number that the person answered on a page about no stage, such as their age; less its mean over the rows.
    Answer {
        /// Name of the questionnaire.
        questionnaire: String,
        /// Name of the item, or of a score that the questionnaire declares.
        item: String,
    },
}

impl Adjustment {
    /// Its name in tables.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Period => "period".to_owned(),
            Self::Sequence => "sequence".to_owned(),
            Self::Answer {
                questionnaire,
                item,
            } => format!("{questionnaire}.{item}"),
        }
    }
}

/// A test of two conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PairTest {
    /// The paired t-test within people, Student's between them.
    #[default]
    T,
    /// Welch's t-test, between people only.
    Welch,
    /// Wilcoxon's within people, Mann and Whitney's between them.
    Rank,
    /// A contrast of the mixed model over single questions: linear, logistic for rates,
    /// cumulative-link for ratings.
    MixedModel,
}

/// Which tests are corrected together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// The pairs of one metric in one comparison.
    #[default]
    Metric,
    /// All pairs of all declared metrics in all comparisons.
    Study,
}

/// How p-values of a family are corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Correction {
    /// Not at all.
    None,
    /// Times the number of tests.
    Bonferroni,
    /// Holm's step-down procedure.
    #[default]
    Holm,
    /// Benjamini and Hochberg's false discovery rate.
    Fdr,
}

/// Who is left out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "check", schemars(rename = "Exclusion"))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ExclusionCriterion {
    /// Whose session is not complete.
    Incomplete,
    /// Whose session a wrong answer marked.
    Marked,
    /// Who was away for longer than this during scored questions, all together.
    Away {
        /// Seconds.
        more_than_s: f64,
    },
    /// Who solved fewer scored questions than this. It conditions on the outcome, as the
    /// paper's rule for MNIST did.
    Solved {
        /// Questions.
        fewer_than: usize,
    },
    /// Whose value of a metric lies further from the mean of one of their conditions than so many standard deviations
    /// (divisor n − 1), over all whom nothing else leaves out. Looked at once: who is left out is not taken out of the
    /// mean to look again.
    Outlying {
        /// Of which metric.
        metric: Metric,
        /// Standard deviations.
        #[cfg_attr(feature = "check", schemars(range(min = 1)))]
        beyond_sd: f64,
    },
}

/// Bounds of an equivalence test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EquivalenceBounds {
    /// Of which metric.
    pub metric: Metric,
    /// The smallest difference that does not matter, in the metric's unit.
    pub low: f64,
    /// The largest such difference.
    pub high: f64,
}
