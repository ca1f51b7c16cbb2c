//! Reports of a page are compared with what is decoded here, as `redial verify` does it: a little at a time, for the
//! question that is shown.

use domain::model::ModelFacts;
use domain::model::instance::InstanceId;
use domain::verify::Evidence;
use leptos::prelude::Update;

use super::moment::shown_session;
use super::timeline::{TimelineEntry, TimelineKind};
use super::{Replay, State, set};
use crate::runtime::clock::monotonic_ms;
use crate::runtime::decoders::Decoders;
use crate::runtime::instances::Instances;

/// How long the page may be kept busy at a time, in milliseconds. At least one picture is decoded.
const MOST_MS: f64 = 6.0;

/// Models and pictures that have been fetched.
struct Fetched<'a> {
    decoders: &'a Decoders,
    instances: &'a Instances,
}

impl Evidence for Fetched<'_> {
    fn decode(&self, model: &ModelFacts, z: &[f64]) -> Option<Vec<f32>> {
        let mut picture = Vec::new();
        self.decoders
            .get(model)?
            .at(z, &mut picture)
            .then_some(picture)
    }

    fn instance(&self, id: &InstanceId) -> Option<Vec<f32>> {
        Some(self.instances.get(id)?.to_vec())
    }
}

impl Replay {
    /// Compares some more of the question that is shown. Said while nothing plays.
    pub fn compare_some(&self) {
        let (found, decoded) = {
            let mut state = self.state.borrow_mut();
            let State {
                log,
                moment,
                compared,
                ..
            } = &mut *state;
            let Some(question) = shown_session(log, moment.as_ref()).running() else {
                return;
            };
            let fetched = Fetched {
                decoders: &self.decoders,
                instances: &self.instances,
            };
            let known = compared.found().len();
            let until_ms = monotonic_ms() + MOST_MS;
            compared.go_on(&self.plan, log.events(), question.at, &fetched, || {
                monotonic_ms() >= until_ms
            });
            (compared.found()[known..].to_vec(), compared.decoded())
        };
        set(self.shown.compared, decoded);
        if found.is_empty() {
            return;
        }
        let entries = found.iter().map(|it| TimelineEntry {
            at_ms: it.at_ms,
            kind: TimelineKind::Finding,
            mark: None,
            text: format!("Decoded again, it does not agree: {}", it.contradiction),
        });
        self.shown.timeline.update(|all| all.extend(entries));
        self.shown.disagreements.update(|all| all.extend(found));
    }
}
