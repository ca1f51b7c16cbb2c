//! The pure core of Redial.
//!
//! Everything that decides what is shown, stored or reported lives here, once:
//! the browser, the server and offline analysis call the same functions.
//!
//! - A session is a fold over its events: the same log gives the same state wherever it is read.
//! - Old logs, plans and studies stay readable, and are turned into today's types as they are read.
//! - A task is one module of [`task`], and one line in its list.
//! - Right answers are kept apart from the plan that a browser gets ([`session`], [`task`]).
//!
//! Deliberately absent: IO, clock, DOM, HTTP, decoders. Time and randomness are arguments; a decoder
//! stands behind [`movement::Decode`] or [`evidence::Evidence`].

pub use json_tree as json;

pub mod clock;
pub mod common;
pub mod concepts;
pub mod design;
pub mod lanes;
pub mod model;
pub mod movement;
pub mod questionnaire;
pub mod recruitment;
pub mod session;
pub mod simulate;
pub mod study;
pub mod task;
#[cfg(test)]
#[allow(missing_docs)]
mod testing;
pub mod verify;
