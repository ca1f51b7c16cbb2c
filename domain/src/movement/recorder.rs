//! Which of the many states a drag passes through are stored.
//!
//! The rule of Ross et al.: one snapshot every 100 ms while a value changes in
//! a constant direction, and one at once when the active dimension or the
//! direction changes, at the start and at the end of a question.
//!
//! DIFFERENCE from the paper: the last value *before* a reversal, before a
//! change of dimension and before a pause is stored too. A stored path thus
//! turns wherever the real one did, and slide distance computed from the log
//! equals the sum over every single input. Every selection in a discrete
//! dimension is stored, since each counts 1.

use super::{Direction, Jump, Modality, Movement};
use crate::model::latent::LatentSpace;

/// Longest time a moving value goes unstored.
pub const SNAPSHOT_INTERVAL_MS: u64 = 100;

/// A movement to be stored, with what was measured there.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedMovement<M> {
    /// Where the dials stand.
    pub movement: Movement,
    /// The measurement there: a comparison with the target, say.
    pub measured: M,
}

/// One change of one control.
#[derive(Debug, Clone, PartialEq)]
pub struct DialInput {
    /// Milliseconds since the question started.
    pub elapsed_ms: u64,
    /// The latent vector after the change.
    pub z: Vec<f64>,
    /// The dimension that changed.
    pub dimension: usize,
    /// The modality of the change, if that is known.
    pub by: Option<Modality>,
}

/// Decides which states of one question are stored. `M` is what is measured at each.
#[derive(Debug, Clone)]
pub struct Recorder<M> {
    discrete: Vec<bool>,
    stored: RecordedMovement<M>,
    /// Reached after `stored`, in the same dimension and direction, not stored yet.
    pending: Option<RecordedMovement<M>>,
}

impl<M: Clone> Recorder<M> {
    /// Starts a question at z; what is returned is the first to be stored.
    #[must_use]
    pub fn start(space: &LatentSpace, z: Vec<f64>, measured: M) -> (Self, RecordedMovement<M>) {
        let first = RecordedMovement {
            movement: Movement::start(z),
            measured,
        };
        (Self::resume(space, first.clone()), first)
    }

    /// Goes on after the last state that was stored, as after a reload.
    #[must_use]
    pub fn resume(space: &LatentSpace, last_stored: RecordedMovement<M>) -> Self {
        let discrete = space
            .dimensions()
            .iter()
            .map(crate::model::latent::Dimension::is_discrete)
            .collect();
        Self {
            discrete,
            stored: last_stored,
            pending: None,
        }
    }

    /// The latest state, stored or not.
    #[must_use]
    pub fn latest(&self) -> &RecordedMovement<M> {
        self.pending.as_ref().unwrap_or(&self.stored)
    }

    /// Takes in one change; returns what is to be stored now, oldest first.
    ///
    /// An input that leaves z as it was is nothing. Inputs must come in order of time.
    pub fn observe(&mut self, input: DialInput, measured: M) -> Vec<RecordedMovement<M>> {
        let DialInput {
            elapsed_ms,
            z,
            dimension,
            by,
        } = input;
        let latest = &self.latest().movement;
        let change = match (z.get(dimension), latest.z.get(dimension)) {
            (Some(new), Some(old)) => new - old,
            _ => return Vec::new(),
        };
        let Some(direction) = Direction::of(change) else {
            return Vec::new();
        };
        let turned = latest.dimension != Some(dimension) || latest.direction != Some(direction);
        let at_once = turned || self.discrete.get(dimension).copied().unwrap_or(false);
        let elapsed_ms = elapsed_ms.max(latest.elapsed_ms);
        let next = RecordedMovement {
            movement: Movement {
                elapsed_ms,
                z,
                dimension: Some(dimension),
                direction: Some(direction),
                jump: None,
                by,
            },
            measured,
        };

        let mut out = Vec::new();
        // After a pause, too, the value before it is what the error must be integrated over.
        let paused = self
            .pending
            .as_ref()
            .is_some_and(|p| elapsed_ms >= p.movement.elapsed_ms + SNAPSHOT_INTERVAL_MS);
        if at_once || paused {
            out.extend(self.flush());
        }
        if at_once || self.is_due(elapsed_ms) {
            self.pending = None;
            self.stored = next.clone();
            out.push(next);
        } else {
            self.pending = Some(next);
        }
        out
    }

    /// Takes in a button that moved the dials; returns what is to be stored now, oldest first.
    pub fn jumped(
        &mut self,
        jump: Jump,
        movement: Movement,
        measured: M,
    ) -> Vec<RecordedMovement<M>> {
        let mut out: Vec<RecordedMovement<M>> = self.flush().into_iter().collect();
        let next = RecordedMovement {
            movement: Movement {
                elapsed_ms: movement.elapsed_ms.max(self.stored.movement.elapsed_ms),
                dimension: None,
                direction: None,
                jump: Some(jump),
                ..movement
            },
            measured,
        };
        self.stored = next.clone();
        out.push(next);
        out
    }

    fn is_due(&self, elapsed_ms: u64) -> bool {
        elapsed_ms >= self.stored.movement.elapsed_ms + SNAPSHOT_INTERVAL_MS
    }

    /// Stores a value that has been waiting for [`SNAPSHOT_INTERVAL_MS`]; to be
    /// called a few times a second, so that a value at rest reaches the server.
    pub fn tick(&mut self, elapsed_ms: u64) -> Option<RecordedMovement<M>> {
        if self.is_due(elapsed_ms) {
            self.flush()
        } else {
            None
        }
    }

    /// Stores what is pending, whatever the time: when the page may go away.
    pub fn flush(&mut self) -> Option<RecordedMovement<M>> {
        let pending = self.pending.take()?;
        self.stored = pending.clone();
        Some(pending)
    }

    /// Ends the question: what is pending, then the state at the end.
    #[must_use]
    pub fn finish(mut self, elapsed_ms: u64) -> Vec<RecordedMovement<M>> {
        let mut out: Vec<RecordedMovement<M>> = self.flush().into_iter().collect();
        let mut last = self.stored;
        if elapsed_ms > last.movement.elapsed_ms {
            last.movement.elapsed_ms = elapsed_ms;
            // The button was pressed once, and not at the end.
            last.movement.jump = None;
            out.push(last);
        }
        out
    }
}

#[cfg(test)]
mod tests;
