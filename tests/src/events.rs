//! Looking into the events of a log.

use domain::session::event::Event;
use domain::task::TaskEvent;
use domain::task::reconstruction::{self, Snapshot};

/// What happened in a question of interactive reconstruction, if it did.
#[must_use]
pub fn reconstruction(event: &Event) -> Option<&reconstruction::Event> {
    match event {
        Event::Task(TaskEvent::Reconstruction(logged)) => Some(&logged.event),
        _ => None,
    }
}

/// A snapshot, if it is one.
#[must_use]
pub fn snapshot(event: &Event) -> Option<&Snapshot> {
    match reconstruction(event)? {
        reconstruction::Event::Snapshot(snapshot) => Some(snapshot),
        _ => None,
    }
}
