//! One question on its way from the start to its end: which inputs are decoded
//! when, and what the log gets to know. No DOM and no clock, so it is tested natively.

use std::sync::Arc;

use domain::distance::{reaches, squared_error};
use domain::event::{Event, Snapshot};
use domain::plan::StagePlan;
use domain::recorder::{Coalescer, Input, Reading, Recorder};

use crate::state::Decode;

/// The question under way.
pub struct Question {
    stage: Arc<StagePlan>,
    target: Arc<Vec<f32>>,
    decode: Decode,
    /// Where the controls stand, decoded or not.
    z: Vec<f64>,
    picture: Arc<Vec<f32>>,
    /// The picture before, whose memory the next one takes unless it is still looked at.
    spare: Arc<Vec<f32>>,
    alignment: f64,
    coalescer: Coalescer,
    /// Gone once the question has ended.
    recorder: Option<Recorder>,
}

/// The model's decoder failed on a vector that its own controls can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undecodable;

impl Question {
    /// A question that starts at z; the events are its first snapshot, and its end
    /// should the start already be close enough.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn start(
        stage: Arc<StagePlan>,
        target: Arc<Vec<f32>>,
        decode: Decode,
        z: Vec<f64>,
    ) -> Result<(Self, Vec<Event>), Undecodable> {
        let (mut question, reading) = Self::shown(stage, target, decode, z)?;
        let (recorder, first) =
            Recorder::start(&question.stage.model.latent, question.z.clone(), reading);
        question.recorder = Some(recorder);
        let mut events = vec![Event::Snapshot(first)];
        events.extend(question.end_if_reached(reading, 0));
        Ok((question, events))
    }

    /// A question as its last stored snapshot left it. Events come out only if
    /// that snapshot had reached the target and the page went away before saying so.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn resume(
        stage: Arc<StagePlan>,
        target: Arc<Vec<f32>>,
        decode: Decode,
        last: Snapshot,
        elapsed_ms: u64,
    ) -> Result<(Self, Vec<Event>), Undecodable> {
        let (mut question, _) = Self::shown(stage, target, decode, last.z.clone())?;
        let reading = Reading {
            distance: last.distance,
            squared_error: last.squared_error,
        };
        question.recorder = Some(Recorder::resume(&question.stage.model.latent, last));
        let events = question.end_if_reached(reading, elapsed_ms);
        Ok((question, events))
    }

    /// A question that had been solved before the page was opened again: to look at only.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn solved(
        stage: Arc<StagePlan>,
        target: Arc<Vec<f32>>,
        decode: Decode,
        z: Vec<f64>,
    ) -> Result<Self, Undecodable> {
        Ok(Self::shown(stage, target, decode, z)?.0)
    }

    fn shown(
        stage: Arc<StagePlan>,
        target: Arc<Vec<f32>>,
        decode: Decode,
        z: Vec<f64>,
    ) -> Result<(Self, Reading), Undecodable> {
        let mut question = Self {
            stage,
            target,
            decode,
            z,
            picture: Arc::default(),
            spare: Arc::default(),
            alignment: 0.0,
            coalescer: Coalescer::default(),
            recorder: None,
        };
        let reading = question.show(&question.z.clone())?;
        Ok((question, reading))
    }

    /// The picture to match.
    #[must_use]
    pub fn target(&self) -> &Arc<Vec<f32>> {
        &self.target
    }

    /// Where the controls stand.
    #[must_use]
    pub fn z(&self) -> &[f64] {
        &self.z
    }

    /// The picture last decoded.
    #[must_use]
    pub fn picture(&self) -> &Arc<Vec<f32>> {
        &self.picture
    }

    /// 1 − d(x, x′) of that picture.
    #[must_use]
    pub fn alignment(&self) -> f64 {
        self.alignment
    }

    /// Whether the controls are locked.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.recorder.is_none()
    }

    /// A control was moved. Decodes only what cannot wait for the coming frame.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn input(
        &mut self,
        dimension: usize,
        value: f64,
        elapsed_ms: u64,
    ) -> Result<Vec<Event>, Undecodable> {
        let (Some(control), Some(previous)) = (
            self.stage.model.latent.dimensions().get(dimension),
            self.z.get(dimension).copied(),
        ) else {
            return Ok(vec![]);
        };
        let value = control.snap(value);
        if self.has_ended() || value == previous {
            return Ok(vec![]);
        }
        let discrete = control.is_discrete();
        self.z[dimension] = value;
        let input = Input {
            elapsed_ms,
            z: self.z.clone(),
            dimension,
        };
        match self.coalescer.push(input, previous, discrete) {
            Some(turn) => self.observe(turn, elapsed_ms),
            None => Ok(vec![]),
        }
    }

    /// A frame is about to be drawn: decodes the newest input, if there is one.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn frame(&mut self, elapsed_ms: u64) -> Result<Vec<Event>, Undecodable> {
        match self.coalescer.take() {
            Some(input) => self.observe(input, elapsed_ms),
            None => Ok(vec![]),
        }
    }

    /// Time has passed: stores a value at rest.
    pub fn tick(&mut self, elapsed_ms: u64) -> Option<Event> {
        self.recorder
            .as_mut()?
            .tick(elapsed_ms)
            .map(Event::Snapshot)
    }

    /// The page may go away: decodes and stores whatever is pending.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn flush(&mut self, elapsed_ms: u64) -> Result<Vec<Event>, Undecodable> {
        let mut events = self.frame(elapsed_ms)?;
        let pending = self.recorder.as_mut().and_then(Recorder::flush);
        events.extend(pending.map(Event::Snapshot));
        Ok(events)
    }

    /// The participant gives up.
    ///
    /// # Errors
    /// When z cannot be decoded.
    pub fn skip(&mut self, elapsed_ms: u64) -> Result<Vec<Event>, Undecodable> {
        // What was moved last counts: it may even be the solution.
        let mut events = self.frame(elapsed_ms)?;
        events.extend(self.end(elapsed_ms, Event::QuestionSkipped));
        Ok(events)
    }

    fn observe(&mut self, input: Input, elapsed_ms: u64) -> Result<Vec<Event>, Undecodable> {
        if self.has_ended() {
            return Ok(vec![]);
        }
        let reading = self.show(&input.z)?;
        let Some(recorder) = &mut self.recorder else {
            return Ok(vec![]);
        };
        let z = input.z.clone();
        let mut events: Vec<Event> = recorder
            .observe(input, reading)
            .into_iter()
            .map(Event::Snapshot)
            .collect();
        if reaches(reading.distance, self.stage.model.threshold) {
            // Inputs after this one came too late; the controls go back to the solution.
            self.z = z;
            self.coalescer = Coalescer::default();
        }
        events.extend(self.end_if_reached(reading, elapsed_ms));
        Ok(events)
    }

    fn end_if_reached(&mut self, reading: Reading, elapsed_ms: u64) -> Vec<Event> {
        if reaches(reading.distance, self.stage.model.threshold) {
            self.end(elapsed_ms, Event::QuestionSolved)
        } else {
            vec![]
        }
    }

    fn end(&mut self, elapsed_ms: u64, how: Event) -> Vec<Event> {
        let Some(recorder) = self.recorder.take() else {
            return vec![];
        };
        recorder
            .finish(elapsed_ms)
            .into_iter()
            .map(Event::Snapshot)
            .chain([how])
            .collect()
    }

    fn show(&mut self, z: &[f64]) -> Result<Reading, Undecodable> {
        let mut picture = Arc::try_unwrap(std::mem::take(&mut self.spare)).unwrap_or_default();
        if !(self.decode)(z, &mut picture) {
            return Err(Undecodable);
        }
        let reading = read(&self.stage, &self.target, &picture)?;
        self.spare = std::mem::replace(&mut self.picture, Arc::new(picture));
        self.alignment = 1.0 - reading.distance;
        Ok(reading)
    }
}

fn read(stage: &StagePlan, target: &[f32], picture: &[f32]) -> Result<Reading, Undecodable> {
    Ok(Reading {
        distance: stage
            .model
            .distance
            .between(picture, target)
            .map_err(|_| Undecodable)?,
        squared_error: squared_error(picture, target).map_err(|_| Undecodable)?,
    })
}

#[cfg(test)]
#[path = "question/tests.rs"]
mod tests;
