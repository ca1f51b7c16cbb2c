//! Inputs at the dials, on their way to their pictures: which of them are decoded when, which
//! picture is shown when, and in which order what was measured goes into the log.
//!
//! Only the newest input is worth a picture, and one before it only where the path turned: that one
//! is measured too, so that no distance is lost ([`recorder`](super::recorder)). The newest is
//! decoded first. Turns that nobody sees wait until there is time, and are observed in their order
//! all the same: what follows a turn is not logged before it.

use std::collections::VecDeque;

use super::recorder::DialInput;
use super::{Direction, Jump, Movement};

/// One thing that was done to the dials.
#[derive(Debug, Clone, PartialEq)]
pub enum DialChange {
    /// A dial was moved.
    Input(DialInput),
    /// A button moved them.
    Jump(Jump, Movement),
}

impl DialChange {
    /// Where the dials stand after it.
    #[must_use]
    pub fn z(&self) -> &[f64] {
        match self {
            Self::Input(input) => &input.z,
            Self::Jump(_, movement) => &movement.z,
        }
    }

    /// When it was made, in milliseconds since the question started.
    #[must_use]
    pub fn elapsed_ms(&self) -> u64 {
        match self {
            Self::Input(input) => input.elapsed_ms,
            Self::Jump(_, movement) => movement.elapsed_ms,
        }
    }
}

/// A number for each change, in their order.
pub type Ticket = u64;

#[derive(Debug, Clone)]
struct Step<M> {
    ticket: Ticket,
    change: DialChange,
    /// The direction of the change; a change that another one may take the place of has one.
    direction: Option<Direction>,
    measured: Option<M>,
}

/// The changes that are not observed yet, oldest first. `M` is what is measured of each picture.
#[derive(Debug, Clone)]
pub struct PendingChanges<M> {
    steps: VecDeque<Step<M>>,
    next_ticket: Ticket,
    /// Being decoded elsewhere.
    under_way: Option<Ticket>,
    /// Its picture is there and is to be shown.
    ready: Option<Ticket>,
    /// Its picture is on screen.
    shown: Option<Ticket>,
    /// No picture is shown sooner after its change, in milliseconds.
    minimum_latency_ms: u64,
}

impl<M: Clone> PendingChanges<M> {
    /// No changes.
    #[must_use]
    pub fn new(minimum_latency_ms: u64) -> Self {
        Self {
            steps: VecDeque::new(),
            next_ticket: 0,
            under_way: None,
            ready: None,
            shown: None,
            minimum_latency_ms,
        }
    }

    /// A dial was moved from `previous`. The input before takes no part any more if nobody decodes
    /// it yet and the path did not turn there; of a discrete dimension every input counts.
    pub fn moved(&mut self, input: DialInput, previous: f64, discrete: bool) {
        let value = input.z.get(input.dimension).copied().unwrap_or(previous);
        let Some(direction) = Direction::of(value - previous) else {
            return;
        };
        let under_way = self.under_way;
        let goes_on = |last: &mut Step<M>| {
            let same_dial = matches!(&last.change, DialChange::Input(before) if before.dimension == input.dimension);
            same_dial
                && !discrete
                && last.direction == Some(direction)
                && last.measured.is_none()
                && under_way != Some(last.ticket)
        };
        self.steps.pop_back_if(goes_on);
        self.push(DialChange::Input(input), Some(direction));
    }

    /// A button moved the dials.
    pub fn jumped(&mut self, jump: Jump, movement: Movement) {
        self.push(DialChange::Jump(jump, movement), None);
    }

    fn push(&mut self, change: DialChange, direction: Option<Direction>) {
        self.steps.push_back(Step {
            ticket: self.next_ticket,
            change,
            direction,
            measured: None,
        });
        self.next_ticket += 1;
    }

