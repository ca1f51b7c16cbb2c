//! Parts of the end-to-end tests, the load tests and the benchmarks.
//!
//! The tests themselves lie in `tests/tests/it/`, the benchmarks in `src/bin/`.
//! Everything here drives the real server binary, and a real Chromium, from
//! outside; `cargo xtask test` builds both first.
//!
//! Deliberately absent: the crates `server` and `frontend`. Their programs are run as they are shipped.

pub mod audit;
pub mod axe;
pub mod bench;
pub mod browser;
pub mod browser_engine;
pub mod client;
pub mod decoding;
pub mod driver;
pub mod events;
pub mod export;
pub mod journey;
pub mod npy;
pub mod pages;
pub mod platform;
pub mod proxy;
pub mod server;
pub mod simulated;
pub mod solver;
pub mod tools;
pub mod wait;
pub mod whole_study;
