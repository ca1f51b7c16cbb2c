//! When the participant was in which part.

use serde::{Deserialize, Serialize};

use super::Session;
use crate::clock::PageChange;
use crate::session::plan::{PartPlan, SessionPlan};

/// A stay in a part. A participant who goes back to a page comes to its part once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartVisit {
    /// 0-based index of the part.
    pub part: usize,
    /// When it began, in milliseconds since the session's start.
    pub from_ms: u64,
    /// When it ended; absent while it goes on.
    pub until_ms: Option<u64>,
}

impl Session {
    /// The parts that the participant has been in, in order. At an end, the last one has ended, too.
    #[must_use]
    pub fn visits(&self) -> &[PartVisit] {
        &self.visits
    }

    /// When the page on screen appeared, or the next question: since then there was no progress. A pause that the
    /// experimenter wished does not count.
    #[must_use]
    pub fn last_progress_ms(&self) -> u64 {
        self.page_since_ms
    }

    /// Since when the page has been hidden; absent while it is seen.
    #[must_use]
    pub fn away_since_ms(&self) -> Option<u64> {
        self.away_since_ms
    }

    /// Notes where the participant is now.
    pub(super) fn note_whereabouts(&mut self, at_ms: u64, change: Option<PageChange>) {
        match change {
            Some(PageChange::Hidden) => {
                self.away_since_ms.get_or_insert(at_ms);
            }
            Some(PageChange::Shown | PageChange::Opened) => self.away_since_ms = None,
            _ => {}
        }
        let now = self.part();
        let open = self
            .visits
            .last_mut()
            .filter(|last| last.until_ms.is_none());
        let before = open.as_ref().map(|visit| visit.part);
        if before == now {
            return;
        }
        if let Some(visit) = open {
            visit.until_ms = Some(at_ms);
        }
        if let Some(part) = now {
            self.visits.push(PartVisit {
                part,
                from_ms: at_ms,
                until_ms: None,
            });
        }
    }

    /// Where a session is that has just begun.
    pub(super) fn begin_visits(&mut self) {
        self.note_whereabouts(0, None);
    }
}

impl SessionPlan {
    /// The kind of a part, and its name in the study; for one that has no name there, the kind again.
    #[must_use]
    pub fn part_name(&self, part: usize) -> Option<(&'static str, String)> {
        Some(match self.parts.get(part)? {
            PartPlan::Consent => ("consent", "consent".to_owned()),
            PartPlan::Instructions { id, .. } => ("instructions", id.clone()),
            PartPlan::Tutorial { task, .. } => ("tutorial", task.name().to_owned()),
            PartPlan::Stage { stage } => ("stage", self.stages.get(*stage)?.id.clone()),
            PartPlan::Questionnaire {
                questionnaire,
                stage,
            } => {
                let about = stage.and_then(|stage| self.stages.get(stage));
                let id = &questionnaire.id;
                let name = about.map_or_else(|| id.clone(), |about| format!("{id} ({})", about.id));
                ("questionnaire", name)
            }
            PartPlan::DeviceCheck { id, .. } => ("device_check", id.clone()),
            PartPlan::Break { id, .. } => ("break", id.clone()),
        })
    }
}
