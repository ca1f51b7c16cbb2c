//! Tests of the whole server through its HTTP interface, on a database of their own.
#![allow(clippy::unwrap_used, missing_docs)]

mod app;
mod append;
mod assignment;
mod checks;
mod completion;
mod content;
mod damage;
mod database;
mod database_of_format_1;
mod files;
mod fuzz;
mod languages;
mod locked;
mod old_database;
mod openapi;
mod opening;
mod pages;
mod shutdown;
mod single_dimension;
mod start;
mod storage;
mod stream;
mod system;
mod verdicts;
mod wal;
