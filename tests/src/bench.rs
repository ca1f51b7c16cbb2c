//! The measurements behind `cargo xtask bench`.

pub mod abuse;
pub mod capacity;
pub mod decode;
pub mod engines;
pub mod latency;
pub mod load;
pub mod machine;
pub mod native;
pub mod onnx;
pub mod psiturk;
pub mod research;
pub mod server;
pub mod site;
pub mod statistics;
