//! A form being filled in, as its fields share it.

use std::collections::BTreeMap;

use leptos::prelude::*;

use super::answers::{Drafts, Problem};

/// State of a form.
#[derive(Clone, Copy, Default)]
pub struct Form {
    /// What has been filled in.
    pub drafts: RwSignal<Drafts>,
    /// What is wrong, by item.
    pub problems: RwSignal<BTreeMap<String, Problem>>,
}

impl Form {
    /// A form that goes on from what was filled in before.
    #[must_use]
    pub fn resume(drafts: Drafts) -> Self {
        Self {
            drafts: RwSignal::new(drafts),
            problems: RwSignal::default(),
        }
    }

    /// Changes an item's answer; what was wrong with it no longer shows.
    pub fn change(self, item: &str, change: impl FnOnce(&mut Drafts)) {
        self.drafts.update(change);
        if self
            .problems
            .with_untracked(|problems| problems.contains_key(item))
        {
            self.problems.update(|problems| {
                problems.remove(item);
            });
        }
    }
}
