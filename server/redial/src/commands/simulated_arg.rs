//! The option that takes simulated people.

use clap::Args;
use server::export::SessionSelection;

use crate::config::Config;

/// Whose sessions.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct SimulatedArg {
    /// Take the sessions of simulated people instead of those of people. All that comes out is
    /// marked
    #[arg(long, env = "REDIAL_SIMULATED")]
    pub simulated: bool,
}

impl SimulatedArg {
    /// Whose sessions are wanted.
    pub fn whose(self, config: &Config) -> SessionSelection {
        if self.simulated || config.simulated {
            SessionSelection::Simulated
        } else {
            SessionSelection::People
        }
    }
}
