//! The screen of each task, and of its tutorial: signals in, callbacks out.

pub mod exploration;
pub mod reconstruction;
pub mod single_dimension;
pub mod tutorial;
