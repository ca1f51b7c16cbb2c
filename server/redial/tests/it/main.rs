//! The program as people run it.
#![allow(clippy::unwrap_used, missing_docs)]

mod database_command;
mod faults;
mod import_command;
mod models_command;
mod nth_fault;
mod program;
mod study_command;
mod unread_log;
