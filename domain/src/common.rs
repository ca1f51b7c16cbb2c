//! Small things that all layers use.

pub(crate) mod defaults;
pub mod event_text;
pub mod identifiers;
pub mod language;
pub mod moment;
#[cfg(feature = "check")]
pub mod problem;
pub mod settings;
pub mod sizes;
pub mod table;
