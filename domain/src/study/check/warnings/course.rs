//! What participants go through: what they are taught first, and what is asked about each stage.

use std::collections::BTreeMap;

use super::{Warnings, placed};
use crate::questionnaire::Block;
use crate::study::{Part, Stage, Study};
use crate::task::{Metric, TaskKind};

pub(super) fn look(study: &Study, out: &mut Warnings) {
    let parts = placed(study);
    taught(&parts, out);
    about_each_stage(&parts, out);
}

/// The first scored stage of each task about a model comes after its tutorial and a practice.
fn taught(parts: &[(String, &Part)], out: &mut Warnings) {
    let mut looked_at: Vec<TaskKind> = Vec::new();
    for (index, (place, part)) in parts.iter().enumerate() {
        let Part::Stage(stage) = part else { continue };
        let task = stage.task.task();
        if stage.practice || !task.is_about_a_model() || looked_at.contains(&task) {
            continue;
        }
        looked_at.push(task);
        let before = || parts[..index].iter().map(|(_, part)| *part);
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

/// The stage of each part that is about one: the nearest before it.
fn about_each_stage(parts: &[(String, &Part)], out: &mut Warnings) {
    // The levels of a staircase are one stage.
    let staircases: Vec<&String> = parts
        .iter()
        .filter(|(_, part)| matches!(part, Part::Group(group) if group.next.is_some()))
        .map(|(place, _)| place)
        .collect();
    let stage_place = |place: &String| {
        let mut holders = staircases.iter();
        let holder = holders.find(|holder| place.starts_with(&format!("{holder}.")));
        holder.map_or_else(|| place.clone(), |holder| (*holder).clone())
    };
    let mut stages: Vec<(String, &Stage)> = Vec::new();
    let mut asked: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (index, (place, part)) in parts.iter().enumerate() {
        match part {
            Part::Stage(stage) if !stage.practice => {
                let place = stage_place(place);
                if stages.iter().all(|(known, _)| *known != place) {
                    stages.push((place, stage));
                }
            }
            Part::Difficulty => {
                let about = stages.last().map(|(place, _)| place.clone());
                asked.entry("difficulty").or_default().extend(about);
            }
            Part::Questionnaire(part) => {
                let name = part.questionnaire.block.map(Block::name);
                let name = name.unwrap_or(&part.questionnaire.id);
                let later = parts[index..].iter();
                let more = later
                    .clone()
                    .any(|(_, part)| matches!(part, Part::Stage(stage) if !stage.practice));
                if part.about_last_stage {
                    let about = stages.last().map(|(place, _)| place.clone());
                    asked.entry(name).or_default().extend(about);
                } else if part.questionnaire.instrument() == Some(Block::NasaTlx)
                    && !stages.is_empty()
                    && more
                {
                    out.add(
                        place,
                        "it stands between two stages, and the data will not say which of them it is about. Add \"about_last_stage\": true",
                    );
                }
            }
            _ => {}
        }
    }
    for (name, about) in asked {
        let of = |task| stages.iter().filter(move |(_, it)| it.task.task() == task);
        for (place, stage) in &stages {
            let task = stage.task.task();
            if !about.contains(place) && of(task).any(|(other, _)| about.contains(other)) {
                out.add(
                    place,
                    format!(
                        "'{name}' is asked after other stages of '{}' and not after this one: the stages cannot be compared by it",
                        task.name()
                    ),
                );
            }
        }
    }
}
