//! The server: studies and models, sessions and their storage, and the HTTP
//! interface over them.

pub mod analysis;
pub mod assets;
pub mod automation;
pub mod base_path;
pub mod catalogue;
pub mod control;
pub mod database;
pub mod duties;
pub mod export;
pub mod export_list;
pub mod folder;
pub mod http;
pub mod limits;
mod old_plans;
pub mod outside;
pub mod page_errors;
pub mod private_files;
pub mod processor;
pub mod secrets;
pub mod serve;
pub mod sessions;
pub mod signed_links;
pub mod simulation;
pub mod state;
pub mod storage;
pub mod system;
pub mod tls;
mod unseen;
pub mod verification;
pub mod webvtt;
pub mod zoo;
