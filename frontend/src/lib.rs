//! The parts that browser apps of Redial are made of. The apps are the crates `participant` and
//! `experimenter` beside this one: routes and wiring.
//!
//! ```text
//! participant ──> screens ──> task ──> ui ──────> state, text
//! experimenter ────┴── replay ──┴─────> runtime ──> state, text
//! ```
//!
//! [`runtime`] knows no view and [`ui`] no runtime; both know only the [`state`] they share.

pub mod replay;
pub mod runtime;
pub mod screens;
pub mod state;
pub mod task;
pub mod text;
pub mod ui;
