//! Simulated people from their arrival to their end: they start, think, and send what a page would have.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{SessionStarted, StartRequest};
use domain::model::instance::Instance;
use domain::recruitment::assignment::Purpose;
use domain::session::Phase;
use domain::session::event::Envelope;
use domain::simulate::{Sight, SimulatedParticipant, SimulatedPerson};
use domain::study::inclusion::is_included;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha20Rng;
use sha2::{Digest as _, Sha256};

use super::system::SetClock;
use super::{
    Attendance, InstalledEvidence, Simulated, Simulation, SimulationError, attention_checks,
};
use crate::catalogue::StudyEntry;
use crate::secrets::hex;
use crate::sessions::{SessionError, Sessions};
use crate::storage::{Storage, StoredSession};
use crate::zoo::Models;

/// How the participant codes of the people of a seed begin.
pub(super) fn their_codes(seed: u64) -> String {
    format!("simulated-{seed}-")
}

/// The state that the people of a simulation share.
pub(super) struct RunningSimulation<'a> {
    pub(super) storage: Arc<dyn Storage>,
    pub(super) models: Arc<Models>,
    pub(super) sessions: Sessions,
    pub(super) clock: Arc<SetClock>,
    pub(super) entry: Arc<StudyEntry>,
    pub(super) simulation: &'a Simulation,
    pub(super) on_person: &'a (dyn Fn() + Sync),
}

/// Somebody who has started.
pub(super) struct StartedPerson {
    started: SessionStarted,
    stored: StoredSession,
    person: SimulatedPerson,
    seed: u64,
    arrived_unix_ms: u64,
}

impl RunningSimulation<'_> {
    /// Whether another person is to come after so many.
    pub(super) fn expects(&self, came: usize) -> bool {
        match self.simulation.people {
            Attendance::Arrive(people) => came < people,
            Attendance::FillEveryCell => true,
        }
    }

    pub(super) async fn arrive(
        &self,
        number: usize,
        arrived_unix_ms: u64,
    ) -> Result<StartedPerson, SimulationError> {
        let seed = self.simulation.seed;
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        rng.set_stream(number as u64);
        let strategy = self.simulation.mixture.draw(&mut rng);
        let attempt = format!("{} {seed} {number}", self.entry.study.id);
        let mut request = StartRequest {
            attempt: hex(&Sha256::digest(attempt)),
            participant_code: Some(format!("{}{number}-{}", their_codes(seed), strategy.name())),
            ..StartRequest::default()
        };
        let purpose = Purpose::Simulated;
        let mut answers = self.entry.study.design.any_answers(&mut rng).into_iter();
        let started = loop {
            request.answers = answers.next().unwrap_or_default();
            let started = self.sessions.start(&self.entry, request.clone(), purpose);
            match started.await {
                // Nobody is wanted who answers that; somebody may be who answers otherwise.
                Err(SessionError::NotAssigned(_)) if answers.len() > 0 => {}
                started => break started?,
            }
        };
        let session = &started.plan.session;
        let stored = self.storage.session(session).await?;
        let stored = stored.ok_or(SessionError::NotFound)?;
        let sight = self.sight(&stored).await?;
        let person =
            SimulatedPerson::draw(strategy, sight, attention_checks(&self.entry), &mut rng);
        Ok(StartedPerson {
            started,
            stored,
            person,
            seed: rng.random(),
            arrived_unix_ms,
        })
    }

    /// The sight of somebody in their session.
    async fn sight(&self, stored: &StoredSession) -> Result<Sight, SimulationError> {
        let mut instances = BTreeMap::new();
        for id in stored.plan.instances() {
            if let Some(bytes) = self.storage.instance(&id.0).await?
                && let Ok(Instance(values)) = Instance::from_bytes(&bytes)
            {
                instances.insert(id.clone(), values);
            }
        }
        let models = self.models.clone();
        Ok(Arc::new(InstalledEvidence { models, instances }))
    }

    /// Lets people who have started come to the end: they think at once, and are logged in their
    /// order.
    pub(super) async fn take_part(
        &self,
        people: Vec<StartedPerson>,
        found: &mut Simulated,
    ) -> Result<(), SimulationError> {
        let think = |person: &StartedPerson| {
            let (plan, keys) = (person.stored.plan.clone(), person.stored.keys.clone());
            let (who, seed) = (person.person.clone(), person.seed);
            let processor = self.simulation.processor.clone();
            let work = move || {
                let mut participant = SimulatedParticipant::person(plan, keys, who, seed);
                let log: Vec<Envelope> = participant.by_ref().collect();
                (log, participant.session().clone())
            };
            tokio::spawn(async move { processor.run(work).await })
        };
        let thinking: Vec<_> = people.iter().map(think).collect();
        for (person, thinking) in people.iter().zip(thinking) {
            let (log, session) = thinking.await??;
            self.send(person, &log).await?;
            found.started += 1;
            found.events += log.len() as u64;
            let strategy = person.person.strategy;
            *found.strategies.entry(strategy.name()).or_default() += 1;
            if session.phase() == Phase::Complete {
                found.complete += 1;
                found.took_ms.extend(log.last().map(|last| last.at_ms));
            }
            let included = is_included(&self.entry.study.inclusion, &session);
            found.included += usize::from(included == Some(true));
            (self.on_person)();
        }
        Ok(())
    }

    /// Sends a log as its page would have, at the times of the page.
    async fn send(&self, person: &StartedPerson, log: &[Envelope]) -> Result<(), SimulationError> {
        let set_clock = |at_ms| self.clock.set(person.arrived_unix_ms + at_ms);
        let (stored, token) = (&person.stored, &person.started.token);
        let sent = self.sessions.send_as_page(stored, token, log, set_clock);
        Ok(sent.await?)
    }
}
