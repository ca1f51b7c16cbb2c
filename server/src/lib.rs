//! The server: studies and models, sessions and their storage, and the HTTP
//! interface over them.

pub mod assets;
pub mod catalogue;
pub mod clock;
pub mod commands;
pub mod config;
pub mod export;
pub mod results;
pub mod http;
pub mod secrets;
pub mod sessions;
pub mod state;
pub mod storage;
pub mod zoo;
