//! Questionnaires.

use std::collections::BTreeSet;

use super::{PartsIndex, Problems, is_name};
use crate::common::language::LocalText;
use crate::questionnaire::{
    Answer, AnswerComparison, AtTimeLimit, Block, ChoiceOption, GRADATIONS_MAX, Item, ItemKind,
    MAX_TEXT, MatrixRow, OwnScore, PageScale, Questionnaire, SEQ, is_date,
};
use crate::session::plan::WrongAnswer;
use crate::study::check::suggest;

/// A questionnaire may stand in several places, if it is the same in all of them.
pub(super) fn check(
    questionnaire: &Questionnaire<LocalText>,
    place: &str,
    seen: &mut PartsIndex,
    out: &mut Problems,
) {
    let id = &questionnaire.id;
    if let Some(before) = seen.questionnaires.get(id) {
        if before != questionnaire {
            out.add(
                format!("{place}.id"),
                format!("'{id}' a second time, and different"),
                "a name that is not taken",
            );
        }
        return;
    }
    let taken = seen.names.iter().any(|(name, _)| name == id);
    let reserved = id == SEQ && questionnaire.block != Some(Block::Seq);
    if reserved || taken {
        out.add(
            format!("{place}.id"),
            format!("'{id}'"),
            "a name that is not taken",
        );
    } else {
        seen.names.push((id.clone(), place.to_owned()));
    }
    check_name(id, &format!("{place}.id"), out);
    if questionnaire.items.is_empty() {
        out.add(
            format!("{place}.items"),
            "an empty list",
            "at least one item",
        );
    }
    let mut item_ids = BTreeSet::new();
    for (index, item) in questionnaire.items.iter().enumerate() {
        let place = format!("{place}.items[{index}]");
        check_name(&item.id, &format!("{place}.id"), out);
        if !item_ids.insert(&item.id) {
            out.add(
                format!("{place}.id"),
                format!("'{}' a second time", item.id),
                "a name that is not taken",
            );
        }
        check_kind(&item.answer, &format!("{place}.answer"), out);
        check_condition(questionnaire, index, item, &place, out);
        if let ItemKind::MotionLetters { film } = &item.answer
            && (film.is_some() || item.right.is_some())
        {
            out.add(
                &place,
                "a film, or a right answer",
                "neither: both are drawn for each person",
            );
        } else if let Some(right) = &item.right
            && let Err(fault) = item.fits(right)
        {
            out.add(format!("{place}.right"), json(right), fault.to_string());
        }
    }
    check_attempts(questionnaire, place, out);
    check_time_limit(questionnaire, place, out);
    check_block(questionnaire, place, out);
    check_scores(questionnaire, place, seen, out);
    let (id, questionnaire) = (id.clone(), questionnaire.clone());
    seen.questionnaires.insert(id, questionnaire);
}

fn check_attempts(questionnaire: &Questionnaire<LocalText>, place: &str, out: &mut Problems) {
    let is_drawn = |item: &Item<_>| matches!(item.answer, ItemKind::MotionLetters { .. });
    let mut items = questionnaire.items.iter();
    let has_right = items.any(|item| item.right.is_some() || is_drawn(item));
    if questionnaire.attempts.is_some() && !has_right {
        out.add(
            format!("{place}.attempts"),
            "attempts at a page without right answers",
            "at least one item with 'right', or no 'attempts'",
        );
    }
    if questionnaire.attempts.is_none() && questionnaire.wrong_answer != WrongAnswer::Nothing {
        out.add(
            format!("{place}.wrong_answer"),
            "a rule for wrong answers",
            "'attempts' beside it: without, nothing is told and nothing comes of them",
        );
    }
}

fn check_time_limit(questionnaire: &Questionnaire<LocalText>, place: &str, out: &mut Problems) {
    let Some(limit) = questionnaire.time_limit else {
        return;
    };
    let place = format!("{place}.time_limit");
    let (after_s, warn_s) = (limit.after_s, limit.warn_s);
    // Their ranges are in the schema. JSON has no NaN.
    if warn_s >= after_s {
        out.add(
            format!("{place}.warn_s"),
            warn_s.to_string(),
            "less than after_s",
        );
    }
    if limit.then == AtTimeLimit::GoOn && questionnaire.attempts.is_some() {
        out.add(
            format!("{place}.then"),
            "'go_on' on a page with attempts: what is missing would pass as not wrong",
            "'nothing', or no 'attempts'",
        );
    }
}