    /// The change to decode now, if any: the newest one, then turns from the oldest on. While a
    /// picture waits to be shown no other is made for the screen, as if decoding it took so long.
    pub fn take_next(&mut self) -> Option<(Ticket, Vec<f64>)> {
        if self.under_way.is_some() {
            return None;
        }
        let undecoded = |step: &&Step<M>| step.measured.is_none();
        let newest = self.steps.back().filter(undecoded);
        let next = match newest.filter(|_| self.ready.is_none()) {
            Some(newest) => newest,
            None => {
                let turns = self.steps.len() - usize::from(newest.is_some());
                self.steps.iter().take(turns).find(undecoded)?
            }
        };
        self.under_way = Some(next.ticket);
        Some((next.ticket, next.change.z().to_vec()))
    }

    /// Takes the measure of the picture under way; that of any other comes too late and is dropped. Whether
    /// that picture is to be shown.
    pub fn measured(&mut self, ticket: Ticket, measured: M) -> bool {
        let expected = self.under_way.take_if(|it| *it == ticket);
        let step = self
            .steps
            .iter_mut()
            .find(|step| Some(step.ticket) == expected);
        let Some(step) = step else {
            return false;
        };
        step.measured = Some(measured);
        // A turn behind a picture that is on screen, or about to be, is measured alone.
        let newer = |it: &Step<M>| it.ticket > ticket && it.measured.is_some();
        let wanted = self.ready.is_none() && !self.steps.iter().any(newer);
        if wanted {
            self.ready = Some(ticket);
        }
        wanted
    }

    /// A change is not decoded elsewhere after all: [`Self::take_next`] gives it again.
    pub fn lost(&mut self, ticket: Ticket) {
        self.under_way.take_if(|it| *it == ticket);
    }

    /// A change has no picture, and is as if it had not been made.
    pub fn forget(&mut self, ticket: Ticket) {
        self.lost(ticket);
        self.steps.retain(|step| step.ticket != ticket);
    }

    /// Whether a picture waits until it may be shown.
    #[must_use]
    pub fn holds_back(&self) -> bool {
        self.ready.is_some()
    }

    /// Whether the picture that waits is to be shown by now. It is, once this says so.
    pub fn show(&mut self, elapsed_ms: u64) -> bool {
        let ready = |step: &&Step<M>| Some(step.ticket) == self.ready;
        let due = |step: &Step<M>| {
            elapsed_ms
                >= step
                    .change
                    .elapsed_ms()
                    .saturating_add(self.minimum_latency_ms)
        };
        self.steps.iter().find(ready).is_some_and(due) && self.show_now()
    }

    /// The same, whatever the time.
    pub fn show_now(&mut self) -> bool {
        let ready = self.ready.take();
        self.shown = ready.or(self.shown);
        ready.is_some()
    }

    /// Everything is wanted at once: what is decoded elsewhere is decoded here, too.
    pub fn call_back(&mut self) {
        self.under_way = None;
    }

    /// The oldest change, once it is measured and its picture not held back; whether its picture is
    /// the one on screen.
    pub fn take_observed(&mut self) -> Option<(DialChange, M, bool)> {
        let held = self.ready;
        let observed = |step: &mut Step<M>| step.measured.is_some() && held != Some(step.ticket);
        let step = self.steps.pop_front_if(observed)?;
        Some((step.change, step.measured?, Some(step.ticket) == self.shown))
    }

    /// Whether the change of the picture on screen is not observed yet.
    #[must_use]
    pub fn owes_shown(&self) -> bool {
        self.steps
            .iter()
            .any(|step| Some(step.ticket) == self.shown)
    }

    /// Changes after the picture on screen do not count.
    pub fn stop_at_shown(&mut self) {
        let shown = self.shown;
        self.steps.retain(|step| Some(step.ticket) <= shown);
        self.under_way = None;
        self.ready = None;
    }

    /// Nothing of it counts any more.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.under_way = None;
        self.ready = None;
    }
}

#[cfg(test)]
#[path = "pending_changes/tests.rs"]
mod tests;
