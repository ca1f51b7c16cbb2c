//! Items: what can be asked for.

use serde::{Deserialize, Serialize};

use super::answer::{Answer, AnswerComparison};
use super::motion::Film;
use crate::common::language::Words;

/// Longest free text that is kept, in characters.
pub const MAX_TEXT: usize = 5_000;
/// Longest text beside an option, in characters.
pub const MAX_DESCRIPTION: usize = 200;
/// Highest point of a 21-gradation scale; the lowest is 0.
pub const GRADATIONS_MAX: i64 = 20;

/// One question of a questionnaire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(bound = "")]
#[cfg_attr(feature = "check", schemars(rename = "Item"))]
pub struct Item<T: Words = String> {
    /// Name of the answer in the data: lower-case letters, digits, `_`.
    pub id: String,
    /// What the participant reads.
    pub text: T,
    /// A sentence of help beneath it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<T>,
    /// What is asked for.
    pub answer: ItemKind<T>,
    /// Whether the participant can go on without answering.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
    pub optional: bool,
    /// Whether "I don't know" is offered.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
    pub dont_know: bool,
    /// Whether "Prefer not to answer" is offered.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
    pub prefer_not: bool,
    /// The item is shown only while an earlier item of the page has such an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_if: Option<ShowIf>,
    /// The right answer, for attention checks and comprehension questions. It stays on the
    /// server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<Answer>,
}

/// When an item is shown. All that is given must hold; an item without an answer, or one
/// that is not shown itself, meets only `is_not`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ShowIf {
    /// Name of an earlier item of the page.
    pub item: String,
    /// The answer is this; among several chosen options, one of them is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is: Option<Answer>,
    /// The answer is not this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_not: Option<Answer>,
    /// The number is at least this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<i64>,
    /// The number is at most this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<i64>,
}

impl ShowIf {
    /// The comparison of the answer.
    #[must_use]
    pub fn comparison(&self) -> AnswerComparison<'_> {
        AnswerComparison {
            is: self.is.as_ref(),
            is_not: self.is_not.as_ref(),
            at_least: self.at_least,
            at_most: self.at_most,
        }
    }
}

crate::json::tagged! {
    "kind", deny_unknown_fields;
    /// What an item asks for.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    #[cfg_attr(feature = "check", schemars(rename = "ItemKind"))]
    pub enum ItemKind<T: Words = String> {
        /// A whole number between two labelled ends, as a row of buttons.
        Scale {
            /// Lowest point.
            min: i64,
            /// Highest point.
            max: i64,
            /// Words at the lowest point.
            min_label: T,
            /// Words at the highest point.
            max_label: T,
        },
        /// Statements that are all rated on the same points: a Likert block. The first point
        /// counts 1.
        Matrix {
            /// The points' words, in order; an empty one shows its number.
            points: Vec<T>,
            /// The statements.
            rows: Vec<MatrixRow<T>>,
            /// Whether each person gets the statements in an order of their own.
            #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
            random_order: bool,
        },
        /// A place on a line between two ends. Nothing is marked until the participant marks it.
        Slider {
            /// Value of the left end.
            #[serde(default)]
            min: f64,
            /// Value of the right end.
            #[serde(default = "hundred")]
            max: f64,
            /// Distance between two values.
            #[serde(default = "one")]
            step: f64,
            /// Words at the left end.
            min_label: T,
            /// Words at the right end.
            max_label: T,
            /// Whether the participant sees the value as a number.
            #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
            show_value: bool,
        },
        /// A line with 21 gradations, 0 to 20, as the NASA-TLX has it. Nothing is marked until
        /// the participant marks it.
        Gradations {
            /// Words at 0.
            min_label: T,
            /// Words at 20.
            max_label: T,
        },
        /// Free text.
        Text {
            /// Fewest characters, if anything is written.
            #[serde(default, skip_serializing_if = "is_zero")]
            min_length: usize,
            /// Most characters.
            #[serde(default = "max_text", skip_serializing_if = "is_max_text")]
            max_length: usize,
            /// Whether one line is enough.
            #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
            one_line: bool,
        },
        /// One of several options, or several of them, all in sight.
        Choice {
            /// The options.
            options: Vec<ChoiceOption<T>>,
            /// Whether more than one may be chosen.
            #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
            several: bool,
            /// Of several: how many at least, if any.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            at_least: Option<usize>,
            /// Of several: how many at most.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            at_most: Option<usize>,
            /// Whether each person gets the options in an order of their own. Those with a text
            /// field and those that stand alone stay where they are.
            #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
            random_order: bool,
        },
        /// One of many options, in a menu.
        Dropdown {
            /// The options.
            options: Vec<ChoiceOption<T>>,
        },
        /// All options, put in order.
        Ranking {
            /// The options.
            options: Vec<ChoiceOption<T>>,
            /// How many are put in order, from the first; absent: all.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            top: Option<usize>,
            /// Whether each person gets the options in an order of their own.
            #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
            random_order: bool,
        },
        /// A number that is typed.
        Number {
            /// Smallest.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            min: Option<f64>,
            /// Largest.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            max: Option<f64>,
            /// Whether it may have a decimal part.
            #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
            decimals: bool,
            /// Unit, shown behind the field.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            unit: Option<T>,
        },
        /// A day, as `2026-11-22`.
        Date {
            /// First day allowed.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            min: Option<String>,
            /// Last day allowed.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            max: Option<String>,
        },
        /// Letters that can be seen only while they move, drawn for each person: to tell people from
        /// programs. Who cannot see them can say so. Not validated.
        MotionLetters {
            /// The film; never in a study file.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(feature = "check", schemars(skip))]
            film: Option<Film>,
        },
    }
}

