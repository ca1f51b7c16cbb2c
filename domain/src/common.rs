//! Small things that all layers use.

pub(crate) mod defaults;
pub mod event_text;
pub mod identifiers;
pub mod language;
#[cfg(feature = "check")]
pub mod problem;
pub mod settings;
pub mod table;
