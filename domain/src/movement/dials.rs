//! The dials of a question on their way: which states are to be stored, and what is on screen.
//! No DOM and no clock.

use std::sync::Arc;

use super::history::History;
use super::pending_changes::{DialChange, PendingChanges, Ticket};
use super::recorder::{DialInput, RecordedMovement, Recorder};
use super::{Decode, Jump, Modality, Movement, Undecodable};
use crate::model::ModelFacts;

/// A function that measures a picture.
pub type Measure<M> = Box<dyn Fn(&[f32]) -> Result<M, Undecodable>>;

/// A model's dials, with the picture they make. `M` is what is measured of each picture.
pub struct Dials<M> {
    model: Arc<ModelFacts>,
    decode: Decode,
    measure: Measure<M>,
    /// Where the dials stand, decoded or not.
    z: Vec<f64>,
    /// The modality with which they are moved now.
    by: Option<Modality>,
    picture: Arc<Vec<f32>>,
    /// The measurement of that picture.
    shown: Option<M>,
    /// The next picture, until it may be shown.
    coming: Option<(Vec<f32>, M)>,
    /// The picture before, whose memory the next one takes unless it is still looked at.
    spare: Arc<Vec<f32>>,
    changes: PendingChanges<M>,
    /// Gone once the dials are locked.
    recorder: Option<Recorder<M>>,
    history: History,
}

/// Dials whose pictures may be decoded in the background.
pub trait BackgroundDecoding {
    /// The next latent vector to be decoded in the background, where [`Dials::frame`] does not decode
    /// ([`Decode::in_background`]): one at a time, until [`arrived`](Self::arrived) or [`lost`](Self::lost).
    fn wanted(&mut self) -> Option<(Ticket, Vec<f64>)>;

    /// It has been decoded. The picture is shown with the coming [`Dials::frame`].
    ///
    /// # Errors
    /// When the picture cannot be measured.
    fn arrived(&mut self, ticket: Ticket, picture: Vec<f32>) -> Result<(), Undecodable>;

    /// It has not been decoded, and will be wanted again.
    fn lost(&mut self, ticket: Ticket);
}