fn hundred() -> f64 {
    100.0
}

fn one() -> f64 {
    1.0
}

fn max_text() -> usize {
    MAX_TEXT
}

fn is_zero(value: &usize) -> bool {
    *value == 0
}

fn is_max_text(value: &usize) -> bool {
    *value == MAX_TEXT
}

/// A statement of a matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(bound = "")]
#[cfg_attr(feature = "check", schemars(rename = "Row"))]
pub struct MatrixRow<T: Words = String> {
    /// Name in the data: lower-case letters, digits, `_`, and `{stage}` in a row for each stage.
    pub id: String,
    /// What the participant reads.
    pub text: T,
    /// Whether there is one such row for each stage that comes before the page, practice aside.
    /// `{stage}` in name and text is then the number of the stage, from 1, in this person's order.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
    pub for_each_stage: bool,
}

impl MatrixRow {
    /// The placeholder for the number of a stage in the name and the text of a row.
    pub const STAGE: &'static str = "{stage}";

    /// The rows that a person with so many stages gets.
    pub(super) fn of_stages(self, stages: usize) -> Vec<Self> {
        if !self.for_each_stage {
            return vec![self];
        }
        let numbered = |number: usize| {
            let number = number.to_string();
            Self {
                id: self.id.replace(Self::STAGE, &number),
                text: self.text.replace(Self::STAGE, &number),
                for_each_stage: false,
            }
        };
        (1..=stages).map(numbered).collect()
    }
}

/// An option.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenOption<T>", into = "WrittenOption<T>", bound = "")]
pub struct ChoiceOption<T: Words = String> {
    /// The name that is stored.
    pub id: String,
    /// The text that the participant reads.
    pub text: T,
    /// Whether it has a text field of its own ("Other: …").
    pub describe: Option<Describe>,
    /// Whether it stands alone: nothing else can be chosen beside it.
    pub exclusive: bool,
}

/// A text field beside an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Describe {
    /// It may stay empty.
    Optional,
    /// It has to be filled in when the option is chosen.
    Required,
}

/// An option as it is written: its words alone, which are then stored, too, and so are in one
/// language; or all of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[serde(bound = "")]
#[cfg_attr(feature = "check", schemars(rename = "WrittenOption"))]
enum WrittenOption<T: Words = String> {
    /// What is shown and stored.
    Words(String),
    /// All of it.
    Whole(WholeOption<T>),
}