/// Scores have names of their own in the study, and are of items with scales.
fn check_scores(
    questionnaire: &Questionnaire<LocalText>,
    place: &str,
    seen: &PartsIndex,
    out: &mut Problems,
) {
    let before = seen.questionnaires.values();
    let mut taken: Vec<&str> = before
        .flat_map(|page| &page.scores)
        .map(|score| score.name.as_str())
        .collect();
    let scales: Vec<PageScale<'_, LocalText>> =
        questionnaire.items.iter().flat_map(Item::scales).collect();
    let mut known: Vec<String> = scales.iter().map(|scale| scale.item.id.clone()).collect();
    known.dedup();
    // A statement for each stage has another name with each person.
    let rows = scales.iter();
    let rows = rows.filter(|scale| scale.row.is_some_and(|row| !row.for_each_stage));
    known.extend(rows.map(PageScale::name));
    for (index, score) in questionnaire.scores.iter().enumerate() {
        let place = format!("{place}.scores[{index}]");
        let is_item = questionnaire.items.iter().any(|it| it.id == score.name);
        if !OwnScore::is_name(&score.name) || is_item || taken.contains(&score.name.as_str()) {
            out.add(
                format!("{place}.name"),
                format!("'{}'", score.name),
                format!(
                    "a name that no other score of the study and no item of the page has: lower-case letters, digits and '_', 1 to {} characters",
                    OwnScore::LONGEST
                ),
            );
        }
        taken.push(&score.name);
        for (list, names) in [("items", &score.items), ("reversed", &score.reversed)] {
            for (at, name) in names.iter().enumerate() {
                let place = format!("{place}.{list}[{at}]");
                if names[..at].contains(name) {
                    out.add(place, format!("'{name}' again"), "each of them once");
                } else if !known.contains(name) {
                    let near = suggest(name, &known);
                    let expected =
                        format!("the page has no item of that name with a scale; {near}");
                    out.add(place, format!("'{name}'"), expected);
                } else if list == "reversed" && !is_of(score, name) {
                    out.add(place, format!("'{name}'"), "one of the score's items");
                }
            }
        }
        if score.items.is_empty() {
            let expected = "at least one item that is answered on a scale";
            out.add(format!("{place}.items"), "an empty list", expected);
        }
    }
}

/// Whether an item, or the matrix that a statement is in, is among those of a score.
fn is_of(score: &OwnScore, name: &str) -> bool {
    let matrix = name.split('.').next();
    let mut items = score.items.iter();
    items.any(|item| item == name || Some(item.as_str()) == matrix)
}

/// Words of a block may be others, its items may not: its data and its score would mean
/// something else.
fn check_block(questionnaire: &Questionnaire<LocalText>, place: &str, out: &mut Problems) {
    let Some(block) = questionnaire.block else {
        return;
    };
    let known = names(&block.questionnaire());
    let mut own = names(questionnaire);
    // Items of other names may stand among them.
    own.retain(|(name, ..)| known.iter().any(|(of_block, ..)| of_block == name));
    if own != known {
        out.add(
            format!("{place}.items"),
            "items that differ from the block's in name, kind, or points",
            format!(
                "the items of '{}' ({}), whose words alone may be others",
                block.name(),
                questionnaire_items(&block.questionnaire())
            ),
        );
    }
}

fn questionnaire_items(questionnaire: &Questionnaire<LocalText>) -> String {
    let items: Vec<&str> = questionnaire.items.iter().map(|i| i.id.as_str()).collect();
    items.join(", ")
}

/// The parts of a page that are in the data: names of items, options and rows, and numbers of points.
fn names(
    questionnaire: &Questionnaire<LocalText>,
) -> Vec<(String, &'static str, Vec<String>, usize)> {
    let items = questionnaire.items.iter();
    items
        .map(|item| {
            let points = match &item.answer {
                ItemKind::Scale { min, max, .. } => {
                    usize::try_from(max.abs_diff(*min)).unwrap_or(usize::MAX)
                }
                ItemKind::Matrix { points, .. } => points.len(),
                _ => 0,
            };
            let parts = item.answer.shown_order();
            let parts = parts.into_iter().map(str::to_owned).collect();
            (item.id.clone(), item.answer.name(), parts, points)
        })
        .collect()
}

fn check_name(id: &str, place: &str, out: &mut Problems) {
    if !is_name(id, '_') {
        out.add(
            place,
            format!("'{id}'"),
            "lower-case letters, digits and '_', 1 to 64 characters",
        );
    }
}

