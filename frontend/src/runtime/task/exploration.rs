//! Drives an exploration.

use std::any::Any;
use std::sync::Arc;

use domain::movement::free_play::FreePlay;
use domain::movement::{Movement, Undecodable};
use domain::session::event::Event;
use domain::task::MAX_NOTE;
use domain::task::TaskState;
use domain::task::exploration::{self, Plan, State};
use leptos::prelude::{ArcRwSignal, GetUntracked, Set};

use super::super::modality;
use super::reconstruction::{dial_names, renamed};
use super::{DecodeJob, EventsToLog, QuestionParts, Scene, TaskDriver, hand_over, set_changed};

/// The signals of the screen.
#[derive(Clone)]
pub struct Signals {
    /// Where the dials stand.
    pub z: ArcRwSignal<Vec<f64>>,
    /// x = g(z), as last decoded.
    pub picture: ArcRwSignal<Arc<Vec<f32>>>,
    /// Names the participant gave to the dials; empty where there is none.
    pub dial_names: ArcRwSignal<Vec<String>>,
    /// The notes, as last logged.
    pub notes: ArcRwSignal<String>,
}

/// The exploration on screen.
pub struct Driver {
    play: FreePlay,
    signals: Signals,
    /// The notes as they stand in their field.
    notes: String,
}

impl Driver {
    pub(super) fn open(
        plan: &Plan,
        state: &State,
        parts: &QuestionParts<'_>,
    ) -> Result<(Box<dyn TaskDriver>, Vec<Event>), Undecodable> {
        let model = Arc::new(plan.model.clone());
        let decode = parts.decode.clone().ok_or(Undecodable)?;
        let (play, movements) = if state.has_moved() {
            let last = state.last_movement().clone();
            (FreePlay::resume(model, decode, last)?, vec![])
        } else {
            FreePlay::start(model, decode, plan.start.clone())?
        };
        let dials = plan.model.latent.len();
        let signals = Signals {
            z: ArcRwSignal::new(play.z().to_vec()),
            picture: ArcRwSignal::new(Arc::clone(play.picture())),
            dial_names: ArcRwSignal::new(dial_names(&parts.question.state, dials)),
            notes: ArcRwSignal::new(state.notes().to_owned()),
        };
        let driver = Self {
            play,
            signals,
            notes: state.notes().to_owned(),
        };
        Ok((Box::new(driver), moved(movements)))
    }

    /// The signals of the screen.
    #[must_use]
    pub fn signals(&self) -> Signals {
        self.signals.clone()
    }

    /// A dial was moved: shown at once, decoded in the coming frame.
    ///
    /// # Errors
    /// Never.
    pub fn input(&mut self, dimension: usize, value: f64, elapsed_ms: u64) -> EventsToLog {
        self.play.moved_by(Some(modality::current()));
        self.play.input(dimension, value, elapsed_ms);
        Ok(vec![])
    }

    /// A dial is given a name.
    ///
    /// # Errors
    /// Never.
    pub fn rename(&mut self, dimension: usize, name: &str) -> EventsToLog {
        let renamed = renamed(&self.signals.dial_names.get_untracked(), dimension, name);
        let event = renamed.map(|name| exploration::Event::DialRenamed { dimension, name });
        Ok(logged(event))
    }

    /// The notes are being written; logged by [`Self::save_notes`], or when the page goes away.
    pub fn write_notes(&mut self, notes: &str) {
        self.notes = notes.chars().take(MAX_NOTE).collect();
    }

    /// Logs the notes, if they have changed.
    ///
    /// # Errors
    /// Never.
    pub fn save_notes(&mut self) -> EventsToLog {
        let changed = self.signals.notes.get_untracked() != self.notes;
        let text = self.notes.clone();
        let event = changed.then_some(exploration::Event::NotesWritten { text });
        Ok(logged(event))
    }

    /// The participant is done.
    ///
    /// # Errors
    /// When a picture cannot be computed.
    pub fn finish(&mut self) -> EventsToLog {
        let mut events = moved(self.play.flush()?);
        events.extend(self.save_notes()?);
        events.extend(logged([exploration::Event::Finished]));
        Ok(events)
    }
}

impl TaskDriver for Driver {
    fn tick(&mut self, elapsed_ms: u64) -> EventsToLog {
        Ok(moved(self.play.tick(elapsed_ms)))
    }

    fn frame(&mut self, elapsed_ms: u64) -> EventsToLog {
        self.play.frame(elapsed_ms).map(moved)
    }

    fn wanted(&mut self, _elapsed_ms: u64) -> Option<DecodeJob> {
        DecodeJob::of(self.play.dials())
    }

    fn arrived(&mut self, job: DecodeJob, picture: Option<Vec<f32>>) -> Result<(), Undecodable> {
        let Some(ticket) = job.ticket else {
            return Ok(());
        };
        hand_over(self.play.dials(), ticket, picture)
    }

    fn flush(&mut self, _elapsed_ms: u64) -> EventsToLog {
        let mut events = moved(self.play.flush()?);
        events.extend(self.save_notes()?);
        Ok(events)
    }

    fn show(&self, scene: &Scene<'_>) {
        let Signals {
            z,
            picture,
            dial_names: names,
            notes,
        } = &self.signals;
        set_changed(z, self.play.z().to_vec());
        if !Arc::ptr_eq(&picture.get_untracked(), self.play.picture()) {
            picture.set(Arc::clone(self.play.picture()));
        }
        let dials = names.get_untracked().len();
        set_changed(names, dial_names(&scene.question.state, dials));
        if let TaskState::Exploration(state) = &scene.question.state {
            set_changed(notes, state.notes().to_owned());
        }
    }

    fn catch_up(&mut self, there: Box<dyn TaskDriver>) {
        if let Ok(there) = there.into_any().downcast::<Self>() {
            self.play = there.play;
            self.notes = there.notes;
        }
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

fn moved(movements: impl IntoIterator<Item = Movement>) -> Vec<Event> {
    logged(movements.into_iter().map(exploration::Event::Moved))
}

fn logged(events: impl IntoIterator<Item = exploration::Event>) -> Vec<Event> {
    events.into_iter().map(Event::from).collect()
}
