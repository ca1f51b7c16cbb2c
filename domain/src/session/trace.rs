//! How near the picture was to the target lately.

use crate::session::event::{Envelope, Event};

/// The alignment after each of the last movements of the question on screen: a fold over a session's events.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlignmentTrace {
    /// The newest last; [`MOST`](Self::MOST) at most.
    pub values: Vec<f64>,
}

impl AlignmentTrace {
    /// Most values that are kept.
    pub const MOST: usize = 40;

    /// Takes in the next event.
    pub fn take(&mut self, envelope: &Envelope) {
        match &envelope.event {
            Event::QuestionStarted { .. } => self.values.clear(),
            Event::Task(event) => {
                let Some(distance) = event.distance().filter(|distance| distance.is_finite())
                else {
                    return;
                };
                if self.values.len() == Self::MOST {
                    self.values.remove(0);
                }
                self.values.push(1.0 - distance);
            }
            _ => {}
        }
    }
}
