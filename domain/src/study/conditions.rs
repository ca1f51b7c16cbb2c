//! The conditions that a study's analysis compares, and which of them one person can meet.

use std::collections::BTreeSet;

use super::{Comparison, ConditionsAre, Group, NextRule, Order, Part, Stage, Study};
use crate::common::language::Spoken;
use crate::design::{Cell, Factor, Levels, Varies};
use crate::questionnaire::{ChoiceOption, Item, ItemKind};

/// The sets of conditions that somebody can meet; bit i of a set: the i-th condition.
pub type Sets = BTreeSet<u32>;

impl Study {
    /// The comparisons that its analysis makes: those declared, or else the conditions of each task.
    /// One of a single condition compares nothing, and is left out.
    #[must_use]
    pub fn comparisons(&self) -> Vec<Comparison> {
        let plan = self.analysis.as_ref();
        if let Some(plan) = plan.filter(|plan| !plan.comparisons.is_empty()) {
            return plan.comparisons.clone();
        }
        let are = plan.map_or(ConditionsAre::default(), |plan| plan.conditions_are);
        let mut of_tasks: Vec<Comparison> = Vec::new();
        for stage in self.scored_stages() {
            let name = stage.task.task().name();
            let place = of_tasks.iter().position(|known| known.name == name);
            let place = place.unwrap_or_else(|| {
                of_tasks.push(Comparison {
                    name: name.to_owned(),
                    conditions: Vec::new(),
                });
                of_tasks.len() - 1
            });
            for condition in are.of(stage) {
                if !of_tasks[place].conditions.contains(&condition) {
                    of_tasks[place].conditions.push(condition);
                }
            }
        }
        of_tasks.retain(|comparison| comparison.conditions.len() > 1);
        of_tasks
    }

    /// The items that arrivals answer on the first page, in the design's order and one language: one for each factor
    /// that varies with the answer, with its name, and an option for each level.
    #[must_use]
    pub fn strata_items(&self, spoken: Spoken<'_>) -> Vec<Item> {
        let asked = self.design.factors_that(Varies::Answer);
        let item = |factor: &Factor| {
            let question = factor.question.as_ref()?;
            let option = |level: &String| {
                let text = question.answers.get(level);
                let text = text.map_or_else(|| level.clone(), |text| text.spoken(spoken));
                ChoiceOption::plain(level, text)
            };
            let answer = ItemKind::one_of(factor.levels.iter().map(option).collect());
            let text = question.text.spoken(spoken);
            Some(Item::required(&factor.name, text, answer))
        };
        asked.filter_map(item).collect()
    }

    /// The stages that are scored, those of groups included, in the order of the file.
    pub fn scored_stages(&self) -> impl Iterator<Item = &Stage> {
        let stages = self.leaves().into_iter();
        stages.filter_map(|part| match part {
            Part::Stage(stage) if !stage.practice => Some(stage),
            _ => None,
        })
    }

    /// The sets of these conditions that one person can meet, in any cell and by any way; `None` for
    /// more than 12, whose sets are too many.
    #[must_use]
    pub fn met_by_one_person(&self, conditions: &[String], are: ConditionsAre) -> Option<Sets> {
        if conditions.len() > 12 {
            return None;
        }
        let cells = self.design.cells();
        let of_cell = |cell: &Cell| {
            let meeting = Meeting {
                cell,
                conditions,
                are,
            };
            meeting.all(&mut self.parts.iter(), &Levels::new())
        };
        Some(cells.iter().flat_map(of_cell).collect())
    }
}

impl ConditionsAre {
    /// The conditions that a stage belongs to.
    #[must_use]
    pub fn of(self, stage: &Stage) -> Vec<String> {
        match self {
            Self::Stage => vec![stage.id.clone()],
            Self::Model => stage
                .task
                .subjects()
                .into_iter()
                .map(str::to_owned)
                .collect(),
        }
    }
}

struct Meeting<'a> {
    cell: &'a Cell,
    conditions: &'a [String],
    are: ConditionsAre,
}

impl Meeting<'_> {
    /// Of a person who gets all these parts.
    fn all(&self, parts: &mut dyn Iterator<Item = &Part>, levels: &Levels) -> Sets {
        parts.fold(Sets::from([0]), |sets, part| {
            both(&sets, &self.part(part, levels))
        })
    }

    fn part(&self, part: &Part, levels: &Levels) -> Sets {
        match part {
            Part::Stage(stage) if !stage.practice => {
                let of_stage = self.are.of(stage);
                let places = self.conditions.iter().enumerate();
                let mine = places.filter(|(_, condition)| of_stage.contains(condition));
                Sets::from([mine.fold(0, |set, (place, _)| set | 1 << place)])
            }
            Part::Group(group) => self.group(group, levels),
            _ => Sets::from([0]),
        }
    }

    fn group(&self, group: &Group, levels: &Levels) -> Sets {
        if !group.is_for(levels, &self.cell.levels) {
            return Sets::from([0]);
        }
        let mut levels = levels.clone();
        levels.extend(group.levels.clone());
        let taken = group.taken();
        let mut sets = match (group.next, group.order) {
            // Which levels somebody sees is up to their answers.
            (Some(NextRule::Staircase { .. }), _) => {
                group.parts.iter().fold(Sets::from([0]), |sets, part| {
                    let mut seen = self.part(part, &levels);
                    seen.insert(0);
                    both(&sets, &seen)
                })
            }
            (None, Order::Fixed) => self.all(&mut group.parts.iter().take(taken), &levels),
            (None, _) => {
                // By how many parts were taken.
                let mut by_count = vec![Sets::new(); taken + 1];
                by_count[0].insert(0);
                for part in &group.parts {
                    let own = self.part(part, &levels);
                    for count in (0..taken).rev() {
                        let more = both(&by_count[count], &own);
                        by_count[count + 1].extend(more);
                    }
                }
                by_count.pop().unwrap_or_default()
            }
        };
        for interruptions in &group.interruptions {
            if interruptions.times(taken) > 0 {
                let between = self.all(&mut interruptions.parts.iter(), &levels);
                sets = both(&sets, &between);
            }
        }
        sets
    }
}

/// Of a person who gets one thing and the other.
fn both(one: &Sets, other: &Sets) -> Sets {
    let with = |set: &u32| other.iter().map(|more| set | more).collect::<Vec<_>>();
    one.iter().flat_map(with).collect()
}
