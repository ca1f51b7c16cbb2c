//! A participant without a browser: the domain's simulated one, held to a clock.

use anyhow::{Result, ensure};
use domain::session::Phase;
use domain::session::event::Envelope;
use domain::session::plan::SessionPlan;
use domain::simulate::SimulatedParticipant;

pub mod run;
pub mod stream;

/// Someone who does something every tenth of a second and leaves a question after a fixed
/// number of moves.
pub struct SimulatedClient {
    simulated: SimulatedParticipant,
    log: Vec<Envelope>,
    /// What comes after the log, not due yet; none after the end.
    next: Option<Envelope>,
}

impl SimulatedClient {
    /// A participant at the beginning of a session.
    #[must_use]
    pub fn new(plan: SessionPlan, moves_per_question: usize) -> Self {
        let mut simulated = SimulatedParticipant::new(plan, 1, moves_per_question);
        Self {
            next: simulated.next(),
            simulated,
            log: Vec::new(),
        }
    }

    /// All events so far.
    #[must_use]
    pub fn log(&self) -> &[Envelope] {
        &self.log
    }

    /// Whether everything asked has been answered.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.next.is_none()
    }

    /// Does everything that is due by now, in milliseconds of the session. After the end
    /// nothing happens.
    ///
    /// # Errors
    /// When the log ends before the session does: a mistake of the simulation.
    pub fn step(&mut self, now_ms: u64) -> Result<()> {
        while let Some(event) = self.next.take_if(|event| event.at_ms <= now_ms) {
            self.log.push(event);
            self.next = self.simulated.next();
        }
        let phase = self.simulated.session().phase();
        ensure!(
            self.next.is_some() || phase == Phase::Complete,
            "the simulated log ends in {phase:?}"
        );
        Ok(())
    }
}
