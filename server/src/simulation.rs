//! Simulated people: sessions without a browser, in an ordinary database.
//!
//! They start, append and are told verdicts by the very [`Sessions`] that serve pages, and are
//! marked as simulated in the ledger, in their code and in their log. Time is theirs: nobody
//! waits for it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use api::{SessionStarted, StartRequest};
use domain::model::ModelFacts;
use domain::model::instance::{Instance, InstanceId};
use domain::questionnaire::AnswerCondition;
use domain::recruitment::assignment::Purpose;
use domain::session::Phase;
use domain::session::event::Envelope;
use domain::simulate::{Mixture, Sight, SimulatedParticipant, SimulatedPerson};
use domain::study::inclusion::{InclusionRule, is_included};
use domain::verify::Evidence;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha20Rng;
use sha2::{Digest as _, Sha256};

use crate::catalogue::{Catalogue, StudyEntry};
use crate::secrets::hex;
use crate::sessions::{SessionError, Sessions};
use crate::storage::{Storage, StoredSession};
use crate::system::{Clock, NoRandomness, Randomness, System};
use crate::zoo::Models;

/// How many people are under way at once: they share the cores, and the cells that are open when
/// they start. Always the same, so that a seed gives the same sessions on every machine.
const AT_ONCE: usize = 8;

/// Time from one arrival to the next.
const ARRIVALS_MS: u64 = 60_000;

/// After so long every lease has expired.
const LONG_MS: u64 = 7 * 24 * 60 * 60 * 1_000;

/// How many people take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attendance {
    /// So many arrive.
    Arrive(usize),
    /// They arrive until every cell is full.
    FillEveryCell,
}

/// Who is simulated.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// How many.
    pub people: Attendance,
    /// What strategies they follow.
    pub mixture: Mixture,
    /// The same seed gives the same sessions.
    pub seed: u64,
    /// When the first of them arrives, in milliseconds since 1970.
    pub first_unix_ms: u64,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Simulated {
    /// Sessions that were started.
    pub started: usize,
    /// Of these, sessions that are complete.
    pub complete: usize,
    /// Of these, sessions that meet the study's inclusion rules.
    pub included: usize,
    /// How many followed which strategy, by its name.
    pub strategies: BTreeMap<&'static str, usize>,
    /// Events in all logs.
    pub events: u64,
    /// Whether somebody was turned away since every cell was full.
    pub full: bool,
}

/// Why people could not be simulated.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// A session failed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] crate::storage::StorageError),
    /// The simulation broke down: a fault of the program.
    #[error("the simulation broke down: {0}")]
    Broken(#[from] tokio::task::JoinError),
    /// The same people are there already.
    #[error(
        "simulated people with seed {seed} have taken '{study}' in this database already; choose another --seed"
    )]
    There {
        /// The study.
        study: String,
        /// The seed.
        seed: u64,
    },
    /// Cells without a cap are never full.
    #[error(
        "'{0}' has cells without a cap, which are never full; say how many people are to arrive"
    )]
    NoCaps(String),
}

