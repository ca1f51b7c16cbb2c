//! The researcher's area: studies, people, replay, exports, and one's own account.
//!
//! It holds no numbers of its own: what it shows comes from the server as an export has it. It is two apps, the programs
//! of this crate, with one address for each page: replays need every screen of a participant and the session's machine,
//! which no other page does. A link from one app to the other loads its page anew.

mod account;
mod accounts;
mod again;
mod analysis;
mod app;
mod area;
mod audit;
mod behind_hash;
mod deciding;
mod decoding;
mod entrance;
mod exports;
mod links;
mod live;
mod matching;
mod outbox;
mod people;
mod plan;
mod playing;
mod provider;
mod questions;
mod replay_page;
mod replays;
mod results;
mod route;
mod saving;
mod session_log;
mod session_rows;
mod side_by_side;
mod studies;
mod study;
mod table_box;
mod tables;
mod text;
mod tokens;
mod trust;
mod words;

pub use replays::replays;
pub use tables::tables;
