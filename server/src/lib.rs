//! The server: studies and models, sessions and their storage, and the HTTP
//! interface over them.
//!
//! - Acknowledged means on disk: an answer about events leaves after the commit.
//! - SQL stands in `storage/sql/` and the folders of the two databases beside it alone; [`storage::open`]
//!   leads to any of them, and what is stored
//!   is decided by functions of `domain`.
//! - The rights in the researcher's area stand in one table, which every request there is checked by
//!   ([`access`]).
//! - The time of day and secrets come from [`system`], so that tests can hand in both.
//! - Each number of an export or an analysis is made anew from the logs.
//!
//! Deliberately absent: cookies and accounts of participants; a command line, which is `redial`'s.

pub mod access;
pub mod analysis;
pub mod app_files;
pub mod assets;
pub mod automation;
pub mod balance;
pub mod base_path;
pub mod catalogue;
pub mod cells;
pub mod checklist;
pub mod control;
pub mod database;
pub mod duties;
pub mod erasure_keeper;
pub mod export;
pub mod export_jobs;
pub mod export_list;
pub mod folder;
pub mod hourly_pay;
pub mod http;
pub mod library;
pub mod limits;
pub mod live;
pub mod matching;
pub mod model_results;
pub mod monitoring;
pub mod node;
mod old_plans;
pub mod openid;
pub mod outbound;
pub mod page_errors;
pub mod people;
pub mod platforms;
pub mod power;
pub mod private_files;
pub mod processor;
pub mod publishing;
pub mod questions;
pub mod results;
pub mod secrets;
pub mod serve;
pub mod session_facts;
pub mod sessions;
mod sessions_need;
pub mod signed_links;
pub mod simulation;
pub mod simulation_jobs;
pub mod sound;
pub mod state;
pub mod storage;
pub mod summaries;
pub mod system;
pub mod tls;
pub mod tuning;
mod unseen;
pub mod verification;
pub mod webvtt;
pub mod zoo;
