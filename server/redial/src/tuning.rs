//! Simulated people try the models of a study, while the terminal says how far they are.

use std::sync::Arc;

use server::catalogue::StudyEntry;
use server::tuning::{TunedStudy, TuningError, TuningRequest, tuned_study};
use server::zoo::Models;

use crate::progress::Progress;

/// Lets simulated people try the models of a study, on all cores.
///
/// # Errors
/// When it asks for no reconstruction, or a number makes no sense.
pub fn tuned(
    entry: &StudyEntry,
    models: &Arc<Models>,
    request: &TuningRequest,
) -> Result<TunedStudy, TuningError> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let progress = Progress::counting("questions", Some(0));
    let found = tuned_study(entry, models, request, threads, &|done, of| {
        progress.tell(done, of);
    });
    drop(progress);
    found
}
