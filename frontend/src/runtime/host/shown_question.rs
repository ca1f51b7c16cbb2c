//! The question on screen, and what a log says about it.

use domain::event::{Envelope, Event, QuestionRef};
use domain::model::Arrangement;

use crate::runtime::question::Question;
use crate::state::QuestionSignals;

/// The question on screen.
pub(super) struct ShownQuestion {
    pub at: QuestionRef,
    pub started_at_ms: u64,
    pub question: Question,
    pub signals: QuestionSignals,
}

/// What a log says about the question on screen, for a page that was reloaded.
#[derive(Debug, Clone, PartialEq)]
pub struct Restored {
    /// Latent vector of the last snapshot.
    pub z: Vec<f64>,
    /// The arrangement last chosen in this question.
    pub arrangement: Option<Arrangement>,
}

impl Restored {
    /// Reads it off a log; nothing if no question has begun.
    #[must_use]
    pub fn from_log(log: &[Envelope]) -> Option<Self> {
        let start = log
            .iter()
            .rposition(|e| matches!(e.event, Event::QuestionStarted { .. }))?;
        let question = || log[start..].iter().rev().map(|envelope| &envelope.event);
        let arrangement = question().find_map(|event| match event {
            Event::DisplaySwitched { arrangement } => Some(*arrangement),
            _ => None,
        });
        let z = question().find_map(|event| match event {
            Event::Snapshot(snapshot) => Some(snapshot.z.clone()),
            _ => None,
        });
        Some(Self { z: z?, arrangement })
    }
}
