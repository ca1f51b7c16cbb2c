//! What is to be analysed, and how: declared in the study, and so fixed before the data and
//! hashed with it.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::questionnaire::Score;

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
    pub exclusions: Vec<Exclusion>,
    /// Differences that are too small to matter: tested as equivalence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equivalence: Vec<EquivalenceBounds>,
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

fn incomplete() -> Vec<Exclusion> {
    vec![Exclusion::Incomplete]
}

macro_rules! metrics {
    ($($(#[$doc:meta])* $variant:ident $name:literal $label:literal,)*) => {
        /// What is measured. Of each person and condition the mean over questions counts.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "check", schemars(rename_all = "snake_case"))]
        pub enum Metric {
            $($(#[$doc])* $variant,)*
            /// The score of a named block.
            #[cfg_attr(feature = "check", schemars(untagged))]
            Score(Score),
        }

        impl Metric {
            const OF_QUESTIONS: &[Self] = &[$(Self::$variant),*];

            /// The name in study files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Score(score) => score.name(),
                }
            }

            /// What a reader of tables reads, with the unit.
            #[must_use]
            pub fn label(self) -> &'static str {
                match self {
                    $(Self::$variant => $label,)*
                    Self::Score(score) => score.label(),
                }
            }
        }
    };
}

metrics! {
    /// Reconstruction: solved / (solved + skipped + declared done short of the target).
    CompletionRate "completion_rate" "Completion rate",
    /// The same with questions that a time limit cut counted as not solved.
    CompletionRateWithCut "completion_rate_with_cut" "Completion rate, cut as not solved",
    /// Seconds from a question's start to its end.
    ResponseTimeS "response_time_s" "Response time (s)",
    /// Reconstruction: how far dials were slid, in slider widths.
    SlideDistance "slide_distance" "Slide distance",
    /// Reconstruction: error AUC, in seconds × squared error.
    ErrorAuc "error_auc" "Error AUC",
    /// The same without time away or paused.
    ErrorAucPresent "error_auc_present" "Error AUC while present",
    /// Single dimension: right / answered.
    CorrectRate "correct_rate" "Correct rate",
    /// Single dimension: "I'm confident I'm right", 1 to 5.
    Confidence "confidence" "Confidence (1–5)",
    /// Single dimension: "The dial makes sense", 1 to 5.
    Understanding "understanding" "Understanding (1–5)",
    /// Reconstruction: error AUC of the last ⌊(n − 1)/2⌋ questions minus that of the first.
    ErrorAucChange "error_auc_change" "Error AUC, last minus first",
    /// Reconstruction: passes over the dials.
    Passes "passes" "Passes over the dials",
    /// Reconstruction: share of moves that went one way only.
    MonotoneShare "monotone_share" "Monotone moves, share",
    /// Reconstruction: how often a dial turned round in a second of activity.
    ReversalsPerS "reversals_per_s" "Reversals per second",
    /// Reconstruction: seconds until the distance was first smaller than at the start by more
    /// than 0.01, of the questions in which it was.
    FirstImprovementS "first_improvement_s" "Time to first improvement (s)",
}

impl Metric {
    const COUNT: usize = Self::OF_QUESTIONS.len() + Score::ALL.len();

    /// All metrics: of questions in the order of the paper's tables, then scores of blocks.
    pub const ALL: [Self; Self::COUNT] = {
        let mut all = [Self::ResponseTimeS; Self::COUNT];
        let mut next = 0;
        while next < Self::COUNT {
            all[next] = if next < Self::OF_QUESTIONS.len() {
                Self::OF_QUESTIONS[next]
            } else {
                Self::Score(Score::ALL[next - Self::OF_QUESTIONS.len()])
            };
            next += 1;
        }
        all
    };

    const NAMES: [&str; Self::COUNT] = {
        let mut names = [""; Self::COUNT];
        let mut next = 0;
        while next < Self::COUNT {
            names[next] = Self::ALL[next].name();
            next += 1;
        }
        names
    };
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let mut all = Self::ALL.into_iter();
        all.find(|metric| metric.name() == name)
            .ok_or_else(|| de::Error::unknown_variant(&name, &Self::NAMES))
    }
}

impl Metric {
    /// Whether its unit is the same whatever the data set.
    #[must_use]
    pub fn is_commensurable(self) -> bool {
        !matches!(
            self,
            Self::ErrorAuc | Self::ErrorAucPresent | Self::ErrorAucChange
        )
    }
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
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Exclusion {
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
