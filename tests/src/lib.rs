//! Parts of the end-to-end tests, the load tests and the benchmarks.
//!
//! The tests themselves lie in `tests/tests/it/`, the benchmarks in `src/bin/`.
//! Everything here drives the real server binary, and a real Chromium, from
//! outside; `cargo xtask test` builds both first.
//!
//! An error is whatever keeps a function from what its documentation says: no answer from browser, driver or
//! server in time, an element that is not there, a refusal, a file that cannot be read. A section *Errors*
//! says what goes beyond that.
//!
//! Deliberately absent: the crates `server` and `frontend`. Their programs are run as they are shipped.

pub mod area;
pub mod audit;
pub mod axe;
pub mod balancer;
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
pub mod scene;
pub mod server;
pub mod simulated;
pub mod small_study;
pub mod solver;
pub mod tools;
pub mod wait;
pub mod whole_study;
