//! The measurements behind `cargo xtask bench`.

pub mod decode;
pub mod latency;
pub mod machine;
pub mod server;
pub mod statistics;
