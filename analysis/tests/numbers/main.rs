//! Which numbers a row shows, and what is said where there is none.
#![allow(clippy::unwrap_used)]

mod contrasts;
mod declared;
mod excluded;
mod made_up;
mod refusals;
