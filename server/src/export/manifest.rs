//! The manifest's facts about an export as a whole.

use std::collections::{BTreeMap, BTreeSet};

use domain::clock::ActiveTimeRule;
use domain::session::event::EVENT_FORMAT;
use domain::session::plan::PLAN_FORMAT;
use domain::task::record::RECORD_FORMAT;
use serde_json::{Value, json};

use super::replay::ReplayedSession;
use super::selection::Selection;
use super::sessions::utc;

/// The formats of records, as they are read today.
pub(super) fn formats() -> Value {
    json!({ "events": EVENT_FORMAT, "plans": PLAN_FORMAT, "question_records": RECORD_FORMAT })
}

/// The selection that was chosen.
pub(super) fn selection(selection: &Selection) -> Value {
    let standings = selection.standings.iter().map(|standing| standing.name());
    json!({
        "whose": selection.whose.name(),
        "study_versions": selection.study_versions,
        "since_utc": utc(selection.since_unix_ms),
        "before_utc": utc(selection.before_unix_ms),
        "standings": standings.collect::<Vec<_>>(),
    })
}

/// The facts that the sessions have in common, and their differences.
#[derive(Default)]
pub(super) struct SessionsSummary {
    /// Name and weights of each bundle, and the number of sessions with it.
    models: BTreeMap<(String, String, String), u64>,
    rules: BTreeSet<&'static str>,
}

impl SessionsSummary {
    /// Counts a session in.
    pub(super) fn session(&mut self, replayed: &ReplayedSession) {
        for model in replayed.stored.plan.models() {
            let key = (
                model.name.clone(),
                model.bundle_sha256.clone(),
                model.weights_sha256.clone(),
            );
            *self.models.entry(key).or_default() += 1;
        }
        for stage in &replayed.stored.plan.stages {
            self.rules.insert(match stage.task.active_time().rule {
                ActiveTimeRule::Capped => "capped",
                ActiveTimeRule::Released => "released",
            });
        }
    }

    /// Every model that a session was drawn with, as it was then.
    pub(super) fn models(&self) -> Value {
        let models = self.models.iter();
        models
            .map(|((name, bundle_sha256, weights_sha256), sessions)| {
                json!({
                    "name": name,
                    "bundle_sha256": bundle_sha256,
                    "weights_sha256": weights_sha256,
                    "sessions": sessions,
                })
            })
            .collect()
    }

    /// How active time was counted: `capped` counts a gap between two activities up to 3 s,
    /// `released` counts gaps below 3 s and no others.
    pub(super) fn active_time_rules(&self) -> &BTreeSet<&'static str> {
        &self.rules
    }
}
