//! The decoder module in one of its builds. Plans with 128-bit SIMD.

pub use decoder::*;
