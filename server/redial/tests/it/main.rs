//! The program as people run it.
#![allow(clippy::unwrap_used, missing_docs)]

mod faults;
mod import_command;
mod models_command;
mod program;
mod unread_log;
