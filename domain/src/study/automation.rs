//! Signs that a script or an agent took part, and not a person: signals with thresholds. A flag is a
//! reason to look at a session. It rejects nobody and nothing.
//!
//! Target and decoder are in the participant's browser, so that a script can search for z by itself; and
//! language models pass most attention checks. The way that a hand moves is hard to fake all at once:
//! [`AutomationLog`] sums up the log, [`SIGNALS`] say what each number means and which way it is suspicious.
//! Keys, screen readers and voice control make no gestures and even intervals by nature: signals of the
//! pointer look at the pointer alone.

mod signals;

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use crate::movement::gesture::{Gesture, TextWriting};
use crate::movement::{Modality, Movement};
use crate::session::event::{Author, Envelope, Event};
use crate::task::{Outcome, QuestionRecord};

pub use signals::{AutomationMeasures, AutomationThresholds, SIGNALS, Signal, Suspicious, flags};

/// Most values of one kind that are kept for a median. Later ones are left out.
const MOST: usize = 10_000;

/// A gesture that is shorter or goes less far has too few samples to count them.
const LONG_ENOUGH_MS: u64 = 100;
const FAR_ENOUGH_PX: f64 = 20.0;

/// So long after a gesture its last movement can still be stored, and before it its first.
const BELONGS_MS: u64 = 400;

/// A movement is logged within a moment; so many gestures back it can belong to one.
const LAST_GESTURES: usize = 16;

/// Fewest intervals whose spread says something.
const FEWEST_INTERVALS: u64 = 20;

/// Fewest solved questions whose directness says something.
const FEWEST_SOLVED: usize = 5;

/// Takes in a participant's log, event by event, in bounded memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AutomationLog {
    /// Whether a page of the session logs gestures.
    recorded: bool,
    question_started_ms: Option<u64>,
    moved_in_question: bool,
    /// Where the dials stood last in the question.
    last_z: Option<Vec<f64>>,
    first_movements_ms: Vec<f64>,
    /// Times of movements with a pointer that no gesture has covered yet.
    uncovered: Vec<u64>,
    /// When movements belong to the question's last gestures: where a dial came to rest is often logged after the
    /// gesture that brought it there.
    covered: VecDeque<RangeInclusive<u64>>,
    pointer_movements: u64,
    gestures: u64,
    untrusted_gestures: u64,
    scripted: u64,
    movements: u64,
    sample_rates: Vec<f64>,
    peaks: Vec<f64>,
    sub_movements: u64,
    gestures_that_moved: u64,
    last_gesture_ms: Option<u64>,
    intervals: Spread,
    characters: u64,
    pasted: u64,
    text_inputs: u64,
    left_while_writing: u64,
}

/// Mean and variance of numbers as they come (Welford 1962).
#[derive(Debug, Clone, Default, PartialEq)]
struct Spread {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Spread {
    #[allow(clippy::cast_precision_loss)] // counts stay far below 2^52
    fn push(&mut self, value: f64) {
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (value - self.mean);
    }

    /// Standard deviation (n − 1) over the mean; none for too few values or a mean of 0.
    #[allow(clippy::cast_precision_loss)]
    fn variation(&self) -> Option<f64> {
        let enough = self.count >= FEWEST_INTERVALS && self.mean > 0.0;
        enough.then(|| (self.squares / (self.count - 1) as f64).sqrt() / self.mean)
    }
}

impl AutomationLog {
    /// Takes in the next event; those of the server and the experimenter say nothing.
    pub fn take(&mut self, envelope: &Envelope) {
        if envelope.author != Author::Participant {
            return;
        }
        match &envelope.event {
            Event::PageOpened { page } => self.recorded |= page.gestures,
            Event::QuestionStarted { .. } => {
                self.question_started_ms = Some(envelope.at_ms);
                self.moved_in_question = false;
                self.last_gesture_ms = None;
                self.last_z = None;
                self.covered.clear();
            }
            Event::GestureMade(gesture) => self.gesture(gesture),
            Event::TextWritten(writing) => self.text(writing),
            Event::ScriptedInput { events } => self.scripted += u64::from(*events),
            Event::Task(event) => {
                if let Some(movement) = event.movement() {
                    self.movement(movement);
                }
            }
            _ => {}
        }
    }

