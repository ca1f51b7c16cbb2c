//! A question on its way from the start to its end: what the log gets to know, and
//! when. No DOM and no clock: questions, practice and the tutorial all play this.

use std::sync::Arc;

use super::{Event, PictureComparison, Snapshot, Stop};
use crate::model::ModelFacts;
use crate::model::distance::{Alignment, reaches, squared_error};
use crate::movement::dials::{BackgroundDecoding, Dials, Measure};
use crate::movement::history::History;
use crate::movement::recorder::RecordedMovement;
use crate::movement::{Decode, Jump, Modality, Undecodable};

/// The question under way.
pub struct QuestionInPlay {
    dials: Dials<PictureComparison>,
    target: Arc<Vec<f32>>,
    stop: Stop,
}

/// The setup of a question: the same whether it starts, goes on or is looked at.
pub struct QuestionSetup {
    /// The model.
    pub model: Arc<ModelFacts>,
    /// x′, the picture to match.
    pub target: Arc<Vec<f32>>,
    /// The model's decoder.
    pub decode: Decode,
    /// The stop: the threshold or the participant ends the question.
    pub stop: Stop,
    /// No picture is shown sooner than so many milliseconds after its input.
    pub minimum_latency_ms: u64,
}

impl QuestionInPlay {
    /// A question that starts at z; the events are its first snapshot, and its end
    /// should the start already be close enough.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn start(asked: QuestionSetup, z: Vec<f64>) -> Result<(Self, Vec<Event>), Undecodable> {
        let (mut question, comparison) = Self::shown(asked, z)?;
        let first = question.dials.start(comparison);
        let mut events = vec![snapshot(first)];
        events.extend(question.end_if_reached(comparison, 0));
        Ok((question, events))
    }

    /// A question as its last stored snapshot left it; the history is that of all its snapshots.
    /// Events come out only if that snapshot had reached the target and the page went away
    /// before saying so.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn resume(
        asked: QuestionSetup,
        last: Snapshot,
        history: History,
        elapsed_ms: u64,
    ) -> Result<(Self, Vec<Event>), Undecodable> {
        let z = last.movement.z.clone();
        let (mut question, _) = Self::shown(asked, z)?;
        let comparison = PictureComparison {
            distance: last.distance,
            squared_error: last.squared_error,
        };
        question.dials.resume(last.movement, comparison, history);
        let events = question.end_if_reached(comparison, elapsed_ms);
        Ok((question, events))
    }

    /// A question that had been solved before the page was opened again: to look at only.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn solved(asked: QuestionSetup, z: Vec<f64>) -> Result<Self, Undecodable> {
        Ok(Self::shown(asked, z)?.0)
    }

    fn shown(asked: QuestionSetup, z: Vec<f64>) -> Result<(Self, PictureComparison), Undecodable> {
        let QuestionSetup {
            model,
            target,
            decode,
            stop,
            minimum_latency_ms,
        } = asked;
        let measure = comparing(model.clone(), target.clone());
        let (mut dials, comparison) = Dials::locked(model, decode, measure, z)?;
        dials.set_minimum_latency(minimum_latency_ms);
        let question = Self {
            dials,
            target,
            stop,
        };
        Ok((question, comparison))
    }

    /// The picture to match.
    #[must_use]
    pub fn target(&self) -> &Arc<Vec<f32>> {
        &self.target
    }

    /// Where the dials stand.
    #[must_use]
    pub fn z(&self) -> &[f64] {
        self.dials.z()
    }

    /// The picture on screen.
    #[must_use]
    pub fn picture(&self) -> &Arc<Vec<f32>> {
        self.dials.picture()
    }

    /// How near that picture is to the target, and whether that is near enough.
    #[must_use]
    pub fn alignment(&self) -> Alignment {
        let distance = self.dials.shown().map_or(f64::NAN, |shown| shown.distance);
        Alignment::at(distance, self.dials.model().threshold)
    }

    /// Whether the dials are locked.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.dials.is_locked()
    }

    /// Says what the inputs that follow are made with.
    pub fn moved_by(&mut self, by: Option<Modality>) {
        self.dials.moved_by(by);
    }

    /// A dial was moved. Its picture follows with [`frame`](Self::frame).
    pub fn input(&mut self, dimension: usize, value: f64, elapsed_ms: u64) {
        self.dials.input(dimension, value, elapsed_ms);
    }

    /// A frame is about to be drawn: see [`Dials::frame`].
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn frame(&mut self, elapsed_ms: u64) -> Result<Vec<Event>, Undecodable> {
        self.dials.frame(elapsed_ms)?;
        self.observe(elapsed_ms)
    }

    /// Whether a picture waits until it may be shown.
    #[must_use]
    pub fn holds_back(&self) -> bool {
        self.dials.holds_back()
    }

    /// The dials, for somebody else who decodes.
    pub fn dials(&mut self) -> &mut dyn BackgroundDecoding {
        &mut self.dials
    }

    /// Nothing that was moved is left undecoded or unseen.
    fn settle(&mut self, elapsed_ms: u64) -> Result<Vec<Event>, Undecodable> {
        self.dials.settle()?;
        self.observe(elapsed_ms)
    }

    /// Time has passed: stores a value at rest.
    pub fn tick(&mut self, elapsed_ms: u64) -> Option<Event> {
        self.dials.tick(elapsed_ms).map(snapshot)
    }

    /// The page may go away: decodes and stores whatever is pending.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn flush(&mut self, elapsed_ms: u64) -> Result<Vec<Event>, Undecodable> {
        let mut events = self.settle(elapsed_ms)?;
        events.extend(self.dials.flush().map(snapshot));
        Ok(events)
    }

    /// The participant gives up.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn skip(&mut self, elapsed_ms: u64) -> Result<Vec<Event>, Undecodable> {
        // The last move counts: it may even be the solution.
        let mut events = self.settle(elapsed_ms)?;
        events.extend(self.end(elapsed_ms, Event::Skipped));
        Ok(events)
    }

    /// The participant declares the question done, where that ends it.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn done(&mut self, elapsed_ms: u64) -> Result<Vec<Event>, Undecodable> {
        let mut events = self.settle(elapsed_ms)?;
        if self.stop == Stop::Declared {
            events.extend(self.end(elapsed_ms, Event::Done));
        }
        Ok(events)
    }

    /// The time is up: what was moved last still counts, then the dials lock. The question's end
    /// is logged by who keeps the time, unless what was moved last solved it.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn cut(&mut self, elapsed_ms: u64) -> Result<Vec<Event>, Undecodable> {
        let mut events = self.settle(elapsed_ms)?;
        if !self.has_ended() {
            events.extend(self.dials.lock(elapsed_ms).into_iter().map(snapshot));
        }
        Ok(events)
    }

    /// Whether there is a movement to undo.
    #[must_use]
    pub fn can_undo(&self) -> bool {
        self.dials.undone().is_some()
    }

    /// The last movement is undone, if there is one. Its picture follows with
    /// [`frame`](Self::frame).
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn undo(&mut self, elapsed_ms: u64) -> Result<Vec<Event>, Undecodable> {
        let events = self.flush(elapsed_ms)?;
        if let Some(z) = self.dials.undone().map(<[f64]>::to_vec) {
            self.dials.jump(Jump::Undo, z, elapsed_ms);
        }
        Ok(events)
    }

    /// Some dials are put to random places; `random` gives numbers in [0, 1). Their picture follows
    /// with [`frame`](Self::frame).
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn randomise(
        &mut self,
        dials: &[usize],
        random: impl Fn() -> f64,
        elapsed_ms: u64,
    ) -> Result<Vec<Event>, Undecodable> {
        let events = self.flush(elapsed_ms)?;
        let mut z = self.z().to_vec();
        for &dial in dials {
            let dimension = self.dials.model().latent.dimensions().get(dial);
            if let (Some(value), Some(dimension)) = (z.get_mut(dial), dimension) {
                *value = dimension.at_random(random());
            }
        }
        self.dials.jump(Jump::Randomise, z, elapsed_ms);
        Ok(events)
    }

    /// The events that follow from what was done so far.
    fn observe(&mut self, elapsed_ms: u64) -> Result<Vec<Event>, Undecodable> {
        let mut events = Vec::new();
        // A picture that is seen to match ends the question, though turns before it may still be undecoded.
        let matches = self.dials.shown().is_some_and(|shown| self.reached(*shown));
        if matches && self.dials.owes_shown() {
            self.dials.stop_at_shown()?;
        }
        while let Some(observed) = self.dials.take_observed() {
            if self.reached(observed.measured) {
                self.dials.put_back(&observed)?;
            }
            events.extend(observed.stored.into_iter().map(snapshot));
            events.extend(self.end_if_reached(observed.measured, elapsed_ms));
        }
        Ok(events)
    }

    /// Whether the question ends there by itself.
    fn reached(&self, comparison: PictureComparison) -> bool {
        self.stop == Stop::AtThreshold && reaches(comparison.distance, self.dials.model().threshold)
    }

    fn end_if_reached(&mut self, comparison: PictureComparison, elapsed_ms: u64) -> Vec<Event> {
        if self.reached(comparison) {
            self.end(elapsed_ms, Event::Solved)
        } else {
            vec![]
        }
    }

    fn end(&mut self, elapsed_ms: u64, how: Event) -> Vec<Event> {
        if self.has_ended() {
            return vec![];
        }
        let stored = self.dials.lock(elapsed_ms).into_iter().map(snapshot);
        stored.chain([how]).collect()
    }
}

fn comparing(model: Arc<ModelFacts>, target: Arc<Vec<f32>>) -> Measure<PictureComparison> {
    Box::new(move |picture| {
        let distance = model.distance.between(model.shape, picture, &target);
        let squared_error = squared_error(picture, &target);
        match (distance, squared_error) {
            (Ok(distance), Ok(squared_error)) => Ok(PictureComparison {
                distance,
                squared_error,
            }),
            _ => Err(Undecodable),
        }
    })
}

fn snapshot(recorded: RecordedMovement<PictureComparison>) -> Event {
    Event::Snapshot(Snapshot {
        movement: recorded.movement,
        distance: recorded.measured.distance,
        squared_error: recorded.measured.squared_error,
    })
}

#[cfg(test)]
mod tests;