fn check_condition(
    questionnaire: &Questionnaire<LocalText>,
    index: usize,
    item: &Item<LocalText>,
    place: &str,
    out: &mut Problems,
) {
    let Some(rule) = &item.show_if else {
        return;
    };
    let place = format!("{place}.show_if");
    let earlier = &questionnaire.items[..index];
    let Some(other) = earlier.iter().find(|other| other.id == rule.item) else {
        let known: Vec<String> = earlier.iter().map(|item| item.id.clone()).collect();
        out.add(
            format!("{place}.item"),
            format!("'{}'", rule.item),
            format!(
                "the name of an item that comes before on this page; {}",
                super::suggest(&rule.item, &known)
            ),
        );
        return;
    };
    check_comparison(other, rule.comparison(), &place, out);
}

/// The value that an answer is compared with must be one that the item can be answered with.
pub(super) fn check_comparison(
    item: &Item<LocalText>,
    comparison: AnswerComparison<'_>,
    place: &str,
    out: &mut Problems,
) {
    for (field, wanted) in [("is", comparison.is), ("is_not", comparison.is_not)] {
        let Some(wanted) = wanted else {
            continue;
        };
        let why = match (wanted, item.answer.options()) {
            // Of the options chosen, one is named.
            (Answer::Text(id), [_, ..]) => {
                let known = item.answer.options().iter().any(|option| option.id == *id);
                let options = item.answer.shown_order();
                let options: Vec<String> = options.into_iter().map(str::to_owned).collect();
                (!known).then(|| format!("it is no option; {}", super::suggest(id, &options)))
            }
            (wanted, _) => item.fits(wanted).err().map(|fault| fault.to_string()),
        };
        if let Some(why) = why {
            out.add(format!("{place}.{field}"), json(wanted), why);
        }
    }
    let bounded = comparison.at_least.is_some() || comparison.at_most.is_some();
    let is_number = matches!(
        item.answer,
        ItemKind::Scale { .. }
            | ItemKind::Gradations { .. }
            | ItemKind::Slider { .. }
            | ItemKind::Number { .. }
    );
    if bounded && !is_number {
        out.add(
            place,
            format!("a bound on '{}', whose answer is no number", item.id),
            "'is' or 'is_not'",
        );
    }
    let (lowest, highest) = range_of(&item.answer);
    for (field, bound, reached) in [
        (
            "at_least",
            comparison.at_least,
            highest.map(|end| (end, "at most")),
        ),
        (
            "at_most",
            comparison.at_most,
            lowest.map(|end| (end, "at least")),
        ),
    ] {
        let (Some(bound), Some((end, most))) = (bound, reached) else {
            continue;
        };
        let beyond = if field == "at_least" {
            to_f64(bound) > end
        } else {
            to_f64(bound) < end
        };
        if beyond {
            out.add(
                format!("{place}.{field}"),
                format!("{bound}, which no answer to '{}' reaches", item.id),
                format!("{most} {end}, the end of its answers"),
            );
        }
    }
    if comparison.is_empty() {
        out.add(
            place,
            "nothing to compare with",
            "'is', 'is_not', 'at_least' or 'at_most'",
        );
    }
}

/// The lowest and the highest number that an item can be answered with, where it has such.
fn range_of(answer: &ItemKind<LocalText>) -> (Option<f64>, Option<f64>) {
    match answer {
        ItemKind::Scale { min, max, .. } => (Some(to_f64(*min)), Some(to_f64(*max))),
        ItemKind::Gradations { .. } => (Some(0.0), Some(to_f64(GRADATIONS_MAX))),
        ItemKind::Slider { min, max, .. } => (Some(*min), Some(*max)),
        ItemKind::Number { min, max, .. } => (*min, *max),
        _ => (None, None),
    }
}

fn to_f64(number: i64) -> f64 {
    number as f64
}

fn json(answer: &Answer) -> String {
    let value = serde_json::to_value(answer);
    value.map(|value| super::shown(&value)).unwrap_or_default()
}

