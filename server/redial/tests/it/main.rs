//! The program as people run it.
#![allow(clippy::unwrap_used, missing_docs)]

mod analysis_command;
mod command;
mod database_command;
mod erase_command;
mod exclusion;
mod export_command;
mod faults;
mod file_gone;
mod fuzz_files;
mod import_command;
mod limits;
mod models_command;
mod nth_fault;
mod one_server;
mod pay_command;
mod people;
mod platform_command;
mod private;
mod program;
mod psych_ds;
mod requester;
mod simulate_command;
mod study_command;
mod unread_log;
mod user_command;
