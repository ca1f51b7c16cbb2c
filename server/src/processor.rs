//! Work that takes the processor for long enough to hold up others: it is done beside the threads that
//! serve requests, on as many cores as there are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinError;

use crate::limits::Origin;

/// Requests and messages with more bytes than this are such work.
pub(crate) const LARGE: usize = 16 * 1024;

/// The cores. A caller that waits for one gets it in turn, so that one that does one thing after
/// another waits for as many pieces of work as there are others, not for all that they have to do.
#[derive(Debug, Clone)]
pub struct Processor(Arc<Semaphore>);

impl Default for Processor {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self(Arc::new(Semaphore::new(cores)))
    }
}

impl Processor {
    /// One core alone, for work that nobody waits for.
    #[must_use]
    pub fn with_one_core() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }

    /// Does a piece of work.
    ///
    /// # Errors
    /// When it panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        // It is never closed; without a permit there would merely be more work at once.
        let permit = self.0.clone().acquire_owned().await.ok();
        tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        })
        .await
    }
}

/// How many things of a kind are done at once for one origin; others wait for their turn.
#[derive(Debug)]
pub struct Lanes {
    of_one: usize,
    lanes: Mutex<HashMap<Origin, Weak<Semaphore>>>,
}

/// A place in the lane of an origin; left when dropped.
#[derive(Debug)]
pub(crate) struct InLane {
    _lane: Arc<Semaphore>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Lanes {
    /// So many at once for each origin.
    #[must_use]
    pub fn new(of_one: usize) -> Arc<Self> {
        Arc::new(Self {
            of_one,
            lanes: Mutex::default(),
        })
    }

    /// Waits for a place.
    pub(crate) async fn enter(&self, origin: Origin) -> InLane {
        let lane = self.lane(origin);
        let permit = lane.clone().acquire_owned().await.ok();
        InLane {
            _lane: lane,
            _permit: permit,
        }
    }

    fn lane(&self, origin: Origin) -> Arc<Semaphore> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = lanes.get(&origin).and_then(Weak::upgrade) {
            return lane;
        }
        // Those that nobody is in any more.
        lanes.retain(|_, lane| lane.strong_count() > 0);
        let lane = Arc::new(Semaphore::new(self.of_one));
        lanes.insert(origin, Arc::downgrade(&lane));
        lane
    }
}