/// An option with a name of its own in the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(bound = "")]
#[cfg_attr(feature = "check", schemars(rename = "WholeOption"))]
struct WholeOption<T: Words = String> {
    /// What is stored.
    id: String,
    /// What the participant reads.
    text: T,
    /// A text field beside the option ("Other: …"), and whether it has to be filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    describe: Option<Describe>,
    /// Whether the option stands alone: nothing else can be chosen beside it.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
    exclusive: bool,
}

#[cfg(feature = "check")]
impl<T: Words + schemars::JsonSchema> schemars::JsonSchema for ChoiceOption<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ChoiceOption".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        WrittenOption::<T>::json_schema(generator)
    }
}

impl<T: Words> From<WrittenOption<T>> for ChoiceOption<T> {
    fn from(written: WrittenOption<T>) -> Self {
        match written {
            WrittenOption::Words(words) => Self::plain(&words, words.clone()),
            WrittenOption::Whole(whole) => Self {
                id: whole.id,
                text: whole.text,
                describe: whole.describe,
                exclusive: whole.exclusive,
            },
        }
    }
}

impl<T: Words> From<ChoiceOption<T>> for WrittenOption<T> {
    fn from(option: ChoiceOption<T>) -> Self {
        let is_words = option.text.plain() == Some(option.id.as_str());
        if is_words && option.describe.is_none() && !option.exclusive {
            Self::Words(option.id)
        } else {
            Self::Whole(WholeOption {
                id: option.id,
                text: option.text,
                describe: option.describe,
                exclusive: option.exclusive,
            })
        }
    }
}

impl<T: Words> ChoiceOption<T> {
    /// An option without a text field.
    #[must_use]
    pub fn plain(id: &str, text: impl Into<T>) -> Self {
        Self {
            id: id.to_owned(),
            text: text.into(),
            describe: None,
            exclusive: false,
        }
    }

    /// Whether it keeps its place when options are shuffled.
    pub(super) fn stays(&self) -> bool {
        self.describe.is_some() || self.exclusive
    }
}

impl<T: Words> ItemKind<T> {
    /// Free text of any length up to [`MAX_TEXT`].
    #[must_use]
    pub fn text() -> Self {
        Self::Text {
            min_length: 0,
            max_length: MAX_TEXT,
            one_line: false,
        }
    }

    /// One of several options.
    #[must_use]
    pub fn one_of(options: Vec<ChoiceOption<T>>) -> Self {
        Self::Choice {
            options,
            several: false,
            at_least: None,
            at_most: None,
            random_order: false,
        }
    }

    /// Its name in study files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Scale { .. } => "scale",
            Self::Matrix { .. } => "matrix",
            Self::Slider { .. } => "slider",
            Self::Gradations { .. } => "gradations",
            Self::Text { .. } => "text",
            Self::Choice { .. } => "choice",
            Self::Dropdown { .. } => "dropdown",
            Self::Ranking { .. } => "ranking",
            Self::Number { .. } => "number",
            Self::Date { .. } => "date",
            Self::MotionLetters { .. } => "motion_letters",
        }
    }

    /// Whether the answer is one number.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(
            self,
            Self::Scale { .. }
                | Self::Slider { .. }
                | Self::Gradations { .. }
                | Self::Number { .. }
        )
    }

    /// The options, where it has some, in the order in which they are shown.
    #[must_use]
    pub fn options(&self) -> &[ChoiceOption<T>] {
        match self {
            Self::Choice { options, .. }
            | Self::Dropdown { options }
            | Self::Ranking { options, .. } => options,
            _ => &[],
        }
    }

    /// Names of its options, or of a matrix's rows, in the order in which they are shown.
    #[must_use]
    pub fn shown_order(&self) -> Vec<&str> {
        match self {
            Self::Matrix { rows, .. } => rows.iter().map(|row| row.id.as_str()).collect(),
            other => other.options().iter().map(|o| o.id.as_str()).collect(),
        }
    }
}

impl<T: Words> Item<T> {
    /// An item that must be answered.
    #[must_use]
    pub fn required(id: &str, text: impl Into<T>, answer: ItemKind<T>) -> Self {
        Self {
            id: id.to_owned(),
            text: text.into(),
            hint: None,
            answer,
            optional: false,
            dont_know: false,
            prefer_not: false,
            show_if: None,
            right: None,
        }
    }
}