fn check_kind(answer: &ItemKind<LocalText>, path: &str, out: &mut Problems) {
    match answer {
        ItemKind::Scale { min, max, .. } => {
            let found = format!("a scale from {min} to {max}");
            if min >= max {
                out.add(path, found, "min below max");
            } else if max.abs_diff(*min) > 100 {
                out.add(path, found, "at most 101 points; 'slider' has more");
            }
        }
        ItemKind::Slider { min, max, step, .. } => {
            let found = format!("a slider from {min} to {max} in steps of {step}");
            if min >= max {
                out.add(path, found, "min below max");
            } else if *step <= 0.0 || *step > max - min {
                out.add(path, found, "a step above 0, and no longer than the slider");
            }
        }
        ItemKind::Text {
            min_length,
            max_length,
            ..
        } => {
            if *max_length > MAX_TEXT || *max_length == 0 {
                out.add(
                    format!("{path}.max_length"),
                    max_length.to_string(),
                    format!("1 to {MAX_TEXT}"),
                );
            } else if min_length > max_length {
                out.add(
                    format!("{path}.min_length"),
                    min_length.to_string(),
                    format!("at most {max_length}, the longest text"),
                );
            }
        }
        ItemKind::Number {
            min: Some(min),
            max: Some(max),
            ..
        } if min >= max => {
            out.add(
                path,
                format!("a number from {min} to {max}"),
                "min below max",
            );
        }
        ItemKind::Date { min, max } => check_days(min.as_ref(), max.as_ref(), path, out),
        ItemKind::Matrix { points, rows, .. } => check_matrix(points.len(), rows, path, out),
        ItemKind::Choice {
            options,
            several,
            at_least,
            at_most,
            ..
        } => {
            check_options(options, path, out);
            check_counts(*several, options.len(), *at_least, *at_most, path, out);
        }
        ItemKind::Dropdown { options } => {
            check_options(options, path, out);
            if options.iter().any(|option| option.describe.is_some()) {
                out.add(
                    format!("{path}.options"),
                    "a text field beside an option of a menu",
                    "'choice', whose options are all in sight",
                );
            }
        }
        ItemKind::Ranking { options, top, .. } => {
            check_options(options, path, out);
            if options.iter().any(|o| o.describe.is_some() || o.exclusive) {
                out.add(
                    format!("{path}.options"),
                    "an option with a text field, or one that stands alone",
                    "options that can be put in order",
                );
            }
            if top.is_some_and(|top| top == 0 || top > options.len()) {
                out.add(
                    format!("{path}.top"),
                    top.unwrap_or_default().to_string(),
                    format!("1 to {}, the number of options", options.len()),
                );
            }
        }
        ItemKind::Gradations { .. } | ItemKind::Number { .. } | ItemKind::MotionLetters { .. } => {}
    }
}

fn check_days(min: Option<&String>, max: Option<&String>, path: &str, out: &mut Problems) {
    for (field, day) in [("min", min), ("max", max)] {
        if let Some(day) = day.filter(|day| !is_date(day)) {
            out.add(
                format!("{path}.{field}"),
                format!("'{day}'"),
                "a day such as 2026-11-22",
            );
        }
    }
    if min.zip(max).is_some_and(|(min, max)| min > max) {
        out.add(path, "a first day after the last", "min before max");
    }
}

fn check_matrix(points: usize, rows: &[MatrixRow<LocalText>], path: &str, out: &mut Problems) {
    if !(2..=11).contains(&points) {
        out.add(
            format!("{path}.points"),
            format!("{points} of them"),
            "2 to 11 points",
        );
    }
    if rows.is_empty() {
        out.add(format!("{path}.rows"), "an empty list", "at least one row");
    }
    let mut known = BTreeSet::new();
    for (index, row) in rows.iter().enumerate() {
        let place = format!("{path}.rows[{index}].id");
        let stage = MatrixRow::STAGE;
        if row.for_each_stage && row.id.contains(stage) {
            check_name(&row.id.replace(stage, "1"), &place, out);
        } else if row.for_each_stage {
            out.add(
                &place,
                format!("'{}' for each stage", row.id),
                format!("a name with {stage}, such as 'stage_{stage}_easy'"),
            );
        } else {
            check_name(&row.id, &place, out);
        }
        if !known.insert(&row.id) {
            out.add(
                place,
                format!("'{}' a second time", row.id),
                "a name that is not taken",
            );
        }
    }
}

fn check_counts(
    several: bool,
    options: usize,
    at_least: Option<usize>,
    at_most: Option<usize>,
    path: &str,
    out: &mut Problems,
) {
    if !several && (at_least.is_some() || at_most.is_some()) {
        out.add(
            path,
            "a number of options where one is chosen",
            "'several': true beside it",
        );
    }
    let (least, most) = (at_least.unwrap_or(0), at_most.unwrap_or(options));
    if several && (least > most || most > options || most == 0) {
        out.add(
            path,
            format!("from {least} to {most} of {options} options"),
            "at_least no more than at_most, and that no more than there are options",
        );
    }
}

fn check_options(options: &[ChoiceOption<LocalText>], path: &str, out: &mut Problems) {
    if options.len() < 2 {
        out.add(
            format!("{path}.options"),
            format!("{} of them", options.len()),
            "at least 2 options",
        );
    }
    let different: BTreeSet<&String> = options.iter().map(|option| &option.id).collect();
    if different.len() < options.len() {
        out.add(
            format!("{path}.options"),
            "the same option twice",
            "options that differ",
        );
    }
    if options.iter().any(|option| option.id.trim().is_empty()) {
        out.add(
            format!("{path}.options"),
            "an option without a name",
            "a name for the data, and words to read",
        );
    }
}
