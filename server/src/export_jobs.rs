//! Exports that are made for the researcher's area: jobs, whose files are kept for a day.
//!
//! A job is [`crate::export::export_watched`], as `redial export` calls it, and then a ZIP archive of the folder. A file is
//! whole or absent. It lies in the folder `DATABASE-export-files` beside a record of what it is, so that a
//! restart keeps it; a job that was under way when the server stopped is gone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use api::research::{EXPORT_HOURS, ExportInfo, ExportReady, ExportState, NewExport};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::export::server_address;
use crate::secrets::{hex, random};
use crate::storage::{Storage, with_suffix};
use crate::system::{NoRandomness, System};

mod kept;
mod make;
mod request;

pub use request::selection;

/// Exports that are made at a time; others wait.
const AT_ONCE: usize = 3;
/// Exports of a study that are kept or under way at most.
const MOST_OF_STUDY: usize = 20;
const HOUR_MS: u64 = 3_600_000;
/// How often it is looked for those whose time is over.
const SWEEP_EVERY: Duration = Duration::from_secs(600);

/// Why there is no such export, or none is begun.
#[derive(Debug, thiserror::Error)]
pub enum ExportJobError {
    /// The request makes no sense.
    #[error("{0}")]
    Request(String),
    /// The study has too many already.
    #[error("there are {MOST_OF_STUDY} exports of this study already; remove one first")]
    TooMany,
    /// It is waiting or being made.
    #[error("it is being made: {done} of {of} sessions are written; ask again in a moment")]
    NotReady {
        /// Sessions that are done.
        done: u64,
        /// Sessions that were looked at when it began; 0 before that.
        of: u64,
    },
    /// It cannot be made; why, in a sentence.
    #[error("it was not made: {0}")]
    Failed(String),
    /// There is no such export, or no longer.
    #[error("there is no such export; one is kept for {EXPORT_HOURS} hours")]
    NotFound,
    /// There is no name for it.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    /// The server has no place for files.
    #[error("this server keeps no exports; use the command `redial export`")]
    NoPlace,
}

struct Job {
    info: ExportInfo,
    stop: CancellationToken,
}

/// Where files go.
struct Place {
    database: PathBuf,
    folder: PathBuf,
}

impl Place {
    fn file(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.zip"))
    }

    fn record(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    /// Where the job works; gone when it has ended.
    fn work(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.unfinished"))
    }
}

/// The exports that are kept or under way.
pub struct ExportJobs {
    place: Option<Place>,
    storage: Arc<dyn Storage>,
    system: System,
    at_once: Semaphore,
    stopping: CancellationToken,
    jobs: Mutex<BTreeMap<String, Job>>,
}

impl ExportJobs {
    /// None, and no place for any.
    #[must_use]
    pub fn nowhere(storage: Arc<dyn Storage>, system: System, stopping: CancellationToken) -> Self {
        Self {
            place: None,
            storage,
            system,
            at_once: Semaphore::new(AT_ONCE),
            stopping,
            jobs: Mutex::default(),
        }
    }

    /// The same, with those whose files are kept beside a database.
    ///
    /// # Errors
    /// When the folder is there and cannot be read.
    pub fn beside(self, database: &Path) -> std::io::Result<Self> {
        let folder = with_suffix(database, "-export-files");
        let infos = kept::open(&folder)?;
        let job = |info: ExportInfo| {
            let stop = self.stopping.child_token();
            (info.id.clone(), Job { info, stop })
        };
        Ok(Self {
            jobs: Mutex::new(infos.into_iter().map(job).collect()),
            place: Some(Place {
                database: database.to_owned(),
                folder,
            }),
            ..self
        })
    }

    fn jobs(&self) -> MutexGuard<'_, BTreeMap<String, Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        self.system.clock.now_unix_ms()
    }

