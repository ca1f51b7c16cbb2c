//! Drives a question of interactive reconstruction.

use std::any::Any;
use std::sync::Arc;

use domain::model::Arrangement;
use domain::model::distance::Alignment;
use domain::movement::filmstrip::{Filmstrips, Strip};
use domain::movement::{Decode, Undecodable};
use domain::session::event::Event;
use domain::task::TaskState;
use domain::task::reconstruction::play::{QuestionInPlay, QuestionSetup};
use domain::task::reconstruction::{self, Feedforward, MAX_DIAL_NAME, Plan, State};
use leptos::prelude::{ArcRwSignal, GetUntracked, Set};

use super::super::{clock, modality};
use super::{DecodeJob, EventsToLog, QuestionParts, Scene, TaskDriver, hand_over, set_changed};
use crate::state::StripSignals;

/// How long previews are decoded in one frame, so that the page stays smooth.
const PREVIEWS_MS: f64 = 6.0;

/// The signals of the screen.
#[derive(Clone)]
pub struct Signals {
    /// Where the dials stand.
    pub z: ArcRwSignal<Vec<f64>>,
    /// x = g(z), as last decoded.
    pub picture: ArcRwSignal<Arc<Vec<f32>>>,
    /// How near it is to the target.
    pub alignment: ArcRwSignal<Alignment>,
    /// Whether the dials are locked.
    pub locked: ArcRwSignal<bool>,
    /// Whether the question can be skipped by now.
    pub can_skip: ArcRwSignal<bool>,
    /// How picture and target are placed.
    pub arrangement: ArcRwSignal<Arrangement>,
    /// Names the participant gave to the dials; empty where there is none.
    pub dial_names: ArcRwSignal<Vec<String>>,
    /// Whether there is a movement to undo.
    pub can_undo: ArcRwSignal<bool>,
    /// The previews of each dial that is shown, in the order of dials; none without filmstrips.
    pub strips: Vec<StripSignals>,
}

/// The question on screen.
pub struct Driver {
    question: QuestionInPlay,
    signals: Signals,
    /// The dimensions that are shown.
    shown: Vec<usize>,
    decode: Decode,
    previews: Option<Filmstrips>,
}

impl Driver {
    pub(super) fn open(
        plan: &Plan,
        state: &State,
        parts: &QuestionParts<'_>,
    ) -> Result<(Box<dyn TaskDriver>, Vec<Event>), Undecodable> {
        let decode = parts.decode.clone().ok_or(Undecodable)?;
        let asked = QuestionSetup {
            model: Arc::new(plan.model_of(parts.question.at.question)),
            target: parts.instances.first().cloned().ok_or(Undecodable)?,
            decode: decode.clone(),
            stop: plan.stop,
            minimum_latency_ms: plan.minimum_latency_ms,
        };
        let z = state.z().to_vec();
        let (question, events) = match (parts.question.outcome, state.last_snapshot()) {
            (Some(_), _) => (QuestionInPlay::solved(asked, z)?, vec![]),
            (None, Some(last)) => {
                let history = state.history().clone();
                QuestionInPlay::resume(asked, last.clone(), history, parts.elapsed_ms)?
            }
            (None, None) => QuestionInPlay::start(asked, z)?,
        };
        let dials = plan.model.latent.len();
        let shown = plan.shown();
        let previews = (plan.feedforward == Feedforward::Filmstrip && !question.has_ended())
            .then(|| Filmstrips::new(&plan.model.latent, &shown, question.z()));
        let strip = |_| StripSignals {
            strip: ArcRwSignal::new(Strip::default()),
            current: ArcRwSignal::new(false),
        };
        let strips = match plan.feedforward {
            Feedforward::Filmstrip => shown.iter().map(strip).collect(),
            Feedforward::None => Vec::new(),
        };
        let signals = Signals {
            can_undo: ArcRwSignal::new(question.can_undo()),
            strips,
            z: ArcRwSignal::new(question.z().to_vec()),
            picture: ArcRwSignal::new(Arc::clone(question.picture())),
            alignment: ArcRwSignal::new(question.alignment()),
            locked: ArcRwSignal::new(question.has_ended()),
            can_skip: ArcRwSignal::new(false),
            arrangement: ArcRwSignal::new(state.arrangement()),
            dial_names: ArcRwSignal::new(dial_names(&parts.question.state, dials)),
        };
        let driver = Self {
            question,
            signals,
            shown,
            decode,
            previews,
        };
        Ok((Box::new(driver), logged(events)))
    }

