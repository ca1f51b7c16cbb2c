//! Which numbers a row shows, and what is said where there is none.

mod contrasts;
mod declared;
mod excluded;
mod made_up;
mod refusals;
