//! The design of a study: its factors, the cells that they make, and the rules by which
//! people are put into them.
//!
//! A factor varies *between* people (each person gets one level), *within* people (each
//! person gets several, in the order of the group that goes through them), with the
//! *link* that a person came by, or with the *answer* to a question on the first page. One level of every factor that
//! does not vary within people makes a [`Cell`]. Link and answer are strata: an arrival gets one of the cells of its
//! stratum, which are filled evenly among themselves. Groups of the study ask for levels ([`crate::study::Group::only_if`]) and go
//! through those of factors within people ([`crate::study::Group::for_each`]).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub mod orders;
mod strata;

pub use strata::{Stratum, StratumQuestion};

/// Levels of factors, by the factor's name.
pub type Levels = BTreeMap<String, String>;

/// Minutes after which a slot that nobody has filled is given to somebody else, where the
/// study does not say.
pub const DEFAULT_LEASE_MINUTES: u32 = 120;

/// What varies in a study, and how people are put into its cells.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// What varies. `{NAME}` in a text of a part stands for the level of that factor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub factors: Vec<Factor>,
    /// How people are put into the cells.
    #[serde(default)]
    pub assignment: AssignmentRules,
}

/// One thing that varies: models, tasks, data sets, or any condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Factor {
    /// Name in the data and in `{NAME}`: lower-case letters, digits and `-`.
    pub name: String,
    /// What it can be: lower-case letters, digits and `-` each.
    pub levels: Vec<String>,
    /// Over what it varies.
    #[serde(default)]
    pub varies: Varies,
    /// What is asked on the first page, of a factor that varies with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<StratumQuestion>,
}

/// Over what a factor varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Varies {
    /// Each person is assigned one level.
    #[default]
    Between,
    /// A person gets several levels, one after the other: those of a group with `for_each`.
    Within,
    /// The link names the level: `?condition=LEVEL`. Who comes by a link without one has none.
    Link,
    /// The person says the level on the first page, before they are put into a cell: cells are filled evenly among
    /// those who say the same.
    Answer,
}

/// How people are put into cells.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AssignmentRules {
    /// Which open cell an arrival gets.
    #[serde(default)]
    pub rule: AssignmentRule,
    /// Most people in each cell, as `counts` counts them; absent: as many as come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1)))]
    pub cap: Option<u32>,
    /// Caps of single cells, by name, in place of `cap`. A cell's name is made of its
    /// levels in the order of the factors, with a `.` between: `exemplars.dsprites`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub caps: BTreeMap<String, u32>,
    /// Whom a cap counts.
    #[serde(default)]
    pub counts: Counts,
    /// Most sessions of participants that are ever started, whatever becomes of them; absent: as
    /// many as are wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1)))]
    pub most_sessions: Option<u32>,
    /// Minutes after which somebody who has not finished loses the slot to others. They can
    /// still finish: see `redial study cells`. Absent: 120 where there is a cap, else never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1)))]
    pub lease_minutes: Option<u32>,
}

/// Which open cell an arrival gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AssignmentRule {
    /// One with the fewest people who count or are under way; among equals, a random one.
    #[default]
    Fewest,
    /// The cells in turn, by the number of the arrival. With two cells: odd numbers get the
    /// first one, even numbers the second.
    InTurn,
}

/// Whom a cap counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Counts {
    /// Everybody who finished.
    #[default]
    Completions,
    /// Those who finished and meet the study's inclusion rules.
    Included,
}

/// A cell: one level of every factor between people, and of the link's where it named one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cell {
    /// The levels in the order of the factors, with a `.` between; empty if there are none.
    pub name: String,
    /// The level of each factor.
    pub levels: BTreeMap<String, String>,
}

impl Design {
    /// The factors of one kind, in order.
    pub fn factors_that(&self, varies: Varies) -> impl Iterator<Item = &Factor> {
        let factors = self.factors.iter();
        factors.filter(move |factor| factor.varies == varies)
    }

    /// The factor of that name.
    #[must_use]
    pub fn factor(&self, name: &str) -> Option<&Factor> {
        self.factors.iter().find(|factor| factor.name == name)
    }

    /// All cells: the product of the factors between people and of the link's levels, "none"
    /// included, the first factor's levels changing slowest. A design without such factors
    /// has one cell without a name.
    #[must_use]
    pub fn cells(&self) -> Vec<Cell> {
        let crossing = self
            .factors
            .iter()
            .filter(|factor| factor.varies != Varies::Within);
        let mut cells = vec![Cell::default()];
        for factor in crossing {
            let with = |cell: &Cell, level: &String| {
                let mut cell = cell.clone();
                if !cell.name.is_empty() {
                    cell.name.push('.');
                }
                cell.name.push_str(level);
                cell.levels.insert(factor.name.clone(), level.clone());
                cell
            };
            let mut more = Vec::new();
            for cell in &cells {
                more.extend(factor.levels.iter().map(|level| with(cell, level)));
                if factor.varies == Varies::Link {
                    more.push(cell.clone());
                }
            }
            cells = more;
        }
        cells
    }
}

impl AssignmentRules {
    /// The cap of a cell; `None`: as many as come.
    #[must_use]
    pub fn cap_of(&self, cell: &str) -> Option<u64> {
        let own = self.caps.get(cell).copied();
        own.or(self.cap).map(u64::from)
    }

    /// When a slot given out at `now_unix_ms` is free again; `None`: never.
    #[must_use]
    pub fn lease_until(&self, now_unix_ms: u64) -> Option<u64> {
        let capped = self.cap.is_some() || !self.caps.is_empty();
        let minutes = self
            .lease_minutes
            .or(capped.then_some(DEFAULT_LEASE_MINUTES))?;
        Some(now_unix_ms.saturating_add(u64::from(minutes) * 60_000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(name: &str, levels: &[&str], varies: Varies) -> Factor {
        Factor {
            name: name.into(),
            levels: levels.iter().map(|level| (*level).to_owned()).collect(),
            varies,
            question: None,
        }
    }

    #[test]
    fn cells_are_the_product_of_the_factors_between_people() {
        let design = Design {
            factors: vec![
                factor("task", &["interactive", "exemplars"], Varies::Between),
                factor("model", &["ae", "vae"], Varies::Within),
                factor("dataset", &["dsprites", "sinelines"], Varies::Between),
            ],
            ..Design::default()
        };
        let names: Vec<String> = design.cells().into_iter().map(|cell| cell.name).collect();
        assert_eq!(
            names,
            [
                "interactive.dsprites",
                "interactive.sinelines",
                "exemplars.dsprites",
                "exemplars.sinelines"
            ]
        );
        assert_eq!(Design::default().cells(), [Cell::default()]);
    }

    #[test]
    fn a_cap_brings_a_lease() {
        let mut rules = AssignmentRules::default();
        assert_eq!(rules.lease_until(1_000), None);
        rules.caps.insert("a".into(), 3);
        assert_eq!(rules.lease_until(1_000), Some(1_000 + 120 * 60_000));
        assert_eq!((rules.cap_of("a"), rules.cap_of("b")), (Some(3), None));
    }
}
