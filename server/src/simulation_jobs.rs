//! Simulated people who take a study because somebody in the researcher's area wants them to: [`simulate`], as
//! `redial simulate` calls it, beside the work of the server.
//!
//! One simulation runs at a time, on one core. Sessions it has written stay when it is stopped, marked as simulated.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use api::research::{
    MOST_SIMULATED, NewSimulation, SimulatedPeople, SimulationInfo, SimulationState,
};
use domain::simulate::Mixture;
use tokio_util::sync::CancellationToken;

use crate::catalogue::StudyEntry;
use crate::library::Library;
use crate::processor::Processor;
use crate::simulation::{Attendance, Simulated, Simulation, SimulationError, simulate};
use crate::storage::Storage;
use crate::system::System;

/// Why no simulation is begun.
#[derive(Debug, thiserror::Error)]
pub enum SimulationJobError {
    /// The request makes no sense.
    #[error("{0}")]
    Request(String),
    /// Another one is under way.
    #[error(
        "simulated people are taking '{0}' on this server; wait until they have finished, or stop them"
    )]
    Busy(String),
}

struct Job {
    info: SimulationInfo,
    done: Arc<AtomicU64>,
    stop: CancellationToken,
}

/// The simulations of a server.
pub struct SimulationJobs {
    storage: Arc<dyn Storage>,
    library: Arc<Library>,
    system: System,
    processor: Processor,
    stopping: CancellationToken,
    /// The last of each study.
    jobs: Mutex<BTreeMap<String, Job>>,
}

impl SimulationJobs {
    /// None is under way; they end when `stopping` is cancelled.
    #[must_use]
    pub fn new(
        storage: Arc<dyn Storage>,
        library: Arc<Library>,
        system: System,
        stopping: CancellationToken,
    ) -> Self {
        Self {
            storage,
            library,
            system,
            processor: Processor::with_one_core(),
            stopping,
            jobs: Mutex::default(),
        }
    }

    /// The last simulation of a study since the server started; nothing if there was none.
    #[must_use]
    pub fn of_study(&self, study: &str) -> Option<SimulationInfo> {
        let jobs = self.jobs();
        jobs.get(study).map(|job| SimulationInfo {
            people_done: job.done.load(Ordering::Relaxed),
            ..job.info.clone()
        })
    }

    /// Whether one could begin now, and what is simulated.
    ///
    /// # Errors
    /// When another is under way, or the request makes no sense.
    pub fn check(&self, request: &NewSimulation) -> Result<Simulation, SimulationJobError> {
        let refused = SimulationJobError::Request;
        let mixture = if request.strategy.trim().is_empty() {
            Ok(Mixture::default())
        } else {
            request.strategy.parse::<Mixture>()
        };
        let mixture = mixture.map_err(|error| refused(error.to_string()))?;
        let people = match request.participants {
            None => Attendance::FillEveryCell,
            Some(people @ 1..=MOST_SIMULATED) => Attendance::Arrive(people as usize),
            Some(people) => {
                return Err(refused(format!(
                    "1 to {MOST_SIMULATED} people are simulated at once, not {people}; `redial simulate` takes more"
                )));
            }
        };
        busy(&self.jobs())?;
        let now_unix_ms = self.system.clock.now_unix_ms();
        Ok(Simulation {
            processor: self.processor.clone(),
            ..Simulation::that_is_over(people, mixture, request.seed, now_unix_ms)
        })
    }

    /// Begins one that was checked.
    ///
    /// # Errors
    /// When another has begun meanwhile.
    pub fn begin(
        self: &Arc<Self>,
        entry: Arc<StudyEntry>,
        request: NewSimulation,
        simulation: Simulation,
    ) -> Result<SimulationInfo, SimulationJobError> {
        let study = entry.study.id.clone();
        let info = SimulationInfo {
            state: SimulationState::Running,
            request,
            began_at_unix_ms: self.system.clock.now_unix_ms(),
            people_done: 0,
            found: None,
            problem: None,
        };
        let (done, stop) = (Arc::new(AtomicU64::new(0)), self.stopping.child_token());
        {
            let mut jobs = self.jobs();
            busy(&jobs)?;
            let job = Job {
                info: info.clone(),
                done: done.clone(),
                stop: stop.clone(),
            };
            jobs.insert(study.clone(), job);
        }
        let (storage, models) = (self.storage.clone(), self.library.models());
        let running = tokio::spawn(async move {
            let on_person = || {
                done.fetch_add(1, Ordering::Relaxed);
            };
            let running = simulate(storage, models, &entry, &simulation, &on_person);
            stop.run_until_cancelled(running).await
        });
        let all = self.clone();
        tokio::spawn(async move {
            // One that breaks down must not look as if it went on.
            let found = running.await;
            let found = found.unwrap_or_else(|panic| Some(Err(SimulationError::Broken(panic))));
            let (state, found, problem) = match found {
                Some(Ok(found)) => (SimulationState::Done, Some(in_numbers(&found)), None),
                Some(Err(error)) => (SimulationState::Failed, None, Some(error.to_string())),
                None => (SimulationState::Stopped, None, None),
            };
            if let Some(job) = all.jobs().get_mut(&study) {
                job.info = SimulationInfo {
                    state,
                    found,
                    problem,
                    ..job.info.clone()
                };
            }
        });
        Ok(info)
    }

    /// Stops the one of a study that is under way; whether there is one. Those who have come to their end stay.
    #[must_use]
    pub fn stop(&self, study: &str) -> bool {
        let jobs = self.jobs();
        let running = jobs
            .get(study)
            .filter(|job| job.info.state == SimulationState::Running);
        running.inspect(|job| job.stop.cancel()).is_some()
    }

    fn jobs(&self) -> MutexGuard<'_, BTreeMap<String, Job>> {
        // Nothing done under this lock can leave it half done.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn busy(jobs: &BTreeMap<String, Job>) -> Result<(), SimulationJobError> {
    let running = |(_, job): &(&String, &Job)| job.info.state == SimulationState::Running;
    match jobs.iter().find(running) {
        Some((study, _)) => Err(SimulationJobError::Busy(study.clone())),
        None => Ok(()),
    }
}

fn in_numbers(found: &Simulated) -> SimulatedPeople {
    let strategies = found.strategies.iter();
    SimulatedPeople {
        started: found.started as u64,
        complete: found.complete as u64,
        included: found.included as u64,
        strategies: strategies
            .map(|(name, number)| ((*name).to_owned(), *number as u64))
            .collect(),
        events: found.events,
        full: found.full,
    }
}
