//! Typed text that is to be deleted one day must not decide what a session was.

use std::collections::BTreeSet;

use super::Problems;
use crate::questionnaire::ItemKind;
use crate::session::flow::Condition;
use crate::study::{Group, Part, Study};

pub(super) fn check(study: &Study, out: &mut Problems) {
    if study.typed_text_deleted_after_days.is_none() {
        return;
    }
    let mut compared = BTreeSet::new();
    conditions(&study.parts, &mut compared);
    for leaf in study.leaves() {
        let Part::Questionnaire(page) = leaf else {
            continue;
        };
        let page = &page.questionnaire;
        for item in &page.items {
            let typed = matches!(item.answer, ItemKind::Text { .. });
            let shows = |other: &Option<crate::questionnaire::ShowIf>| {
                other.as_ref().is_some_and(|show| show.item == item.id)
            };
            let decides = item.right.is_some()
                || compared.contains(&(page.id.clone(), item.id.clone()))
                || page.items.iter().any(|other| shows(&other.show_if));
            if typed && decides {
                out.add(
                    "typed_text_deleted_after_days",
                    format!(
                        "what is typed at '{}' of '{}' decides how the session goes on",
                        item.id, page.id
                    ),
                    "no 'right', 'show_if' or 'skips' on typed text that is deleted: ask for a choice",
                );
            }
        }
    }
}

/// The items that ways forward look at, those in groups within groups included.
fn conditions(parts: &[Part], out: &mut BTreeSet<(String, String)>) {
    let groups = parts.iter().filter_map(|part| match part {
        Part::Group(group) => Some(group),
        _ => None,
    });
    for Group {
        parts,
        skips,
        interruptions,
        ..
    } in groups
    {
        out.extend(skips.iter().filter_map(|skip| match &skip.when {
            Condition::Answer(answer) => Some((answer.questionnaire.clone(), answer.item.clone())),
            _ => None,
        }));
        conditions(parts, out);
        for interruption in interruptions {
            conditions(&interruption.parts, out);
        }
    }
}
