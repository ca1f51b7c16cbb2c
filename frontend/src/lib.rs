//! The parts that browser apps of Redial are made of. The participant's app is the crate
//! `participant` beside this one.
//!
//! ```text
//! participant ──> task ──> ui ──────> state, text
//!       └──────────┴─────> runtime ──> state, text
//! ```
//!
//! [`runtime`] knows no view and [`ui`] no runtime; both know only the [`state`] they share.

pub mod runtime;
pub mod state;
pub mod task;
pub mod text;
pub mod ui;
