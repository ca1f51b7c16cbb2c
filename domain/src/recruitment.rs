//! People and their places: who gets which cell and row, where they come from, what they are paid, and what
//! platforms are told of their work.

pub mod assignment;
pub mod outbox;
pub mod pay;
pub mod platform;
mod status;

pub use status::StudyStatus;
