//! The screen of each task, and of its tutorial: signals in, callbacks out.

pub mod reconstruction;
pub mod tutorial;
