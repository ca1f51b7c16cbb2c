//! Dials without a target: exploration, and the tutorials. No DOM and no clock.

use std::sync::Arc;

use super::dials::{BackgroundDecoding, Dials};
use super::history::History;
use super::{Decode, Modality, Movement, Undecodable};
use crate::model::ModelFacts;

/// Dials that are played with. The movements that its functions give are to be logged, oldest first.
pub struct FreePlay {
    dials: Dials<()>,
}

impl FreePlay {
    /// Begins at z; gives the first movement.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn start(
        model: Arc<ModelFacts>,
        decode: Decode,
        z: Vec<f64>,
    ) -> Result<(Self, Vec<Movement>), Undecodable> {
        let (mut dials, ()) = Dials::locked(model, decode, Box::new(|_| Ok(())), z)?;
        let first = dials.start(());
        Ok((Self { dials }, vec![first.movement]))
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
        dials.resume(last, (), History::default());
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

    /// Says what the inputs that follow are made with.
    pub fn moved_by(&mut self, by: Option<Modality>) {
        self.dials.moved_by(by);
    }

    /// A dial was moved.
    pub fn input(&mut self, dimension: usize, value: f64, elapsed_ms: u64) {
        self.dials.input(dimension, value, elapsed_ms);
    }

    /// A frame is about to be drawn: see [`Dials::frame`].
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn frame(&mut self, elapsed_ms: u64) -> Result<Vec<Movement>, Undecodable> {
        self.dials.frame(elapsed_ms)?;
        Ok(self.observed())
    }

    /// The dials, for somebody else who decodes.
    pub fn dials(&mut self) -> &mut dyn BackgroundDecoding {
        &mut self.dials
    }

    /// Time has passed: stores a value at rest.
    pub fn tick(&mut self, elapsed_ms: u64) -> Option<Movement> {
        self.dials
            .tick(elapsed_ms)
            .map(|recorded| recorded.movement)
    }

    /// The page may go away: decodes and stores whatever is pending.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn flush(&mut self) -> Result<Vec<Movement>, Undecodable> {
        self.dials.settle()?;
        let mut movements = self.observed();
        movements.extend(self.dials.flush().map(|recorded| recorded.movement));
        Ok(movements)
    }

    fn observed(&mut self) -> Vec<Movement> {
        let observed = std::iter::from_fn(|| self.dials.take_observed());
        let stored = observed.flat_map(|observed| observed.stored);
        stored.map(|recorded| recorded.movement).collect()
    }
}
