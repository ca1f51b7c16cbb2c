//! The course of participants: what they are taught first, and what is asked about each stage.

use std::collections::BTreeSet;

use super::{Placed, Warnings, placed};
use crate::questionnaire::Block;
use crate::study::{Part, Study};
use crate::task::{Metric, TaskKind};

pub(super) fn look(study: &Study, out: &mut Warnings) {
    let parts = placed(study);
    taught(&parts, out);
    about_each_stage(&parts, out);
    staircases(&parts, out);
}

/// A staircase that waits for reversals can have them, and enough for a threshold.
fn staircases(parts: &[Placed<'_>], out: &mut Warnings) {
    for Placed { place, part, .. } in parts {
        let Part::Group(group) = part else { continue };
        let Some(rule) = group.next else { continue };
        let levels = group.parts.len();
        if levels == 1 {
            out.add(
                format!("{place}.next"),
                "a staircase of one level goes nowhere: its stage is asked whatever the answers are. Add a harder one, or leave 'next' out",
            );
        }
        let staircase = rule.over(0, levels, (0..levels).collect());
        let Some(soonest) = staircase.soonest_reversed() else {
            continue;
        };
        let (reversals, questions) = (staircase.reversals.unwrap_or_default(), staircase.questions);
        if soonest > questions as usize {
            out.add(
                format!("{place}.next.reversals"),
                format!(
                    "{reversals} reversals take at least {soonest} questions, and the staircase has {questions}: it never ends by them. Ask more questions, or wait for fewer reversals"
                ),
            );
        } else if reversals < 3 {
            out.add(
                format!("{place}.next.reversals"),
                format!(
                    "with {reversals} reversals there is no threshold: it is the mean level at the reversals after the first, two of them at least. Wait for 3 or more"
                ),
            );
        }
    }
}

/// The first scored stage of each task about a model comes after its tutorial and a practice.
fn taught(parts: &[Placed<'_>], out: &mut Warnings) {
    let mut looked_at: Vec<TaskKind> = Vec::new();
    for (index, Placed { place, part, .. }) in parts.iter().enumerate() {
        let Part::Stage(stage) = part else { continue };
        let task = stage.task.task();
        if stage.practice || !task.is_about_a_model() || looked_at.contains(&task) {
            continue;
        }
        looked_at.push(task);
        let before = || parts[..index].iter().map(|it| it.part);
        let tutorial =
            before().any(|part| matches!(part, Part::Tutorial(tutorial) if tutorial.task == task));
        let practised = before().any(|part| {
            matches!(part, Part::Stage(stage) if stage.practice && stage.task.task() == task)
        });
        let name = task.name();
        if !tutorial {
            out.add(
                place,
                format!(
                    "nobody has been shown what to do: there is no tutorial of '{name}' before this stage. Add {{ \"kind\": \"tutorial\", \"task\": \"{name}\" }}"
                ),
            );
        }
        let is_judged =
            task.has_right_answers() || task.metrics().contains(&Metric::CompletionRate);
        if !practised && is_judged {
            out.add(
                place,
                format!(
                    "people learn how '{name}' goes in questions that count: there is no practice before this stage. Add a stage with \"practice\": true"
                ),
            );
        }
    }
}

/// A scored stage, and the pages that are about it.
struct AskedAbout<'a> {
    place: String,
    task: TaskKind,
    /// Difficulty, blocks and questionnaires, by name.
    pages: Vec<&'a str>,
}

/// A page about the stage before it comes after each stage of a task, or after none.
fn about_each_stage(parts: &[Placed<'_>], out: &mut Warnings) {
    // The levels of a staircase are one stage.
    let staircases: Vec<&String> = parts
        .iter()
        .filter(|it| matches!(it.part, Part::Group(group) if group.next.is_some()))
        .map(|it| &it.place)
        .collect();
    let place_of = |stage: &Placed<'_>| {
        let mut holders = staircases.iter();
        let holder = holders.find(|holder| stage.place.starts_with(&format!("{holder}.")));
        holder.map_or_else(|| stage.place.clone(), |holder| (*holder).clone())
    };
    let mut stages: Vec<AskedAbout<'_>> = Vec::new();
    // Those that a page would now be about: several, where nobody gets two of them.
    let mut before: Vec<(&Placed<'_>, usize)> = Vec::new();
    for (index, here) in parts.iter().enumerate() {
        let page = match here.part {
            Part::Stage(stage) if !stage.practice => {
                let place = place_of(here);
                before.retain(|(other, _)| other.excludes(here));
                let known = stages.iter().position(|it| it.place == place);
                let number = known.unwrap_or(stages.len());
                if known.is_none() {
                    let task = stage.task.task();
                    let pages = Vec::new();
                    stages.push(AskedAbout { place, task, pages });
                }
                before.push((here, number));
                continue;
            }
            Part::Difficulty => "difficulty",
            Part::Questionnaire(part) => {
                let block = part.questionnaire.block.map(Block::name);
                let is_scored =
                    |it: &Placed<'_>| matches!(it.part, Part::Stage(stage) if !stage.practice);
                let between = !stages.is_empty() && parts[index..].iter().any(is_scored);
                if !part.about_last_stage {
                    if between && part.questionnaire.instrument() == Some(Block::NasaTlx) {
                        out.add(
                            &here.place,
                            "it stands between two stages, and the data will not say which of them it is about. Add \"about_last_stage\": true",
                        );
                    }
                    continue;
                }
                block.unwrap_or(&part.questionnaire.id)
            }
            _ => continue,
        };
        for (_, number) in before.iter().filter(|(stage, _)| !stage.excludes(here)) {
            stages[*number].pages.push(page);
        }
    }
    let pages: BTreeSet<(TaskKind, &str)> = stages
        .iter()
        .flat_map(|stage| stage.pages.iter().map(|page| (stage.task, *page)))
        .collect();
    for (task, page) in pages {
        let of_task = stages.iter().filter(|stage| stage.task == task);
        for stage in of_task.filter(|stage| !stage.pages.contains(&page)) {
            out.add(
                &stage.place,
                format!(
                    "'{page}' is asked after other stages of '{}' and not after this one: the stages cannot be compared by it",
                    task.name()
                ),
            );
        }
    }
}
