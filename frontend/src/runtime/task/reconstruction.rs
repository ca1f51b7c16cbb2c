//! Drives a question of interactive reconstruction.

use std::any::Any;
use std::sync::Arc;

use domain::event::Event;
use domain::model::Arrangement;
use domain::task::TaskState;
use domain::task::reconstruction::play::{Question, Undecodable};
use domain::task::reconstruction::{self, MAX_DIAL_NAME, Plan, State};
use leptos::prelude::{ArcRwSignal, GetUntracked, Set};

use super::super::modality;
use super::{Logged, QuestionParts, Scene, TaskDriver, set_changed};

/// What the screen shows.
#[derive(Clone)]
pub struct Signals {
    /// Where the dials stand.
    pub z: ArcRwSignal<Vec<f64>>,
    /// x = g(z), as last decoded.
    pub picture: ArcRwSignal<Arc<Vec<f32>>>,
    /// 1 − d(x, x′).
    pub alignment: ArcRwSignal<f64>,
    /// Whether the dials are locked.
    pub locked: ArcRwSignal<bool>,
    /// Whether the question can be skipped by now.
    pub can_skip: ArcRwSignal<bool>,
    /// How picture and target are placed.
    pub arrangement: ArcRwSignal<Arrangement>,
    /// Names the participant gave to the dials; empty where there is none.
    pub dial_names: ArcRwSignal<Vec<String>>,
}

/// The question on screen.
pub struct Driver {
    question: Question,
    signals: Signals,
}

impl Driver {
    pub(super) fn open(
        plan: &Plan,
        state: &State,
        parts: &QuestionParts<'_>,
    ) -> Result<(Box<dyn TaskDriver>, Vec<Event>), Undecodable> {
        let model = Arc::new(plan.model.clone());
        let target = parts.instance.clone().ok_or(Undecodable)?;
        let decode = parts.decode.clone();
        let z = state.z().to_vec();
        let (question, events) = match (parts.question.outcome, state.last_snapshot()) {
            (Some(_), _) => (Question::solved(model, target, decode, z)?, vec![]),
            (None, Some(last)) => {
                Question::resume(model, target, decode, last.clone(), parts.elapsed_ms)?
            }
            (None, None) => Question::start(model, target, decode, z)?,
        };
        let dials = plan.model.latent.len();
        let signals = Signals {
            z: ArcRwSignal::new(question.z().to_vec()),
            picture: ArcRwSignal::new(Arc::clone(question.picture())),
            alignment: ArcRwSignal::new(question.alignment()),
            locked: ArcRwSignal::new(question.has_ended()),
            can_skip: ArcRwSignal::new(false),
            arrangement: ArcRwSignal::new(state.arrangement()),
            dial_names: ArcRwSignal::new(dial_names(&parts.question.state, dials)),
        };
        Ok((Box::new(Self { question, signals }), logged(events)))
    }

    /// What the screen shows.
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
    /// When a picture cannot be computed.
    pub fn input(&mut self, dimension: usize, value: f64, elapsed_ms: u64) -> Logged {
        self.question.moved_by(Some(modality::current()));
        self.question
            .input(dimension, value, elapsed_ms)
            .map(logged)
    }

    /// The participant gives the question up, if that is allowed by now.
    ///
    /// # Errors
    /// When a picture cannot be computed.
    pub fn skip(&mut self, elapsed_ms: u64) -> Logged {
        if self.signals.can_skip.get_untracked() && !self.question.has_ended() {
            self.question.skip(elapsed_ms).map(logged)
        } else {
            Ok(vec![])
        }
    }

    /// Picture and target are put apart or together.
    ///
    /// # Errors
    /// Never.
    pub fn switch(&mut self, arrangement: Arrangement) -> Logged {
        let changes = self.signals.arrangement.get_untracked() != arrangement;
        let event = reconstruction::Event::DisplaySwitched { arrangement };
        Ok(logged(changes.then_some(event)))
    }

    /// A dial is given a name.
    ///
    /// # Errors
    /// Never.
    pub fn rename(&mut self, dimension: usize, name: &str) -> Logged {
        let renamed = renamed(&self.signals.dial_names.get_untracked(), dimension, name);
        let event = renamed.map(|name| reconstruction::Event::DialRenamed { dimension, name });
        Ok(logged(event))
    }

    /// The participant goes on from a solved question.
    ///
    /// # Errors
    /// Never.
    pub fn move_on(&mut self) -> Logged {
        let event = reconstruction::Event::MovedOn;
        Ok(logged(self.question.has_ended().then_some(event)))
    }
}

impl TaskDriver for Driver {
    fn tick(&mut self, elapsed_ms: u64) -> Logged {
        Ok(logged(self.question.tick(elapsed_ms)))
    }

    fn frame(&mut self, elapsed_ms: u64) -> Logged {
        self.question.frame(elapsed_ms).map(logged)
    }

    fn flush(&mut self, elapsed_ms: u64) -> Logged {
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
        } = &self.signals;
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

    fn as_any(&mut self) -> &mut dyn Any {
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
