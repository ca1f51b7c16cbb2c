//! The pure core of Redial.
//!
//! Everything that decides what is shown, stored or reported lives here, once:
//! the browser, the server and offline analysis call the same functions. No IO,
//! no clock, no DOM, no HTTP: time and randomness are arguments.

pub mod distance;
pub mod latent;
pub mod model;
