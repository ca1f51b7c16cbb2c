//! The screens around the tasks: signals in, callbacks out. The content of a session's screens, and what is
//! told to the session, are put together here, too, so that several apps can show the same.

pub mod between;
pub mod complete;
pub mod device;
pub mod go_back;
pub mod home;
pub mod microphone;
pub mod notice;
pub mod study;
pub mod under_way;
pub mod withdraw;
