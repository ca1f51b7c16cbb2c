//! People and their places: who gets which cell and row, where they come from, what they are paid, what
//! platforms are told of their work, and how a platform's list of it agrees with what is here.

pub mod assignment;
pub mod matching;
pub mod outbox;
pub mod pay;
pub mod platform;
mod status;

pub use status::StudyStatus;
