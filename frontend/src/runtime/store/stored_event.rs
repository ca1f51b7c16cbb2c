//! Events as they are stored and sent.

use std::rc::Rc;

use domain::session::event::Envelope;

/// Sequence number and JSON of an event.
pub type LocalEvent = (u64, Rc<str>);

/// An event as it is stored and sent; nothing if it could not be written as JSON.
#[must_use]
pub fn as_stored(envelope: &Envelope) -> Option<LocalEvent> {
    Some((envelope.seq, serde_json::to_string(envelope).ok()?.into()))
}