/// Lets simulated people take a study. `on_person` is called whenever one of them has come to an end.
///
/// # Errors
/// When these people are there already, the study cannot be drawn, or the database fails.
pub async fn simulate(
    storage: Arc<dyn Storage>,
    models: Arc<Models>,
    entry: &StudyEntry,
    simulation: &Simulation,
    on_person: &(dyn Fn() + Sync),
) -> Result<Simulated, SimulationError> {
    let study = &entry.study;
    if simulation.people == Attendance::FillEveryCell && !has_caps(entry) {
        return Err(SimulationError::NoCaps(study.id.clone()));
    }
    let (codes, seed) = (their_codes(simulation.seed), simulation.seed);
    let ledger = storage.study_snapshot(&study.id).await?.ledger().await?;
    if ledger.lines.iter().any(|line| {
        let code = line.participant_code.as_ref();
        line.purpose == Purpose::Simulated && code.is_some_and(|code| code.starts_with(&codes))
    }) {
        let study = study.id.clone();
        return Err(SimulationError::There { study, seed });
    }
    let clock = Arc::new(TheirClock(Mutex::new(simulation.first_unix_ms)));
    let system = System {
        clock: clock.clone(),
        randomness: Arc::new(TheirRandomness::new(&study.id, simulation.seed)),
    };
    let mut catalogue = Catalogue::default();
    catalogue.add(entry.clone());
    let sessions = Sessions::new(storage.clone(), models.clone(), Arc::new(catalogue), system);
    let world = World {
        storage,
        models,
        sessions,
        clock,
        entry: Arc::new(entry.clone()),
        simulation,
        on_person,
    };
    let mut found = Simulated::default();
    let mut arrives_unix_ms = simulation.first_unix_ms;
    let (mut number, mut turned_away) = (0, 0);
    loop {
        let mut under_way = Vec::new();
        let mut is_full = false;
        while under_way.len() < AT_ONCE && world.expects(number) {
            world.clock.set(arrives_unix_ms);
            match world.arrive(number + 1, arrives_unix_ms).await {
                Ok(person) => under_way.push(person),
                Err(SimulationError::Session(SessionError::NotAssigned(_))) => {
                    is_full = true;
                    break;
                }
                Err(error) => return Err(error),
            }
            number += 1;
            arrives_unix_ms += ARRIVALS_MS;
        }
        if under_way.is_empty() {
            // Slots of those who never finished come back when their leases end.
            if is_full && turned_away == 0 {
                turned_away += 1;
                arrives_unix_ms += LONG_MS;
                continue;
            }
            found.full = is_full;
            break;
        }
        turned_away = 0;
        world.take_part(under_way, &mut found).await?;
    }
    Ok(found)
}

/// How the participant codes of the people of a seed begin.
fn their_codes(seed: u64) -> String {
    format!("simulated-{seed}-")
}

fn has_caps(entry: &StudyEntry) -> bool {
    let design = &entry.study.design;
    let cells = design.cells();
    cells
        .iter()
        .all(|cell| design.assignment.cap_of(&cell.name).is_some())
}

struct World<'a> {
    storage: Arc<dyn Storage>,
    models: Arc<Models>,
    sessions: Sessions,
    clock: Arc<TheirClock>,
    entry: Arc<StudyEntry>,
    simulation: &'a Simulation,
    on_person: &'a (dyn Fn() + Sync),
}

/// Somebody who has started.
struct UnderWay {
    started: SessionStarted,
    stored: StoredSession,
    person: SimulatedPerson,
    seed: u64,
    arrived_unix_ms: u64,
}

