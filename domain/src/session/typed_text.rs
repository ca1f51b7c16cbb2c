//! Words that people typed.
//!
//! Such a text can say who somebody is. It leaves the server only where that is asked for; what was
//! chosen from a list is no such text.

use crate::questionnaire::{Answer, Item, ItemKind};
use crate::session::event::Event;
use crate::session::plan::{PartPlan, SessionPlan};

pub use crate::questionnaire::{DELETED, WITHHELD};

/// Deletes every text that somebody typed in an event; whether there was any. `plan` as for [`in_event`].
pub fn delete(event: &mut Event, plan: Option<&SessionPlan>) -> bool {
    replace(in_event(event, plan), DELETED)
}

/// Withholds every text that somebody typed in an event; whether there was any. `plan` as for [`in_event`].
pub fn withhold(event: &mut Event, plan: Option<&SessionPlan>) -> bool {
    replace(in_event(event, plan), WITHHELD)
}

/// Puts [`DELETED`] or [`WITHHELD`] in the place of texts; whether there was any. Empty texts say nothing and stay, and
/// what was deleted is not there to be withheld.
pub fn replace(texts: Vec<&mut String>, by: &str) -> bool {
    let mut changed = false;
    for text in texts {
        if !text.is_empty() && text != DELETED && text != by {
            by.clone_into(text);
            changed = true;
        }
    }
    changed
}

/// Every text that somebody typed in an event: the name they signed with, an experimenter's note, a
/// dial's name, notes, and words in questionnaires. `plan` says what questionnaires asked for; where
/// it is missing, or has no such item, every text of an answer is taken for typed.
#[must_use]
pub fn in_event<'a>(event: &'a mut Event, plan: Option<&SessionPlan>) -> Vec<&'a mut String> {
    match event {
        Event::ConsentGiven(consent) => consent.signature.iter_mut().collect(),
        Event::NoteWritten { text, .. } => vec![text],
        Event::Task(event) => event.typed_text().into_iter().collect(),
        Event::QuestionnaireAnswered {
            questionnaire,
            answers,
            ..
        } => {
            let items = items(plan, questionnaire);
            let typed = answers.iter_mut().flat_map(|(id, answer)| {
                in_answer(answer, items.iter().copied().find(|item| item.id == *id))
            });
            typed.collect()
        }
        _ => Vec::new(),
    }
}

/// Every text that somebody typed in an answer to an item.
#[must_use]
pub fn in_answer<'a>(answer: &'a mut Answer, item: Option<&Item>) -> Vec<&'a mut String> {
    match answer {
        Answer::Text(text) => {
            let typed = item.is_none_or(|item| matches!(item.answer, ItemKind::Text { .. }));
            if typed { vec![text] } else { Vec::new() }
        }
        Answer::Described { described, .. } => described.values_mut().collect(),
        _ => Vec::new(),
    }
}

/// The items of all pages of a plan that have this name.
fn items<'a>(plan: Option<&'a SessionPlan>, name: &str) -> Vec<&'a Item> {
    let parts = plan.iter().flat_map(|plan| &plan.parts);
    parts
        .filter_map(|part| match part {
            PartPlan::Questionnaire { questionnaire, .. } if questionnaire.id == name => {
                Some(&questionnaire.items)
            }
            _ => None,
        })
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use serde_json::json;

    fn typed(event: serde_json::Value, plan: Option<&SessionPlan>) -> Vec<String> {
        let mut event: Event = json::from_tree(event).unwrap();
        let found = in_event(&mut event, plan);
        found.into_iter().map(|text| text.clone()).collect()
    }

    fn plan() -> SessionPlan {
        json::from_tree(json!({
            "format": 2, "session": "s", "study": "s", "study_sha256": "", "mode": "online",
            "contact": null, "stages": [],
            "parts": [{"kind": "questionnaire", "questionnaire": {
                "id": "about", "title": "About", "items": [
                    {"id": "words", "text": "?", "answer": {"kind": "text"}},
                    {"id": "one", "text": "?", "answer": {"kind": "choice", "options": ["yes", "no"]}},
                ],
            }}],
        }))
        .unwrap()
    }

    #[test]
    fn words_are_typed_and_choices_are_not() {
        let event = json!({
            "kind": "questionnaire_answered", "questionnaire": "about", "answers": {
                "words": "I am Ada", "one": "yes",
                "other": {"chosen": ["x"], "described": {"x": "my own"}},
                "several": ["a", "b"], "number": 3,
            },
        });
        let plan = plan();
        assert_eq!(typed(event.clone(), Some(&plan)), ["my own", "I am Ada"]);
        assert_eq!(
            typed(event, None),
            ["yes", "my own", "I am Ada"],
            "without the plan nobody knows what was a choice"
        );
    }

    #[test]
    fn what_is_deleted_is_deleted_once_and_choices_stay() {
        let event = json!({
            "kind": "questionnaire_answered", "questionnaire": "about", "answers": {
                "words": "I am Ada", "one": "yes", "other": {"chosen": ["x"], "described": {"x": ""}},
            },
        });
        let mut event: Event = json::from_tree(event).unwrap();
        assert!(delete(&mut event, Some(&plan())));
        let left = serde_json::to_value(&event).unwrap();
        assert_eq!(
            left["answers"],
            json!({"words": DELETED, "one": "yes", "other": {"chosen": ["x"], "described": {"x": ""}}})
        );
        assert!(!delete(&mut event, Some(&plan())), "a second time");
        assert!(
            !withhold(&mut event, Some(&plan())),
            "nothing is there to be withheld"
        );
    }

    #[test]
    fn words_that_are_withheld_are_not_called_deleted() {
        let event = json!({
            "kind": "questionnaire_answered", "questionnaire": "about", "answers": {"words": "I am Ada"},
        });
        let mut event: Event = json::from_tree(event).unwrap();
        assert!(withhold(&mut event, Some(&plan())));
        let left = serde_json::to_value(&event).unwrap();
        assert_eq!(left["answers"], json!({"words": "withheld"}));
    }

    #[test]
    fn names_and_notes_are_typed() {
        for (event, expected) in [
            (
                json!({"kind": "note_written", "text": "Ada laughs"}),
                vec!["Ada laughs"],
            ),
            (
                json!({"kind": "reconstruction", "task_format": 1, "event": "dial_renamed", "dimension": 1, "name": "slant"}),
                vec!["slant"],
            ),
            (
                json!({"kind": "exploration", "task_format": 1, "event": "notes_written", "text": "round"}),
                vec!["round"],
            ),
            (
                json!({"kind": "exploration", "task_format": 1, "event": "dial_renamed", "dimension": 0, "name": "size"}),
                vec!["size"],
            ),
            (
                json!({"kind": "reconstruction", "task_format": 1, "event": "activity"}),
                vec![],
            ),
            (json!({"kind": "paused"}), vec![]),
        ] {
            assert_eq!(typed(event, None), expected);
        }
    }
}