    /// The signals of the screen.
    #[must_use]
    pub fn signals(&self) -> Signals {
        self.signals.clone()
    }

    /// x′, the picture to match.
    #[must_use]
    pub fn target(&self) -> Arc<Vec<f32>> {
        Arc::clone(self.question.target())
    }

    /// A dial was moved: shown at once, decoded in the coming frame.
    ///
    /// # Errors
    /// Never.
    pub fn input(&mut self, dimension: usize, value: f64, elapsed_ms: u64) -> EventsToLog {
        self.question.moved_by(Some(modality::current()));
        self.question.input(dimension, value, elapsed_ms);
        Ok(vec![])
    }

    /// The participant gives the question up, if that is allowed by now.
    ///
    /// # Errors
    /// When a picture cannot be computed.
    pub fn skip(&mut self, elapsed_ms: u64) -> EventsToLog {
        if self.signals.can_skip.get_untracked() && !self.question.has_ended() {
            self.question.skip(elapsed_ms).map(logged)
        } else {
            Ok(vec![])
        }
    }

    /// The participant declares the question done.
    ///
    /// # Errors
    /// When a picture cannot be computed.
    pub fn done(&mut self, elapsed_ms: u64) -> EventsToLog {
        self.question.done(elapsed_ms).map(logged)
    }

    /// The last movement is undone.
    ///
    /// # Errors
    /// When a picture cannot be computed.
    pub fn undo(&mut self, elapsed_ms: u64) -> EventsToLog {
        self.question.moved_by(Some(modality::current()));
        self.question.undo(elapsed_ms).map(logged)
    }

    /// The dials are put to random places.
    ///
    /// # Errors
    /// When a picture cannot be computed.
    pub fn randomise(&mut self, elapsed_ms: u64) -> EventsToLog {
        self.question.moved_by(Some(modality::current()));
        let events = self
            .question
            .randomise(&self.shown, js_sys::Math::random, elapsed_ms);
        events.map(logged)
    }

    /// Picture and target are put apart or together.
    ///
    /// # Errors
    /// Never.
    pub fn switch(&mut self, arrangement: Arrangement) -> EventsToLog {
        let changes = self.signals.arrangement.get_untracked() != arrangement;
        let event = reconstruction::Event::DisplaySwitched { arrangement };
        Ok(logged(changes.then_some(event)))
    }

    /// A dial is given a name.
    ///
    /// # Errors
    /// Never.
    pub fn rename(&mut self, dimension: usize, name: &str) -> EventsToLog {
        let renamed = renamed(&self.signals.dial_names.get_untracked(), dimension, name);
        let event = renamed.map(|name| reconstruction::Event::DialRenamed { dimension, name });
        Ok(logged(event))
    }

    /// The participant goes on from a solved question.
    ///
    /// # Errors
    /// Never.
    pub fn move_on(&mut self) -> EventsToLog {
        let event = reconstruction::Event::MovedOn;
        Ok(logged(self.question.has_ended().then_some(event)))
    }
}

impl TaskDriver for Driver {
    fn tick(&mut self, elapsed_ms: u64) -> EventsToLog {
        Ok(logged(self.question.tick(elapsed_ms)))
    }

    fn frame(&mut self, elapsed_ms: u64) -> EventsToLog {
        let events = self.question.frame(elapsed_ms)?;
        if let Some(previews) = self
            .previews
            .as_mut()
            .filter(|_| !self.decode.in_background())
        {
            previews.stand_at(self.question.z(), elapsed_ms);
            let until_ms = clock::monotonic_ms() + PREVIEWS_MS;
            while previews.is_due(elapsed_ms) && clock::monotonic_ms() < until_ms {
                previews.step(&self.decode)?;
            }
        }
        Ok(logged(events))
    }

    fn cut(&mut self, elapsed_ms: u64) -> EventsToLog {
        self.question.cut(elapsed_ms).map(logged)
    }

