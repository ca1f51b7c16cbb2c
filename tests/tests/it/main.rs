//! End-to-end tests: the real server, and real browsers, driven from outside. One program, so that models and
//! candle are linked once; `cargo xtask test` runs each test in a process of its own.
#![allow(clippy::unwrap_used)]

mod below_a_path;
mod breakdown;
mod cannot_start;
mod decoders;
mod devices;
mod drafts;
mod graph_models;
mod honest;
mod instruments;
mod lab;
mod languages;
mod layout;
mod load;
mod mnist;
mod no_storage;
mod offline_reload;
mod other_browsers;
mod other_tasks;
mod own_model;
mod participant;
mod platforms;
mod presses;
mod preview;
mod recordings;
mod refusals;
mod research;
mod research_compare;
mod research_decisions;
mod research_replay;
mod research_results;
mod research_team;
mod resilience;
mod scripted;
mod shipped_studies;
mod side_screens;
mod signs;
mod slow_decoder;
mod task_options;
mod times;
mod touch;
mod translated;
mod weights;
mod whole_study;
mod withdrawal;
