//! A form being filled in, as its fields share it.

use std::collections::BTreeMap;

use domain::questionnaire::NoAnswer;
use leptos::prelude::*;

use super::answers::{AnswerProblem, Draft, Drafts};
use crate::ui::typed::passing_id;

/// State of a form.
#[derive(Clone, Copy)]
pub struct Form {
    /// The drafts of its items.
    pub drafts: RwSignal<Drafts>,
    /// The problems, by item.
    pub problems: RwSignal<BTreeMap<String, AnswerProblem>>,
    /// How the ids of its fields begin.
    fields: StoredValue<String>,
}

impl Form {
    /// A form that goes on from what was filled in before.
    #[must_use]
    pub fn resume(drafts: Drafts) -> Self {
        Self {
            drafts: RwSignal::new(drafts),
            problems: RwSignal::default(),
            fields: StoredValue::new(passing_id()),
        }
    }

    /// The form as one of its items sees it.
    #[must_use]
    pub fn field(self, item: &str) -> FormField {
        let (of_draft, of_problem) = (item.to_owned(), item.to_owned());
        FormField {
            form: self,
            item: StoredValue::new(item.to_owned()),
            draft: Memo::new(move |_| self.drafts.with(|drafts| drafts.of(&of_draft))),
            problem: Memo::new(move |_| self.problems.with(|all| all.get(&of_problem).cloned())),
        }
    }
}

/// A form as one of its items sees it.
#[derive(Clone, Copy)]
pub struct FormField {
    form: Form,
    item: StoredValue<String>,
    /// The draft of the item.
    pub draft: Memo<Draft>,
    /// The problem with its answer.
    pub problem: Memo<Option<AnswerProblem>>,
}

impl FormField {
    /// Changes the answer; what was wrong with it no longer shows, and a refusal to answer is
    /// taken back.
    pub fn answer(self, change: impl FnOnce(&mut Draft)) {
        self.change(|draft| {
            change(draft);
            draft.no_answer = None;
        });
    }

    /// Refuses to answer, or takes that back. The input so far goes: it is no answer any more.
    pub fn refuse(self, reason: Option<NoAnswer>) {
        self.change(|draft| {
            *draft = Draft {
                no_answer: reason,
                ..Draft::default()
            }
        });
    }

    fn change(self, change: impl FnOnce(&mut Draft)) {
        self.item.with_value(|item| {
            self.form
                .drafts
                .update(|drafts| drafts.change(item, change));
            let problems = self.form.problems;
            if problems.with_untracked(|all| all.contains_key(item)) {
                problems.update(|all| {
                    all.remove(item);
                });
            }
        });
    }

    /// `true` for `aria-invalid`, absent where all is well.
    #[must_use]
    pub fn invalid(self) -> Option<&'static str> {
        self.problem.get().map(|_| "true")
    }

    /// Name of the item.
    #[must_use]
    pub fn id(self) -> String {
        self.item.get_value()
    }

    /// Id of the item's one control.
    #[must_use]
    pub fn control_id(self) -> String {
        let fields = self.form.fields;
        fields.with_value(|fields| format!("{fields}-{}", self.id()))
    }

    /// Id of the element that holds the message.
    #[must_use]
    pub fn problem_id(self) -> String {
        format!("problem-{}", self.id())
    }

    /// Ids of the elements that describe the item's controls.
    #[must_use]
    pub fn described_by(self) -> String {
        let item = self.id();
        format!("hint-{item} problem-{item}")
    }

    /// `data-testid` of the item's one control.
    #[must_use]
    pub fn test_id(self) -> String {
        format!("item-{}", self.id())
    }
}