    fn wants_frame(&self, elapsed_ms: u64) -> bool {
        let due =
            |previews: &Filmstrips| !self.decode.in_background() && previews.is_due(elapsed_ms);
        !self.question.has_ended()
            && (self.question.holds_back() || self.previews.as_ref().is_some_and(due))
    }

    fn wanted(&mut self, elapsed_ms: u64) -> Option<DecodeJob> {
        if self.question.has_ended() {
            return None;
        }
        if let Some(job) = DecodeJob::of(self.question.dials()) {
            return Some(job);
        }
        let previews = self.previews.as_mut()?;
        previews.stand_at(self.question.z(), elapsed_ms);
        let due = previews.is_due(elapsed_ms);
        let z = previews.wanted().filter(|_| due)?;
        Some(DecodeJob { ticket: None, z })
    }

    fn arrived(&mut self, job: DecodeJob, picture: Option<Vec<f32>>) -> Result<(), Undecodable> {
        match (job.ticket, &mut self.previews, picture) {
            (Some(ticket), _, picture) => hand_over(self.question.dials(), ticket, picture),
            (None, Some(previews), Some(picture)) => {
                previews.arrived(&job.z, picture);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn flush(&mut self, elapsed_ms: u64) -> EventsToLog {
        if self.question.has_ended() {
            return Ok(vec![]);
        }
        self.question.flush(elapsed_ms).map(logged)
    }

    fn show(&self, scene: &Scene<'_>) {
        let Signals {
            z,
            picture,
            alignment,
            locked,
            can_skip,
            arrangement,
            dial_names: names,
            can_undo,
            strips,
        } = &self.signals;
        set_changed(can_undo, self.question.can_undo());
        let previews = self.previews.iter().flat_map(Filmstrips::strips);
        for (signals, (strip, current)) in strips.iter().zip(previews) {
            if !Arc::ptr_eq(&signals.strip.get_untracked(), strip) {
                signals.strip.set(Arc::clone(strip));
            }
            set_changed(&signals.current, current);
        }
        set_changed(z, self.question.z().to_vec());
        if !Arc::ptr_eq(&picture.get_untracked(), self.question.picture()) {
            picture.set(Arc::clone(self.question.picture()));
            alignment.set(self.question.alignment());
        }
        set_changed(locked, self.question.has_ended());
        set_changed(can_skip, scene.can_skip);
        if let TaskState::Reconstruction(state) = &scene.question.state {
            set_changed(arrangement, state.arrangement());
        }
        let dials = names.get_untracked().len();
        set_changed(names, dial_names(&scene.question.state, dials));
    }

    fn catch_up(&mut self, there: Box<dyn TaskDriver>) {
        if let Ok(there) = there.into_any().downcast::<Self>() {
            // The previews are decoded here, a few in each frame.
            self.question = there.question;
        }
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

fn logged(events: impl IntoIterator<Item = reconstruction::Event>) -> Vec<Event> {
    events.into_iter().map(Event::from).collect()
}

/// The names of a model's dials; empty where the participant gave none.
pub(super) fn dial_names(state: &TaskState, dials: usize) -> Vec<String> {
    (0..dials)
        .map(|dimension| state.dial_name(dimension).unwrap_or_default().to_owned())
        .collect()
}

/// The name to be logged for a dial, if it is a new one.
pub(super) fn renamed(names: &[String], dimension: usize, name: &str) -> Option<String> {
    let before = names.get(dimension)?;
    let name: String = name.trim().chars().take(MAX_DIAL_NAME).collect();
    (*before != name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dial_gets_a_name_only_if_it_is_another() {
        let names = ["slope".to_owned(), String::new()];
        assert_eq!(renamed(&names, 0, " slope "), None);
        assert_eq!(renamed(&names, 0, ""), Some(String::new()));
        assert_eq!(renamed(&names, 1, "size"), Some("size".to_owned()));
        assert_eq!(renamed(&names, 2, "size"), None);
        let long = "x".repeat(MAX_DIAL_NAME + 5);
        assert_eq!(
            renamed(&names, 1, &long).map(|name| name.len()),
            Some(MAX_DIAL_NAME)
        );
    }
}
