//! Questionnaires.

use std::collections::BTreeSet;

use super::{Problems, Seen, is_name};
use crate::questionnaire::{ItemKind, Questionnaire, SEQ};

/// A questionnaire may stand in several places, if it is the same in all of them.
pub(super) fn check(
    questionnaire: &Questionnaire,
    place: &str,
    seen: &mut Seen,
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
    if id == SEQ || taken {
        out.add(
            format!("{place}.id"),
            format!("'{id}'"),
            "a name that is not taken",
        );
    } else {
        seen.names.push((id.clone(), place.to_owned()));
    }
    check_name(id, place, out);
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
        check_name(&item.id, &place, out);
        if !item_ids.insert(&item.id) {
            out.add(
                format!("{place}.id"),
                format!("'{}' a second time", item.id),
                "a name that is not taken",
            );
        }
        check_item(&item.answer, &format!("{place}.answer"), out);
    }
    let (id, questionnaire) = (id.clone(), questionnaire.clone());
    seen.questionnaires.insert(id, questionnaire);
}

fn check_name(id: &str, place: &str, out: &mut Problems) {
    if !is_name(id, '_') {
        out.add(
            format!("{place}.id"),
            format!("'{id}'"),
            "lower-case letters, digits and '_', 1 to 64 characters",
        );
    }
}

fn check_item(answer: &ItemKind, path: &str, out: &mut Problems) {
    match answer {
        ItemKind::Scale { min, max, .. } => {
            if min >= max {
                out.add(
                    path,
                    format!("a scale from {min} to {max}"),
                    "min below max",
                );
            } else if max.abs_diff(*min) > 100 {
                out.add(
                    path,
                    format!("a scale from {min} to {max}"),
                    "at most 101 points",
                );
            }
        }
        ItemKind::Text => {}
        ItemKind::Choice { options, .. } => {
            if options.len() < 2 {
                out.add(
                    format!("{path}.options"),
                    format!("{} of them", options.len()),
                    "at least 2 options",
                );
            }
            let different: BTreeSet<&String> = options.iter().collect();
            if different.len() < options.len() {
                out.add(
                    format!("{path}.options"),
                    "the same option twice",
                    "options that differ",
                );
            }
        }
    }
}