    fn movement(&mut self, movement: &Movement) {
        let before = self.last_z.replace(movement.z.clone());
        // The state at the end of a question is logged once more, although nothing moved.
        if movement.dimension.is_none() || before.as_ref() == Some(&movement.z) {
            return;
        }
        self.movements += 1;
        if !self.moved_in_question {
            self.moved_in_question = true;
            #[allow(clippy::cast_precision_loss)]
            keep(&mut self.first_movements_ms, movement.elapsed_ms as f64);
        }
        if matches!(
            movement.by,
            Some(Modality::Mouse | Modality::Touch | Modality::Pen)
        ) {
            self.pointer_movements += 1;
            let started_ms = self.question_started_ms.unwrap_or_default();
            let at_ms = started_ms.saturating_add(movement.elapsed_ms);
            let is_covered = self.covered.iter().any(|during| during.contains(&at_ms));
            // Full: what is left out counts as uncovered, as it would for a pointer without gestures.
            if !is_covered && self.uncovered.len() < MOST {
                self.uncovered.push(at_ms);
            }
        }
    }

    #[allow(clippy::cast_precision_loss)]
    fn gesture(&mut self, gesture: &Gesture) {
        self.gestures += 1;
        self.untrusted_gestures += u64::from(!gesture.trusted);
        let from = gesture.started_ms.saturating_sub(BELONGS_MS);
        let ended_ms = gesture.started_ms.saturating_add(gesture.duration_ms);
        let during = from..=ended_ms.saturating_add(BELONGS_MS);
        self.uncovered.retain(|at| !during.contains(at));
        if self.covered.len() == LAST_GESTURES {
            self.covered.pop_front();
        }
        self.covered.push_back(during);
        if let Some(last_ms) = self.last_gesture_ms {
            let interval = gesture.started_ms.saturating_sub(last_ms);
            self.intervals.push(interval as f64);
        }
        self.last_gesture_ms = Some(gesture.started_ms);
        if gesture.sub_movements > 0 {
            self.gestures_that_moved += 1;
            self.sub_movements += u64::from(gesture.sub_movements);
            keep(&mut self.peaks, gesture.peak_px_per_s);
        }
        if gesture.duration_ms >= LONG_ENOUGH_MS && gesture.path_px >= FAR_ENOUGH_PX {
            let rate = f64::from(gesture.samples) * 1_000.0 / gesture.duration_ms as f64;
            keep(&mut self.sample_rates, rate);
        }
    }

    fn text(&mut self, writing: &TextWriting) {
        self.characters += u64::from(writing.characters);
        self.pasted += u64::from(writing.pasted.min(writing.characters));
        self.text_inputs += u64::from(writing.inputs);
        self.scripted += u64::from(writing.untrusted);
        self.left_while_writing += u64::from(writing.left_page);
    }

    /// The measures of the log, with the records of the questions that ended, measured with their keys.
    #[must_use]
    pub fn measures(&self, ended: &[QuestionRecord]) -> AutomationMeasures {
        let scripted = self.scripted + self.untrusted_gestures;
        // A script's changes of controls are movements, too.
        let inputs = (self.movements + self.gestures + self.text_inputs).max(scripted);
        let typed = self.characters.saturating_sub(self.pasted);
        AutomationMeasures {
            scripted_share: share(scripted, inputs).filter(|_| self.recorded),
            uncovered_share: share(self.uncovered.len() as u64, self.pointer_movements)
                .filter(|_| self.recorded),
            samples_per_second: median(&self.sample_rates),
            first_movement_ms: median(&self.first_movements_ms),
            interval_variation: self.intervals.variation(),
            direct_share: direct_share(ended),
            pasted_share: share(self.pasted, self.characters),
            inputs_per_character: share(self.text_inputs, typed),
            gestures: self.gestures,
            sub_movements: share(self.sub_movements, self.gestures_that_moved),
            peak_px_per_s: median(&self.peaks),
            left_while_writing: self.left_while_writing,
        }
    }
}

fn keep(values: &mut Vec<f64>, value: f64) {
    if values.len() < MOST {
        values.push(value);
    }
}

#[allow(clippy::cast_precision_loss)] // counts stay far below 2^52
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get((sorted.len() - 1) / 2)?;
    Some(f64::midpoint(lower, upper))
}

/// See [`SIGNALS`].
fn direct_share(ended: &[QuestionRecord]) -> Option<f64> {
    let direct: Vec<bool> = ended.iter().filter_map(is_direct).collect();
    if direct.len() < FEWEST_SOLVED {
        return None;
    }
    let so_many = direct.iter().filter(|it| **it).count();
    share(so_many as u64, direct.len() as u64)
}

/// Whether a solved question was solved directly; `None` for others.
fn is_direct(record: &QuestionRecord) -> Option<bool> {
    let counts = !record.practice && record.outcome == Some(Outcome::Solved);
    record.measures.is_direct().filter(|_| counts)
}

#[cfg(test)]
mod tests;
