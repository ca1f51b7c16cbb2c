//! The decoder module in one of its builds. Candle, for layers that do not compile to a plan.

pub use decoder::*;
