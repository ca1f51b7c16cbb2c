//! The program as people run it.
#![allow(clippy::unwrap_used, missing_docs)]

mod import_command;
mod models_command;
mod unread_log;
