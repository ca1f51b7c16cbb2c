//! Simulated people: sessions without a browser, in an ordinary database.
//!
//! They start, append and are told verdicts by the very [`Sessions`] that serve pages, and are
//! marked as simulated in the ledger, in their code and in their log. Time is theirs: nobody
//! waits for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::questionnaire::AnswerCondition;
use domain::recruitment::assignment::Purpose;
use domain::simulate::Mixture;
use domain::study::inclusion::InclusionRule;

use crate::catalogue::{Catalogue, StudyEntry};
use crate::library::{Collection, Library};
use crate::processor::Processor;
use crate::sessions::{SessionError, Sessions};
use crate::storage::Storage;
use crate::system::System;
use crate::zoo::Models;

mod evidence;
mod people;
mod system;

pub use evidence::InstalledEvidence;
use people::{RunningSimulation, their_codes};
use system::{SeededRandomness, SetClock};

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

/// The people who are simulated.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// How many.
    pub people: Attendance,
    /// The mixture of strategies that they follow.
    pub mixture: Mixture,
    /// The same seed gives the same sessions.
    pub seed: u64,
    /// When the first of them arrives, in milliseconds since 1970.
    pub first_unix_ms: u64,
    /// Where they think.
    pub processor: Processor,
}

/// Time that the sessions of one person take at most.
const SESSION_MS: u64 = 3 * 60 * 60 * 1_000;

/// Most people who are expected to arrive until every cell is full.
const MOST_ARRIVALS: u64 = 1_000;

impl Simulation {
    /// People who came in the past, so that nothing of a finished study lies in the future.
    #[must_use]
    pub fn that_is_over(people: Attendance, mixture: Mixture, seed: u64, now_unix_ms: u64) -> Self {
        let arrivals = match people {
            Attendance::Arrive(people) => people as u64,
            Attendance::FillEveryCell => MOST_ARRIVALS,
        };
        let before = SESSION_MS.saturating_add(arrivals.saturating_mul(ARRIVALS_MS));
        Self {
            people,
            mixture,
            seed,
            first_unix_ms: now_unix_ms.saturating_sub(before),
            processor: Processor::default(),
        }
    }
}

/// The result of a simulation.
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
    /// How long each of those took who came to the end, in milliseconds of their session's clock.
    pub took_ms: Vec<u64>,
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
        "simulated people with seed {seed} have taken '{study}' in this database already; choose another seed"
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
    let clock = Arc::new(SetClock::at(simulation.first_unix_ms));
    let system = System {
        clock: clock.clone(),
        randomness: Arc::new(SeededRandomness::new(&study.id, simulation.seed)),
    };
    let mut catalogue = Catalogue::default();
    catalogue.add(entry.clone());
    let library = Library::new(Collection {
        catalogue,
        models: models.clone(),
    });
    let sessions = Sessions::new(storage.clone(), Arc::new(library), system);
    let running = RunningSimulation {
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
        while under_way.len() < AT_ONCE && running.expects(number) {
            running.clock.set(arrives_unix_ms);
            match running.arrive(number + 1, arrives_unix_ms).await {
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
        running.take_part(under_way, &mut found).await?;
    }
    Ok(found)
}

fn has_caps(entry: &StudyEntry) -> bool {
    let design = &entry.study.design;
    let cells = design.cells();
    cells
        .iter()
        .all(|cell| design.assignment.cap_of(&cell.name).is_some())
}

/// The answers that the study's attention checks want.
#[must_use]
pub fn attention_checks(entry: &StudyEntry) -> Vec<AnswerCondition> {
    let rules = entry.study.inclusion.iter();
    let answers = rules.flat_map(InclusionRule::attentive_answers);
    answers.cloned().collect()
}
