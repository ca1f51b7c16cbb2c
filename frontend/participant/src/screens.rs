//! The screens around the tasks.

pub mod between;
pub mod complete;
pub mod device;
pub mod go_back;
pub mod home;
pub mod microphone;
pub mod notice;
pub mod study;
pub mod withdraw;