/// A change that has been observed.
pub struct Observed<M> {
    /// The movements to store, oldest first.
    pub stored: Vec<RecordedMovement<M>>,
    /// Where the dials stood.
    pub z: Vec<f64>,
    /// The measurement there.
    pub measured: M,
    /// Whether the picture of that place is on screen.
    pub on_screen: bool,
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
            shown: None,
            coming: None,
            spare: Arc::default(),
            changes: PendingChanges::new(0),
            recorder: None,
            history: History::default(),
        };
        let measured = dials.show_here(&dials.z.clone())?;
        Ok((dials, measured))
    }

    /// Sets the dials free at the start of a question; what is returned is to be stored.
    #[must_use]
    pub fn start(&mut self, measured: M) -> RecordedMovement<M> {
        let (recorder, first) = Recorder::start(&self.model.latent, self.z.clone(), measured);
        self.recorder = Some(recorder);
        self.history.push(&first.movement);
        first
    }

    /// Sets the dials free where a question's last stored movement left them; the history is
    /// that of all of them.
    pub fn resume(&mut self, movement: Movement, measured: M, history: History) {
        self.history = history;
        let last = RecordedMovement { movement, measured };
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

    /// The picture on screen.
    #[must_use]
    pub fn picture(&self) -> &Arc<Vec<f32>> {
        &self.picture
    }

    /// The measurement of that picture.
    #[must_use]
    pub fn shown(&self) -> Option<&M> {
        self.shown.as_ref()
    }

    /// No picture is shown sooner than so many milliseconds after what was done to the dials. To be
    /// said before anything is.
    pub fn set_minimum_latency(&mut self, ms: u64) {
        self.changes = PendingChanges::new(ms);
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

    /// A dial was moved. Its picture follows with [`frame`](Self::frame).
    pub fn input(&mut self, dimension: usize, value: f64, elapsed_ms: u64) {
        let (Some(control), Some(previous)) = (
            self.model.latent.dimensions().get(dimension),
            self.z.get(dimension).copied(),
        ) else {
            return;
        };
        let value = control.snap(value);
        if self.is_locked() || value == previous {
            return;
        }
        let discrete = control.is_discrete();
        self.z[dimension] = value;
        let input = DialInput {
            elapsed_ms,
            z: self.z.clone(),
            dimension,
            by: self.by,
        };
        self.changes.moved(input, previous, discrete);
    }

    /// A frame is about to be drawn: decodes what it needs, unless that is done elsewhere, and shows
    /// the picture that is due. The observed changes follow with [`take_observed`](Self::take_observed).
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn frame(&mut self, elapsed_ms: u64) -> Result<(), Undecodable> {
        loop {
            if !self.decode.in_background() {
                self.decode_here()?;
            }
            if !self.changes.show(elapsed_ms) {
                return Ok(());
            }
            self.bring_on_screen();
        }
    }

    /// Decodes and shows everything at once, whatever was to be waited for.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn settle(&mut self) -> Result<(), Undecodable> {
        self.changes.call_back();
        loop {
            self.decode_here()?;
            if !self.changes.show_now() {
                return Ok(());
            }
            self.bring_on_screen();
        }
    }

    /// Whether a picture waits until it may be shown.
    #[must_use]
    pub fn holds_back(&self) -> bool {
        self.changes.holds_back()
    }

    /// The oldest change that is decoded and, if it was to be, shown. To be asked
    /// until there is nothing left.
    pub fn take_observed(&mut self) -> Option<Observed<M>> {
        let (change, measured, on_screen) = self.changes.take_observed()?;
        let recorder = self.recorder.as_mut()?;
        let z = change.z().to_vec();
        let stored = match change {
            DialChange::Input(input) => recorder.observe(input, measured.clone()),
            DialChange::Jump(jump, movement) => recorder.jumped(jump, movement, measured.clone()),
        };
        self.remember(&stored);
        Some(Observed {
            stored,
            z,
            measured,
            on_screen,
        })
    }

    /// Time has passed: stores a value at rest.
    pub fn tick(&mut self, elapsed_ms: u64) -> Option<RecordedMovement<M>> {
        let stored = self.recorder.as_mut()?.tick(elapsed_ms);
        self.remember(&stored);
        stored
    }

    /// Stores what waits to be stored: when the page may go away.
    pub fn flush(&mut self) -> Option<RecordedMovement<M>> {
        let stored = self.recorder.as_mut()?.flush();
        self.remember(&stored);
        stored
    }

    /// Where the undo button leads; `None` while there is nothing to undo.
    #[must_use]
    pub fn undone(&self) -> Option<&[f64]> {
        self.history.undone().filter(|_| !self.is_locked())
    }

    /// A button moves the dials to z. Earlier changes must have been observed
    /// ([`settle`](Self::settle)).
    pub fn jump(&mut self, jump: Jump, z: Vec<f64>, elapsed_ms: u64) {
        if self.is_locked() {
            return;
        }
        self.z.clone_from(&z);
        let movement = Movement {
            elapsed_ms,
            by: self.by,
            ..Movement::start(z)
        };
        self.changes.jumped(jump, movement);
    }

    fn remember<'a>(&mut self, stored: impl IntoIterator<Item = &'a RecordedMovement<M>>)
    where
        M: 'a,
    {
        for stored in stored {
            self.history.push(&stored.movement);
        }
    }

    /// Locks the dials where they stand; what is returned is to be stored.
    pub fn lock(&mut self, elapsed_ms: u64) -> Vec<RecordedMovement<M>> {
        let recorder = self.recorder.take();
        recorder.map_or_else(Vec::new, |recorder| recorder.finish(elapsed_ms))
    }

    /// Whether the change of the picture on screen is still to come out of
    /// [`take_observed`](Self::take_observed).
    #[must_use]
    pub fn owes_shown(&self) -> bool {
        self.changes.owes_shown()
    }

    /// The question ends with the picture on screen: what was done after it does not count, and
    /// what was done before is measured at once.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn stop_at_shown(&mut self) -> Result<(), Undecodable> {
        self.changes.stop_at_shown();
        self.coming = None;
        self.decode_here()
    }

    /// Puts the dials back to where they stood before changes that came too late.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn put_back(&mut self, to: &Observed<M>) -> Result<(), Undecodable> {
        self.changes.clear();
        self.coming = None;
        self.z.clone_from(&to.z);
        if !to.on_screen {
            self.show_here(&to.z)?;
        }
        Ok(())
    }

    fn decode_here(&mut self) -> Result<(), Undecodable> {
        while let Some((ticket, z)) = self.changes.take_next() {
            let decoded = self.decode(&z);
            let arrived = decoded.and_then(|picture| self.arrived(ticket, picture));
            if arrived.is_err() {
                // It never was.
                self.changes.forget(ticket);
                return arrived;
            }
        }
        Ok(())
    }

    fn decode(&mut self, z: &[f64]) -> Result<Vec<f32>, Undecodable> {
        let mut picture = Arc::try_unwrap(std::mem::take(&mut self.spare)).unwrap_or_default();
        if self.decode.at(z, &mut picture) {
            Ok(picture)
        } else {
            Err(Undecodable)
        }
    }

    fn show_here(&mut self, z: &[f64]) -> Result<M, Undecodable> {
        let picture = self.decode(z)?;
        let measured = (self.measure)(&picture)?;
        self.coming = Some((picture, measured.clone()));
        self.bring_on_screen();
        Ok(measured)
    }

    fn bring_on_screen(&mut self) {
        if let Some((picture, measured)) = self.coming.take() {
            self.spare = std::mem::replace(&mut self.picture, Arc::new(picture));
            self.shown = Some(measured);
        }
    }
}

impl<M: Clone> BackgroundDecoding for Dials<M> {
    fn wanted(&mut self) -> Option<(Ticket, Vec<f64>)> {
        if self.decode.in_background() {
            self.changes.take_next()
        } else {
            None
        }
    }

    fn arrived(&mut self, ticket: Ticket, picture: Vec<f32>) -> Result<(), Undecodable> {
        let measured = (self.measure)(&picture)?;
        if self.changes.measured(ticket, measured.clone()) {
            self.coming = Some((picture, measured));
        } else {
            self.spare = Arc::new(picture);
        }
        Ok(())
    }

    fn lost(&mut self, ticket: Ticket) {
        self.changes.lost(ticket);
    }
}
