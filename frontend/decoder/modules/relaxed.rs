//! The decoder module in one of its builds. Plans with relaxed SIMD, which xtask asks the compiler for.

pub use decoder::*;
