//! Strata: the cells that an arrival can get, by their link and by what they answer before the start.

use std::collections::BTreeMap;

use rand::Rng;
use rand::seq::SliceRandom as _;
use serde::{Deserialize, Serialize};

use super::{Cell, Design, Levels, Varies};
use crate::common::language::LocalText;

/// What an arrival is asked before the start, to be put into a stratum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StratumQuestion {
    /// The question.
    pub text: LocalText,
    /// What people read for each level.
    pub answers: BTreeMap<String, LocalText>,
}

/// The condition and the answers of an arrival, by which its cells are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stratum<'a> {
    /// The condition that the link named, if it did.
    pub condition: Option<&'a str>,
    /// The answers on the first page: the level of each factor that varies with the answer.
    pub answers: &'a Levels,
}

/// Nothing was answered.
static NO_ANSWERS: Levels = Levels::new();

impl Default for Stratum<'_> {
    fn default() -> Self {
        Self {
            condition: None,
            answers: &NO_ANSWERS,
        }
    }
}

impl Design {
    /// Everything that can be answered on the first page, each answer to one question with each to the others, in a random
    /// order: a simulated person says the first, or the first that somebody is wanted for. Nothing is drawn where
    /// nothing is asked.
    pub fn any_answers(&self, rng: &mut dyn Rng) -> Vec<Levels> {
        let mut all = vec![Levels::new()];
        for factor in self.factors_that(Varies::Answer) {
            let with = |answers: &Levels, level: &String| {
                let mut answers = answers.clone();
                answers.insert(factor.name.clone(), level.clone());
                answers
            };
            let more = all
                .iter()
                .flat_map(|answers| factor.levels.iter().map(move |level| with(answers, level)));
            all = more.collect();
        }
        if all.len() > 1 {
            all.shuffle(rng);
        }
        all
    }

    /// The cells that an arrival can get: those of the level that the link names, or those without a level if it names
    /// none; and those of the levels that were answered. `None` if the link or an answer names something unknown, or an
    /// answer is missing.
    #[must_use]
    pub fn cells_for(&self, stratum: Stratum<'_>) -> Option<Vec<Cell>> {
        let Stratum { condition, answers } = stratum;
        let link = self.factors_that(Varies::Link).next();
        match (link, condition) {
            (None, Some(_)) => return None,
            (Some(factor), Some(level)) if !factor.levels.iter().any(|l| l == level) => {
                return None;
            }
            _ => {}
        }
        let mut cells = self.cells();
        if let Some(factor) = link {
            cells.retain(|cell| cell.levels.get(&factor.name).map(String::as_str) == condition);
        }
        if answers.len() != self.factors_that(Varies::Answer).count() {
            return None;
        }
        for factor in self.factors_that(Varies::Answer) {
            let level = answers.get(&factor.name)?;
            cells.retain(|cell| cell.levels.get(&factor.name) == Some(level));
        }
        (!cells.is_empty()).then_some(cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Factor;

    fn factor(name: &str, levels: &[&str], varies: Varies) -> Factor {
        Factor {
            name: name.into(),
            levels: levels.iter().map(|level| (*level).to_owned()).collect(),
            varies,
            question: None,
        }
    }

    fn by_link(condition: Option<&str>) -> Stratum<'_> {
        Stratum {
            condition,
            ..Stratum::default()
        }
    }

    #[test]
    fn the_link_decides_between_cells() {
        let design = Design {
            factors: vec![
                factor("condition", &["x", "y"], Varies::Link),
                factor("dials", &["5", "10"], Varies::Between),
            ],
            ..Design::default()
        };
        let names = |condition| {
            let cells = design.cells_for(by_link(condition))?;
            Some(cells.into_iter().map(|c| c.name).collect::<Vec<_>>())
        };
        assert_eq!(names(Some("y")).unwrap(), ["y.5", "y.10"]);
        assert_eq!(names(None).unwrap(), ["5", "10"]);
        assert_eq!(names(Some("z")), None);
    }

    #[test]
    fn the_answer_decides_between_cells() {
        let design = Design {
            factors: vec![
                factor("experience", &["none", "some"], Varies::Answer),
                factor("model", &["ae", "vae"], Varies::Between),
            ],
            ..Design::default()
        };
        let names = |answers: &[(&str, &str)]| {
            let answers = answers.iter();
            let answers = answers.map(|(name, level)| ((*name).to_owned(), (*level).to_owned()));
            let stratum = Stratum {
                answers: &answers.collect(),
                ..Stratum::default()
            };
            let cells = design.cells_for(stratum)?;
            Some(cells.into_iter().map(|c| c.name).collect::<Vec<_>>())
        };
        assert_eq!(
            names(&[("experience", "some")]).unwrap(),
            ["some.ae", "some.vae"]
        );
        let unfit: [&[_]; 4] = [
            &[],
            &[("experience", "much")],
            &[("model", "ae")],
            &[("experience", "some"), ("model", "ae")],
        ];
        for answers in unfit {
            assert_eq!(names(answers), None, "{answers:?}");
        }
    }
}
