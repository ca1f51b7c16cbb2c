//! An exploration on its way: what the log gets to know, and when. No DOM and no clock.

use std::sync::Arc;

use super::Event;
use crate::model::ModelFacts;
use crate::movement::Movement;
use crate::movement::dials::{Decode, Dials, Observed, Undecodable};
use crate::movement::recorder::Recorded;

/// The exploration under way.
pub struct Exploring {
    dials: Dials<()>,
}

impl Exploring {
    /// Begins at z; the event is the first movement.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn start(
        model: Arc<ModelFacts>,
        decode: Decode,
        z: Vec<f64>,
    ) -> Result<(Self, Vec<Event>), Undecodable> {
        let (mut dials, ()) = Dials::locked(model, decode, Box::new(|_| Ok(())), z)?;
        let first = dials.start(());
        Ok((Self { dials }, vec![moved(first)]))
    }

    /// Goes on where the last stored movement left it.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn resume(
        model: Arc<ModelFacts>,
        decode: Decode,
        last: Movement,
    ) -> Result<Self, Undecodable> {
        let z = last.z.clone();
        let (mut dials, ()) = Dials::locked(model, decode, Box::new(|_| Ok(())), z)?;
        dials.resume(last, ());
        Ok(Self { dials })
    }

    /// Where the dials stand.
    #[must_use]
    pub fn z(&self) -> &[f64] {
        self.dials.z()
    }

    /// The picture last decoded.
    #[must_use]
    pub fn picture(&self) -> &Arc<Vec<f32>> {
        self.dials.picture()
    }

    /// A dial was moved. Decodes only what cannot wait for the coming frame.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn input(
        &mut self,
        dimension: usize,
        value: f64,
        elapsed_ms: u64,
    ) -> Result<Vec<Event>, Undecodable> {
        Ok(events(self.dials.input(dimension, value, elapsed_ms)?))
    }

    /// A frame is about to be drawn: decodes the newest input, if there is one.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn frame(&mut self) -> Result<Vec<Event>, Undecodable> {
        Ok(events(self.dials.frame()?))
    }

    /// Time has passed: stores a value at rest.
    pub fn tick(&mut self, elapsed_ms: u64) -> Option<Event> {
        self.dials.tick(elapsed_ms).map(moved)
    }

    /// The page may go away: decodes and stores whatever is pending.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn flush(&mut self) -> Result<Vec<Event>, Undecodable> {
        let mut events = self.frame()?;
        events.extend(self.dials.flush().map(moved));
        Ok(events)
    }
}

fn events(observed: Option<Observed<()>>) -> Vec<Event> {
    let stored = observed.map(|observed| observed.stored);
    stored.into_iter().flatten().map(moved).collect()
}

fn moved(recorded: Recorded<()>) -> Event {
    Event::Moved(recorded.movement)
}
