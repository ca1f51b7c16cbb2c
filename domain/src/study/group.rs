//! Groups of parts: order, sampling, interruptions, ways forward.

use serde::{Deserialize, Serialize};

use super::Part;
use crate::flow::Condition;

/// Several parts, with an order and rules of their own. Groups can hold groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Name, where a way forward is to lead to it: lower-case letters, digits and `-`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The order in which a person gets the parts.
    #[serde(default)]
    pub order: Order,
    /// How many of the parts a person gets: the first so many of their order; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1)))]
    pub take: Option<usize>,
    /// The parts.
    pub parts: Vec<Part>,
    /// Parts that come in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interruptions: Vec<Interruptions>,
    /// Ways forward that answers open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skips: Vec<Skip>,
    /// Only people whose link names a condition get the group; absent: everyone does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_if: Option<OnlyIf>,
    /// A rule that chooses each next question among the parts, which are then stages
    /// from the easiest to the hardest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<NextRule>,
}

/// The order in which a person gets the parts of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// As written.
    #[default]
    Fixed,
    /// Shuffled for each person.
    Random,
    /// Row after row of a Latin square, by the number of the session: over as many
    /// people as there are parts, each part stands once in each place.
    LatinSquare,
    /// Row after row of a Williams square: a Latin square in which each part, too,
    /// follows each other part equally often.
    BalancedLatinSquare,
}

/// Parts that come in between the parts of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Interruptions {
    /// What comes in between, all of it each time.
    pub parts: Vec<Part>,
    /// The first one comes after so many parts; at least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1)))]
    pub after: Option<usize>,
    /// The next ones come after so many more; absent: there is only the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1)))]
    pub every: Option<usize>,
    /// In place of `after` and `every`: so many at random places, never first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1)))]
    pub at_random_places: Option<usize>,
}

/// A way forward. It is looked for whenever a question or a part of the group has
/// ended, and counts what was answered in the group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Skip {
    /// When it opens.
    pub when: Condition,
    /// Where it leads.
    pub to: JumpTarget,
}

/// Where a way forward leads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum JumpTarget {
    /// Behind the group.
    EndOfGroup,
    /// Behind the last part: the session is complete.
    EndOfStudy,
    /// To the part of this name. Who does not get that part goes on behind the group.
    Part(String),
}

/// Who gets a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OnlyIf {
    /// People whose link names one of these conditions.
    pub condition: Vec<String>,
}

/// A rule that chooses the next question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
pub enum NextRule {
    /// Right answers lead to a harder stage, wrong ones to an easier one.
    Staircase {
        /// Level of the first question, from 0.
        #[serde(default)]
        start: usize,
        /// Right answers in a row that lead one level up.
        #[cfg_attr(feature = "check", schemars(range(min = 1)))]
        up_after: u32,
        /// Wrong answers in a row that lead one level down.
        #[cfg_attr(feature = "check", schemars(range(min = 1)))]
        down_after: u32,
        /// Number of questions in all.
        #[cfg_attr(feature = "check", schemars(range(min = 1)))]
        questions: u32,
    },
}
