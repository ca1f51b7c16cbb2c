//! Metrics: measures of a person in a condition.

use arrayvec::ArrayString;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::questionnaire::{Answers, Block, OwnScore, Questionnaire, Score};

macro_rules! metrics {
    ($($(#[$doc:meta])* $variant:ident $name:literal $label:literal,)*) => {
        /// What is measured. Of each person and condition the mean over questions counts.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "check", schemars(rename_all = "snake_case", transform = with_scores))]
        pub enum Metric {
            $($(#[$doc])* $variant,)*
            /// The score of a named block.
            #[cfg_attr(feature = "check", schemars(skip))]
            Score(Score),
            /// A score that a questionnaire of the study declares.
            #[cfg_attr(feature = "check", schemars(skip))]
            Own(OwnMetric),
        }

        impl Metric {
            const OF_QUESTIONS: &[Self] = &[$(Self::$variant),*];

            /// The name in study files, of the metrics that every study knows.
            const fn known_name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Score(score) => score.name(),
                    Self::Own(_) => "",
                }
            }

            /// The metric's name for readers of tables, with the unit.
            #[must_use]
            pub fn label(&self) -> &str {
                match self {
                    $(Self::$variant => $label,)*
                    Self::Score(score) => score.label(),
                    Self::Own(own) => own.score(),
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
    /// Concept naming: share of concepts that were named with a term. Its mean over people is the concept
    /// discovery rate.
    NamingRate "naming_rate" "Concepts named",
    /// Staircases: mean level at the reversals, from 0, the first one left out and an even number taken.
    StaircaseThreshold "staircase_threshold" "Staircase threshold (level)",
    /// Staircases: how often a step went in the other direction than the step before.
    StaircaseReversals "staircase_reversals" "Staircase reversals",
}

/// A score that a questionnaire of the study declares, by its name. It is short, so that a metric can be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnMetric {
    /// `score.` and the score's name.
    name: ArrayString<{ OwnMetric::PREFIX.len() + OwnScore::LONGEST }>,
}

impl OwnMetric {
    const PREFIX: &str = "score.";

    /// The score's name.
    #[must_use]
    pub fn score(&self) -> &str {
        &self.name[Self::PREFIX.len()..]
    }
}

impl Metric {
    /// The metric that a score of a questionnaire is; `None` where it has a name that none can have.
    #[must_use]
    pub fn own(score: &str) -> Option<Self> {
        if !OwnScore::is_name(score) {
            return None;
        }
        let mut name = ArrayString::from(OwnMetric::PREFIX).ok()?;
        name.try_push_str(score).ok()?;
        Some(Self::Own(OwnMetric { name }))
    }

    /// The name in study files and in the data; of a score that a questionnaire declares, `score.` and its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Own(own) => &own.name,
            known => known.known_name(),
        }
    }

    const COUNT: usize = Self::OF_QUESTIONS.len() + Score::ALL.len();

    /// All metrics that every study knows: of questions in the order of the paper's tables, then scores of blocks.
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
            names[next] = Self::ALL[next].known_name();
            next += 1;
        }
        names
    };
}

/// Scores stand in one list with the other metrics, so that the checker names all that may be there.
#[cfg(feature = "check")]
fn with_scores(schema: &mut schemars::Schema) {
    use schemars::JsonSchema as _;
    let scores = Score::json_schema(&mut schemars::SchemaGenerator::default());
    let names = schema.get_mut("oneOf").and_then(|all| all.as_array_mut());
    if let (Some(all), Some(scores)) = (names, scores.get("oneOf").and_then(|it| it.as_array())) {
        all.extend(scores.iter().cloned());
        all.push(serde_json::json!({
            "type": "string",
            "pattern": format!("^score\\.[a-z0-9_]{{1,{}}}$", OwnScore::LONGEST),
            "description": "A score that a questionnaire of the study declares: its name behind 'score.'.",
        }));
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        if let Some(score) = name.strip_prefix(OwnMetric::PREFIX) {
            return Self::own(score).ok_or_else(|| {
                de::Error::invalid_value(
                    de::Unexpected::Str(&name),
                    &"'score.' and the name of a score",
                )
            });
        }
        let mut all = Self::ALL.into_iter();
        all.find(|metric| metric.name() == name)
            .ok_or_else(|| de::Error::unknown_variant(&name, &Self::NAMES))
    }
}

impl Metric {
    /// Whether it is a score: what is answered on a page, and no measure of questions.
    #[must_use]
    pub fn is_score(self) -> bool {
        matches!(self, Self::Score(_) | Self::Own(_))
    }

    /// The name of a score in the table of scores: without `score.`.
    #[must_use]
    pub fn score_name(&self) -> &str {
        match self {
            Self::Own(own) => own.score(),
            other => other.name(),
        }
    }

    /// The scores of a page that was answered, those of a named block first; one that an answer is missing for has no
    /// value.
    #[must_use]
    pub fn scores(page: &Questionnaire, answers: &Answers) -> Vec<(Self, Option<f64>)> {
        let of_block = page.instrument().into_iter().flat_map(Block::scores);
        let of_block = of_block.map(|score| (Self::Score(score), score.of(answers)));
        let own = page.scores.iter();
        let own = own.filter_map(|score| {
            let metric = Self::own(&score.name)?;
            Some((metric, score.value(page, answers)))
        });
        of_block.chain(own).collect()
    }

    /// Whether it is of a staircase as a whole.
    #[must_use]
    pub fn is_of_staircases(self) -> bool {
        matches!(self, Self::StaircaseThreshold | Self::StaircaseReversals)
    }

    /// Whether its unit is the same whatever the data set.
    #[must_use]
    pub fn is_commensurable(self) -> bool {
        !matches!(
            self,
            Self::ErrorAuc | Self::ErrorAucPresent | Self::ErrorAucChange
        )
    }
}
