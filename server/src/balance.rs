//! `redial study simulate-assignment`: what balance a design gives when people drop out.

use api::research::StudyBalance;
use domain::recruitment::assignment::{AssignmentSimulation, simulate};

use crate::catalogue::StudyEntry;

/// Minutes that a study takes if it does not say.
const MINUTES: f64 = 20.0;

/// The settings of a simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BalanceRequest {
    /// Number of people who press Start.
    pub arrivals: u32,
    /// Share of them who never finish, from 0 to 1.
    pub dropout: f64,
    /// How many are under way at once, on average; at least 1.
    pub at_once: u32,
    /// Minutes that the study takes; absent: as its consent form says.
    pub minutes: Option<f64>,
    /// The same seed gives the same arrivals, outcomes and cells.
    pub seed: u64,
}

/// Why nothing can be simulated.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum BalanceError {
    /// A share is none.
    #[error("the share of those who drop out is from 0 to 1, not {0}")]
    Dropout(f64),
    /// Nobody is under way.
    #[error("at least 1 person is under way at once")]
    NobodyAtOnce,
    /// A time is none.
    #[error("the study takes more than 0 minutes, not {0}")]
    Minutes(f64),
}

/// Simulates how people are put into a study's cells.
///
/// # Errors
/// When a number makes no sense.
pub fn balance_of_study(
    entry: &StudyEntry,
    request: &BalanceRequest,
) -> Result<StudyBalance, BalanceError> {
    let study = &entry.study;
    if !(0.0..=1.0).contains(&request.dropout) {
        return Err(BalanceError::Dropout(request.dropout));
    }
    if request.at_once == 0 {
        return Err(BalanceError::NobodyAtOnce);
    }
    let told = study.consent().map(|it| f64::from(it.duration_minutes));
    let minutes = request.minutes.or(told).unwrap_or(MINUTES);
    if !(minutes.is_finite() && minutes > 0.0) {
        return Err(BalanceError::Minutes(minutes));
    }
    let simulation = AssignmentSimulation {
        arrivals: request.arrivals,
        dropout: request.dropout,
        at_once: request.at_once,
        minutes,
        seed: request.seed,
    };
    Ok(StudyBalance {
        study_sha256: entry.sha256.clone(),
        balance: simulate(&study.design, study.rows(), &simulation),
        simulation,
    })
}
