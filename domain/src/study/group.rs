//! Groups of parts: order, sampling, levels of factors, interruptions, ways forward.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Part;
use crate::design::{Levels, orders};
use crate::session::flow::{Condition, Staircase};

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
    /// The group's parts are gone through once for each level of these factors, or each
    /// combination of their levels: `{NAME}` stands for the level. `order` and `take` are then
    /// about the levels. When the study is read, the parts become a group for each of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub for_each: Vec<String>,
    /// The levels of factors within people that the group is about, as the data then say.
    /// Groups that `for_each` makes have them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: Levels,
    /// Only people with one of these levels of each factor get the group.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub only_if: BTreeMap<String, Vec<String>>,
    /// A rule that chooses each next question among the parts, which are then stages
    /// from the easiest to the hardest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<NextRule>,
    /// Whether the participant can go back from each questionnaire of the group to the one right
    /// before it in the group, and change what they answered.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
    pub back: bool,
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
    /// Row after row of a Latin square: over as many people of a cell as there are parts,
    /// each part stands once in each place. The row of somebody who drops out is given out
    /// again.
    LatinSquare,
    /// Row after row of a Williams square: a Latin square in which each part, too,
    /// follows each other part equally often.
    BalancedLatinSquare,
    /// From a shuffled deck, `take` parts for each person without replacement: the next
    /// person of the cell goes on where the last one stopped, and the deck is shuffled anew
    /// when it is used up.
    Dealt,
}

impl Group {
    /// Whether a person of a cell gets the group, where these levels of factors within people hold.
    #[must_use]
    pub fn is_for(&self, within: &Levels, cell: &Levels) -> bool {
        self.only_if.iter().all(|(factor, wanted)| {
            let level = within.get(factor).or_else(|| cell.get(factor));
            level.is_some_and(|level| wanted.contains(level))
        })
    }

    /// The first so many parts that a person gets.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.take.unwrap_or(self.parts.len()).min(self.parts.len())
    }

    /// Number of rows over which the group's own order is balanced: 1 where it is not.
    #[must_use]
    pub fn rows(&self) -> u64 {
        let count = self.parts.len();
        match self.order {
            Order::Fixed | Order::Random => 1,
            Order::LatinSquare => count.max(1) as u64,
            Order::BalancedLatinSquare => orders::williams_rows(count),
            Order::Dealt => orders::hands(count, self.taken()),
        }
    }
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

impl Interruptions {
    /// Before which of `count` parts they come, never before the first; `None` where that is drawn
    /// for each person.
    #[must_use]
    pub fn given_places(&self, count: usize) -> Option<Vec<usize>> {
        if self.at_random_places.is_some() {
            return None;
        }
        let first = self.after.unwrap_or(1).max(1);
        let places = first..count;
        Some(match self.every {
            Some(every) => places.step_by(every.max(1)).collect(),
            None => places.take(1).collect(),
        })
    }

    /// How often they come between `count` parts.
    #[must_use]
    pub fn times(&self, count: usize) -> usize {
        match (self.given_places(count), self.at_random_places) {
            (Some(places), _) => places.len(),
            (None, random) => random.unwrap_or(0).min(count.saturating_sub(1)),
        }
    }
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
    /// Out of the study: who answered so cannot take part. The participant is thanked and sent away
    /// as screened out.
    ScreenedOut,
    /// To the part of this name. Who does not get that part goes on behind the group.
    Part(String),
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
        /// Number of questions in all, at most.
        #[cfg_attr(feature = "check", schemars(range(min = 1)))]
        questions: u32,
        /// It ends after so many reversals, steps in the other direction than the step before; absent: they do not end
        /// it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "check", schemars(range(min = 1)))]
        reversals: Option<u32>,
    },
}

impl NextRule {
    /// The staircase over some stages, which are the parts from `from` to before `to`.
    #[must_use]
    pub fn over(self, from: usize, to: usize, stages: Vec<usize>) -> Staircase {
        let Self::Staircase {
            start,
            up_after,
            down_after,
            questions,
            reversals,
        } = self;
        Staircase {
            from,
            to,
            stages,
            start,
            up_after,
            down_after,
            questions,
            reversals,
        }
    }
}
