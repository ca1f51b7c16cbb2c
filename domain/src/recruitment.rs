//! People and their places: who gets which cell and row, where they come from, and what they are paid.

pub mod assignment;
pub mod pay;
pub mod platform;
mod status;

pub use status::StudyStatus;
