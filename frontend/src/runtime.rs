//! Everything behind the screens: the session's host, its clock, its store, its
//! connection, its models. Views get signals from here and hand callbacks back.

pub mod attempt;
pub mod boot;
pub mod client;
pub mod clock;
pub mod decoders;
pub mod engine;
pub mod host;
pub mod kept;
pub mod page;
pub mod question;
pub mod store;
pub mod tab;
pub mod ui;
pub mod uplink;
pub mod upload;
