//! Looking at a study before anybody takes it: sessions that begin at any part.
//!
//! The parts before that one are filled in by a simulated participant, so that the page shows what
//! its participant would see there: ways forward, levels and texts included.

use std::sync::Arc;

use api::preview::{PreviewOpened, PreviewPart, PreviewRequest};
use api::{Batch, MAX_BATCH_EVENTS};
use domain::design::{Cell, Design, Levels, Varies};
use domain::recruitment::assignment::Purpose;
use domain::session::Session;
use domain::session::event::{Envelope, Event};
use domain::session::plan::{PartPlan, SessionPlan};
use domain::simulate::SimulatedParticipant;
use domain::study::length::Length;
use sha2::{Digest as _, Sha256};

use super::start::Start;
use super::{SessionError, Sessions};
use crate::catalogue::StudyEntry;
use crate::secrets::{self, Token, hex};
use crate::storage::{AssignRequest, StoredAssignment, StoredSession};

/// Movements of a dial in each question that is filled in.
const MOVEMENTS: usize = 3;

impl Sessions {
    /// Begins a session of a study at a part of it, in a cell and with a seed: the same request shows
    /// the same pictures. The session is no data, and belongs into a database that is none.
    ///
    /// # Errors
    /// [`SessionError::Malformed`] for a cell or a part that is not there; when drawing or storing
    /// fails.
    pub async fn preview(
        &self,
        entry: &Arc<StudyEntry>,
        wanted: PreviewRequest,
    ) -> Result<PreviewOpened, SessionError> {
        let cells = entry.study.design.cells();
        let cell = match &wanted.cell {
            None => cells.first(),
            Some(name) => cells.iter().find(|cell| cell.name == *name),
        };
        let cell = cell.cloned().ok_or_else(|| {
            let names: Vec<&str> = cells.iter().map(|cell| cell.name.as_str()).collect();
            SessionError::Malformed(format!(
                "there is no such cell; there are {}",
                names.join(", ")
            ))
        })?;
        let token = Token::new(&*self.system.randomness)?;
        let attempt: [u8; 16] = secrets::random(&*self.system.randomness)?;
        let start = Start {
            attempt: hex(&attempt),
            code: None,
            language: wanted.language.clone(),
            purpose: Purpose::Preview,
        };
        let assigned = self.storage.assign(AssignRequest {
            study: entry.study.id.clone(),
            attempt: start.attempt.clone(),
            design: Arc::new(entry.study.design.clone()),
            rows: entry.study.rows(),
            purpose: Purpose::Preview,
            condition: None,
            answers: answers(&entry.study.design, &cell),
            study_seed: None,
            fresh_seed: seed(wanted.seed),
            now_unix_ms: self.now_unix_ms(),
        });
        let assigned = assigned.await?.map_err(SessionError::NotAssigned)?;
        let assigned = StoredAssignment {
            cell: cell.clone(),
            row: wanted.seed % entry.study.rows().max(1),
            seed: seed(wanted.seed),
            ..assigned
        };
        let new = self.drawn(entry, &start, assigned, &token).await?;
        let stored = new.session.clone();
        self.storage.create_session(new).await?;
        let log = log_to(&stored, wanted.part);
        let token = token.reveal();
        let length = Length::of_cell(&entry.study, &cell, &*self.library.models());
        self.send_as_page(&stored, &token, &log, |_| {}).await?;
        Ok(PreviewOpened {
            session: stored.id.clone(),
            token,
            cell: cell.name,
            cells: cells.into_iter().map(|cell| cell.name).collect(),
            languages: entry.study.languages.clone(),
            language: stored.plan.language.clone(),
            stages: length.stages,
            questions: length.questions,
            parts: parts(&stored.plan),
        })
    }

    /// Sends a log as its page would have: what the server has to say is asked for before the page
    /// logs it. `set_clock` is told the time of each piece on the session's clock.
    ///
    /// # Errors
    /// When an event is refused, or storage fails.
    pub(crate) async fn send_as_page(
        &self,
        stored: &StoredSession,
        token: &str,
        log: &[Envelope],
        set_clock: impl Fn(u64),
    ) -> Result<(), SessionError> {
        let session = self.authorise(&stored.id, token).await?;
        let mut rest = log;
        while let Some(first) = rest.first() {
            let told = |logged: &Envelope| {
                matches!(
                    logged.event,
                    Event::VerdictReceived { .. } | Event::CheckReceived { .. }
                )
            };
            set_clock(first.at_ms);
            match &first.event {
                Event::VerdictReceived { at, .. } => {
                    self.verdict(session.clone(), *at).await?;
                }
                Event::CheckReceived { part, .. } => {
                    self.check(session.clone(), *part).await?;
                }
                _ => {}
            }
            let next_told = rest.iter().skip(1).position(told).map(|place| place + 1);
            let end = next_told.unwrap_or(rest.len()).min(MAX_BATCH_EVENTS);
            let (batch, after) = rest.split_at(end);
            if let Some(last) = batch.last() {
                set_clock(last.at_ms);
            }
            let events = batch.to_vec();
            self.append(session.clone(), Batch { events }).await?;
            rest = after;
        }
        Ok(())
    }
}

/// The seed of everything that is drawn.
fn seed(wanted: u64) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix(b"redial preview");
    hash.update(wanted.to_le_bytes());
    hash.finalize().into()
}

/// The log of somebody who has come to a part, or past it, or to the end.
fn log_to(stored: &StoredSession, part: usize) -> Vec<Envelope> {
    let session = Session::with_keys(stored.plan.clone(), stored.keys.clone());
    let mut participant = SimulatedParticipant::going_on(session, 1, MOVEMENTS);
    let mut log = Vec::new();
    // The page opens by itself; to log that for it would leave its browser unknown.
    while participant.session().part().is_some_and(|now| now < part) {
        match participant.next() {
            Some(event) => log.push(event),
            None => break,
        }
    }
    log
}

/// The kinds and names of a plan's parts on the page that lists them.
fn parts(plan: &SessionPlan) -> Vec<PreviewPart> {
    let part = |part: &PartPlan| {
        let (kind, name) = match part {
            PartPlan::Consent => ("consent", None),
            PartPlan::Instructions { id, .. } => ("instructions", Some(id.clone())),
            PartPlan::Tutorial { task, .. } => ("tutorial", Some(task.name().to_owned())),
            PartPlan::Stage { stage } => {
                let stage = plan.stages.get(*stage);
                let kind = if stage.is_some_and(|stage| stage.practice) {
                    "practice"
                } else {
                    "stage"
                };
                (kind, stage.map(|stage| stage.id.clone()))
            }
            PartPlan::Questionnaire { questionnaire, .. } => {
                ("questionnaire", Some(questionnaire.id.clone()))
            }
            PartPlan::DeviceCheck { id, .. } => ("device check", Some(id.clone())),
            PartPlan::Break { id, .. } => ("break", Some(id.clone())),
        };
        PreviewPart {
            name: name.filter(|name| name != kind),
            kind: kind.to_owned(),
        }
    };
    plan.parts.iter().map(part).collect()
}

/// The answers on the first page of somebody who is in a cell.
fn answers(design: &Design, cell: &Cell) -> Levels {
    let asked = design.factors_that(Varies::Answer);
    asked
        .filter_map(|factor| cell.levels.get_key_value(&factor.name))
        .map(|(name, level)| (name.clone(), level.clone()))
        .collect()
}
