//! The server: studies and models, sessions and their storage, and the HTTP
//! interface over them.

pub mod secrets;
pub mod storage;
