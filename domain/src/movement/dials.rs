//! The dials of a question on their way: which inputs are decoded when, and which
//! states are to be stored. No DOM and no clock.

use std::rc::Rc;
use std::sync::Arc;

use super::history::History;
use super::recorder::{Coalescer, Input, Recorded, Recorder};
use super::{Jump, Modality, Movement};
use crate::model::ModelFacts;

/// g: writes the instance of a latent vector over what the buffer holds; whether the
/// vector fits the model.
pub type Decode = Rc<dyn Fn(&[f64], &mut Vec<f32>) -> bool>;

/// The model's decoder failed on a vector that its own dials can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undecodable;

/// What is measured of a picture.
pub type Measure<M> = Box<dyn Fn(&[f32]) -> Result<M, Undecodable>>;

/// A model's dials, with the picture they make. `M` is what is measured of each picture.
pub struct Dials<M> {
    model: Arc<ModelFacts>,
    decode: Decode,
    measure: Measure<M>,
    /// Where the dials stand, decoded or not.
    z: Vec<f64>,
    /// What they are moved with now.
    by: Option<Modality>,
    picture: Arc<Vec<f32>>,
    /// The picture before, whose memory the next one takes unless it is still looked at.
    spare: Arc<Vec<f32>>,
    coalescer: Coalescer,
    /// Gone once the dials are locked.
    recorder: Option<Recorder<M>>,
    history: History,
}

/// What came of decoding an input.
pub struct Observed<M> {
    /// What is to be stored, oldest first.
    pub stored: Vec<Recorded<M>>,
    /// Where the dials stood.
    pub z: Vec<f64>,
    /// What was measured there.
    pub measured: M,
}

impl<M: Clone> Dials<M> {
    /// Dials that stand at z, locked until they [`start`](Self::start) or
    /// [`resume`](Self::resume), and what is measured there.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn locked(
        model: Arc<ModelFacts>,
        decode: Decode,
        measure: Measure<M>,
        z: Vec<f64>,
    ) -> Result<(Self, M), Undecodable> {
        let mut dials = Self {
            model,
            decode,
            measure,
            z,
            by: None,
            picture: Arc::default(),
            spare: Arc::default(),
            coalescer: Coalescer::default(),
            recorder: None,
            history: History::default(),
        };
        let measured = dials.show(&dials.z.clone())?;
        Ok((dials, measured))
    }

    /// Sets the dials free at the start of a question; what is returned is to be stored.
    #[must_use]
    pub fn start(&mut self, measured: M) -> Recorded<M> {
        let (recorder, first) = Recorder::start(&self.model.latent, self.z.clone(), measured);
        self.recorder = Some(recorder);
        self.history.push(&first.movement);
        first
    }

    /// Sets the dials free where a question's last stored movement left them; the history is
    /// that of all of them.
    pub fn resume(&mut self, movement: Movement, measured: M, history: History) {
        self.history = history;
        let last = Recorded { movement, measured };
        self.recorder = Some(Recorder::resume(&self.model.latent, last));
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Arc<ModelFacts> {
        &self.model
    }

    /// Where the dials stand.
    #[must_use]
    pub fn z(&self) -> &[f64] {
        &self.z
    }

    /// The picture last decoded.
    #[must_use]
    pub fn picture(&self) -> &Arc<Vec<f32>> {
        &self.picture
    }

    /// Whether the dials stand still.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.recorder.is_none()
    }

    /// Says what the inputs that follow are made with.
    pub fn moved_by(&mut self, by: Option<Modality>) {
        self.by = by;
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
    ) -> Result<Option<Observed<M>>, Undecodable> {
        let (Some(control), Some(previous)) = (
            self.model.latent.dimensions().get(dimension),
            self.z.get(dimension).copied(),
        ) else {
            return Ok(None);
        };
        let value = control.snap(value);
        if self.is_locked() || value == previous {
            return Ok(None);
        }
        let discrete = control.is_discrete();
        self.z[dimension] = value;
        let input = Input {
            elapsed_ms,
            z: self.z.clone(),
            dimension,
            by: self.by,
        };
        match self.coalescer.push(input, previous, discrete) {
            Some(turn) => self.observe(turn),
            None => Ok(None),
        }
    }

    /// A frame is about to be drawn: decodes the newest input, if there is one.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn frame(&mut self) -> Result<Option<Observed<M>>, Undecodable> {
        match self.coalescer.take() {
            Some(input) => self.observe(input),
            None => Ok(None),
        }
    }

    /// Time has passed: stores a value at rest.
    pub fn tick(&mut self, elapsed_ms: u64) -> Option<Recorded<M>> {
        let stored = self.recorder.as_mut()?.tick(elapsed_ms);
        self.remember(&stored);
        stored
    }

    /// Stores what waits to be stored: when the page may go away.
    pub fn flush(&mut self) -> Option<Recorded<M>> {
        let stored = self.recorder.as_mut()?.flush();
        self.remember(&stored);
        stored
    }

    /// Where the undo button leads; `None` while there is nothing to undo.
    #[must_use]
    pub fn undone(&self) -> Option<&[f64]> {
        self.history.undone().filter(|_| !self.is_locked())
    }

    /// A button moves the dials to z: decoded at once. What was moved before must have been
    /// observed ([`frame`](Self::frame)).
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn jump(
        &mut self,
        jump: Jump,
        z: Vec<f64>,
        elapsed_ms: u64,
    ) -> Result<Option<Observed<M>>, Undecodable> {
        if self.is_locked() {
            return Ok(None);
        }
        let measured = self.show(&z)?;
        let Some(recorder) = &mut self.recorder else {
            return Ok(None);
        };
        self.z.clone_from(&z);
        let movement = Movement {
            elapsed_ms,
            by: self.by,
            ..Movement::start(z.clone())
        };
        let stored = recorder.jumped(jump, movement, measured.clone());
        self.remember(&stored);
        Ok(Some(Observed {
            stored,
            z,
            measured,
        }))
    }

    fn remember<'a>(&mut self, stored: impl IntoIterator<Item = &'a Recorded<M>>)
    where
        M: 'a,
    {
        for stored in stored {
            self.history.push(&stored.movement);
        }
    }

    /// Locks the dials where they stand; what is returned is to be stored.
    pub fn lock(&mut self, elapsed_ms: u64) -> Vec<Recorded<M>> {
        let recorder = self.recorder.take();
        recorder.map_or_else(Vec::new, |recorder| recorder.finish(elapsed_ms))
    }

    /// Puts the dials back to where they stood before inputs that came too late.
    pub fn put_back(&mut self, z: Vec<f64>) {
        self.z = z;
        self.coalescer = Coalescer::default();
    }

    fn observe(&mut self, input: Input) -> Result<Option<Observed<M>>, Undecodable> {
        if self.is_locked() {
            return Ok(None);
        }
        let measured = self.show(&input.z)?;
        let Some(recorder) = &mut self.recorder else {
            return Ok(None);
        };
        let z = input.z.clone();
        let stored = recorder.observe(input, measured.clone());
        self.remember(&stored);
        Ok(Some(Observed {
            stored,
            z,
            measured,
        }))
    }

    fn show(&mut self, z: &[f64]) -> Result<M, Undecodable> {
        let mut picture = Arc::try_unwrap(std::mem::take(&mut self.spare)).unwrap_or_default();
        if !(self.decode)(z, &mut picture) {
            return Err(Undecodable);
        }
        let measured = (self.measure)(&picture)?;
        self.spare = std::mem::replace(&mut self.picture, Arc::new(picture));
        Ok(measured)
    }
}
