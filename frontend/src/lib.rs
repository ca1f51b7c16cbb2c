//! The parts that browser apps of Redial are made of. The apps are the crates `participant` and
//! `experimenter` beside this one: routes and wiring.
//!
//! ```text
//! participant ──> screens ──> task ──> ui ──────> state, text
//! experimenter ────┴── replay ──┴─────> runtime ──> state, text
//! ```
//!
//! - [`runtime`] knows no view and [`ui`] no runtime; both know only the [`state`] they share.
//! - Events reach the log in one way (`runtime/host/logging.rs`), and the session's machine, which is
//!   `domain`'s, says what is on screen.
//! - Every word on screen is one of [`text`], a crate of its own: the server writes with it, too.
//!
//! Deliberately absent: `models` and candle, which are a wasm module of their own; rules, which are those
//! of `domain`; addresses and routes, which are the apps'.

pub mod replay;
pub mod runtime;
pub mod screens;
pub mod state;
pub mod task;
pub mod ui;

pub use words as text;
pub use words::texts;