impl World<'_> {
    /// Whether another person is to come after so many.
    fn expects(&self, came: usize) -> bool {
        match self.simulation.people {
            Attendance::Arrive(people) => came < people,
            Attendance::FillEveryCell => true,
        }
    }

    async fn arrive(
        &self,
        number: usize,
        arrived_unix_ms: u64,
    ) -> Result<UnderWay, SimulationError> {
        let seed = self.simulation.seed;
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        rng.set_stream(number as u64);
        let strategy = self.simulation.mixture.draw(&mut rng);
        let attempt = format!("{} {seed} {number}", self.entry.study.id);
        let request = StartRequest {
            attempt: hex(&Sha256::digest(attempt)),
            participant_code: Some(format!("{}{number}-{}", their_codes(seed), strategy.name())),
            ..StartRequest::default()
        };
        let purpose = Purpose::Simulated;
        let started = self.sessions.start(&self.entry, request, purpose).await?;
        let session = &started.plan.session;
        let stored = self.storage.session(session).await?;
        let stored = stored.ok_or(SessionError::NotFound)?;
        let sight = self.sight(&stored).await?;
        let person =
            SimulatedPerson::draw(strategy, sight, attention_checks(&self.entry), &mut rng);
        Ok(UnderWay {
            started,
            stored,
            person,
            seed: rng.random(),
            arrived_unix_ms,
        })
    }

    /// What somebody sees in their session.
    async fn sight(&self, stored: &StoredSession) -> Result<Sight, SimulationError> {
        let mut instances = BTreeMap::new();
        for stage in &stored.plan.stages {
            for question in 0..stage.task.question_count() {
                let Some(id) = stage.task.instance(question) else {
                    continue;
                };
                if let Some(bytes) = self.storage.instance(&id.0).await?
                    && let Ok(Instance(values)) = Instance::from_bytes(&bytes)
                {
                    instances.insert(id.clone(), values);
                }
            }
        }
        let models = self.models.clone();
        Ok(Arc::new(InstalledEvidence { models, instances }))
    }

    /// Lets people who have started come to the end: they think at once, and are logged in their
    /// order.
    async fn take_part(
        &self,
        people: Vec<UnderWay>,
        found: &mut Simulated,
    ) -> Result<(), SimulationError> {
        let think = |person: &UnderWay| {
            let (plan, keys) = (person.stored.plan.clone(), person.stored.keys.clone());
            let (who, seed) = (person.person.clone(), person.seed);
            tokio::task::spawn_blocking(move || {
                let mut participant = SimulatedParticipant::person(plan, keys, who, seed);
                let log: Vec<Envelope> = participant.by_ref().collect();
                (log, participant.session().clone())
            })
        };
        let thinking: Vec<_> = people.iter().map(think).collect();
        for (person, thinking) in people.iter().zip(thinking) {
            let (log, session) = thinking.await?;
            self.send(person, &log).await?;
            found.started += 1;
            found.events += log.len() as u64;
            let strategy = person.person.strategy;
            *found.strategies.entry(strategy.name()).or_default() += 1;
            found.complete += usize::from(session.phase() == Phase::Complete);
            let included = is_included(&self.entry.study.inclusion, &session);
            found.included += usize::from(included == Some(true));
            (self.on_person)();
        }
        Ok(())
    }

    /// Sends a log as its page would have, at the times of the page.
    async fn send(&self, person: &UnderWay, log: &[Envelope]) -> Result<(), SimulationError> {
        let set_clock = |at_ms| self.clock.set(person.arrived_unix_ms + at_ms);
        let (stored, token) = (&person.stored, &person.started.token);
        let sent = self.sessions.send_as_page(stored, token, log, set_clock);
        Ok(sent.await?)
    }
}

/// What the study's attention checks want to be answered.
#[must_use]
pub fn attention_checks(entry: &StudyEntry) -> Vec<AnswerCondition> {
    let rules = entry.study.inclusion.iter();
    rules
        .filter_map(|rule| match rule {
            InclusionRule::AttentionCheck { answer } => Some(answer.clone()),
            _ => None,
        })
        .collect()
}

/// The installed models, and pictures.
pub struct InstalledEvidence {
    /// The models.
    pub models: Arc<Models>,
    /// The pictures, by name.
    pub instances: BTreeMap<InstanceId, Vec<f32>>,
}

impl Evidence for InstalledEvidence {
    fn decode(&self, model: &ModelFacts, z: &[f64]) -> Option<Vec<f32>> {
        self.models.get(&model.name)?.decoder().decode(z).ok()
    }

    fn instance(&self, id: &InstanceId) -> Option<Vec<f32>> {
        self.instances.get(id).cloned()
    }
}

/// A clock that is set.
struct TheirClock(Mutex<u64>);

impl TheirClock {
    fn set(&self, now_unix_ms: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now_unix_ms;
    }
}

impl Clock for TheirClock {
    fn now_unix_ms(&self) -> u64 {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Randomness that anybody can repeat: good for people whom nobody has to be protected from.
struct TheirRandomness(Mutex<ChaCha20Rng>);

impl TheirRandomness {
    fn new(study: &str, seed: u64) -> Self {
        let digest = Sha256::digest(format!("simulated {study} {seed}"));
        Self(Mutex::new(ChaCha20Rng::from_seed(digest.into())))
    }
}

impl Randomness for TheirRandomness {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rng.fill_bytes(bytes);
        Ok(())
    }
}
