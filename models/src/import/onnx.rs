//! ONNX files.

pub mod proto;
