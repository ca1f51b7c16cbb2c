//! Everything behind the screens: the session's host, its clock, its store, its connection, its
//! models. Nothing here knows a view: what is to be shown goes into [`crate::state`].

pub mod attempt;
pub mod client;
pub mod clock;
pub mod content;
mod content_cache;
pub mod credentials;
pub mod current;
pub mod decode_timer;
pub mod decoder_loader;
mod decoder_module;
pub mod decoders;
pub mod device;
pub mod file_link;
pub mod gestures;
pub mod host;
pub mod instances;
pub mod lab_client;
pub mod language;
pub mod merge;
pub mod modality;
pub mod page;
pub mod page_decoder;
mod renewal;
pub mod research_client;
pub mod retry;
pub mod saving;
pub mod sizes;
pub mod sound_recorder;
pub mod store;
pub mod tab;
pub mod task;
pub mod uplink;
pub mod upload;
pub mod waiting_page;
