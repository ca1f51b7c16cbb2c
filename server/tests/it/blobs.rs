//! Blobs, wherever they are, beside what every database has to do.

mod bucket;
mod contract;
mod folder;
mod migration;
mod sound;

pub use contract::{Clock, DAY_MS, NOW_MS, contract};