    /// Begins an export, or puts it behind those that wait.
    ///
    /// # Errors
    /// When the request makes no sense, or there are too many.
    pub fn begin(
        self: &Arc<Self>,
        study: &str,
        mut request: NewExport,
        by: Option<String>,
    ) -> Result<ExportInfo, ExportJobError> {
        self.sweep();
        self.place.as_ref().ok_or(ExportJobError::NoPlace)?;
        selection(&request).map_err(ExportJobError::Request)?;
        let address = request.address.as_deref().map(server_address);
        request.address = address.transpose().map_err(ExportJobError::Request)?;
        let id = hex(&random::<8>(&*self.system.randomness)?);
        let info = ExportInfo {
            id: id.clone(),
            study: study.to_owned(),
            state: ExportState::Waiting,
            by,
            request,
            asked_at_unix_ms: self.now(),
            sessions_done: 0,
            sessions_listed: 0,
            ready: None,
            problem: None,
        };
        {
            let mut jobs = self.jobs();
            let of_study = jobs.values().filter(|job| job.info.study == study);
            if of_study.count() >= MOST_OF_STUDY {
                return Err(ExportJobError::TooMany);
            }
            let stop = self.stopping.child_token();
            let job = Job {
                info: info.clone(),
                stop,
            };
            jobs.insert(id.clone(), job);
        }
        tokio::spawn(Arc::clone(self).make(id));
        Ok(info)
    }

    /// Those of a study, the newest first.
    #[must_use]
    pub fn of_study(&self, study: &str) -> Vec<ExportInfo> {
        self.sweep();
        let jobs = self.jobs();
        let infos = jobs.values().map(|job| &job.info);
        let mut infos: Vec<_> = infos.filter(|info| info.study == study).cloned().collect();
        infos.sort_by(|a, b| (b.asked_at_unix_ms, &b.id).cmp(&(a.asked_at_unix_ms, &a.id)));
        infos
    }

    /// One of a study.
    ///
    /// # Errors
    /// When there is none.
    pub fn info(&self, study: &str, id: &str) -> Result<ExportInfo, ExportJobError> {
        self.sweep();
        let jobs = self.jobs();
        let info = jobs.get(id).map(|job| &job.info);
        let info = info.filter(|info| info.study == study);
        info.cloned().ok_or(ExportJobError::NotFound)
    }

    /// The file of one that is ready.
    ///
    /// # Errors
    /// When there is none, or none yet.
    pub fn file(
        &self,
        study: &str,
        id: &str,
    ) -> Result<(ExportInfo, ExportReady, PathBuf), ExportJobError> {
        let info = self.info(study, id)?;
        let place = self.place.as_ref().ok_or(ExportJobError::NoPlace)?;
        let file = place.file(&info.id);
        match (info.ready.clone(), info.state) {
            (Some(ready), _) => Ok((info, ready, file)),
            (None, ExportState::Failed) => {
                Err(ExportJobError::Failed(info.problem.unwrap_or_default()))
            }
            (None, _) => Err(ExportJobError::NotReady {
                done: info.sessions_done,
                of: info.sessions_listed,
            }),
        }
    }

    /// Stops one, or no longer keeps it.
    ///
    /// # Errors
    /// When there is none.
    pub fn remove(&self, study: &str, id: &str) -> Result<(), ExportJobError> {
        self.info(study, id)?;
        self.forget(id);
        Ok(())
    }

    fn forget(&self, id: &str) {
        let job = self.jobs().remove(id);
        if let (Some(job), Some(place)) = (job, &self.place) {
            // A job that is under way removes what it has written when it sees that.
            job.stop.cancel();
            kept::remove(place, id);
        }
    }

    /// Removes those whose time is over.
    pub fn sweep(&self) {
        let now = self.now();
        let over = |info: &ExportInfo| match (&info.ready, info.state) {
            (Some(ready), _) => ready.kept_until_unix_ms <= now,
            (None, ExportState::Failed) => {
                info.asked_at_unix_ms.saturating_add(EXPORT_HOURS * HOUR_MS) <= now
            }
            _ => false,
        };
        let jobs = self.jobs();
        let over = jobs.values().filter(|job| over(&job.info));
        let over: Vec<String> = over.map(|job| job.info.id.clone()).collect();
        drop(jobs);
        for id in over {
            self.forget(&id);
        }
    }

    /// Removes those whose time is over, also where nobody asks for any, until the server stops.
    pub async fn keep_swept(self: Arc<Self>) {
        let sweeping = async {
            loop {
                self.sweep();
                tokio::time::sleep(SWEEP_EVERY).await;
            }
        };
        let _: Option<()> = self.stopping.run_until_cancelled(sweeping).await;
    }

    /// Changes what is known of a job; whether it is still wanted.
    fn change(&self, id: &str, change: impl FnOnce(&mut ExportInfo)) -> bool {
        let mut jobs = self.jobs();
        let Some(job) = jobs.get_mut(id) else {
            return false;
        };
        change(&mut job.info);
        !job.stop.is_cancelled()
    }
}
