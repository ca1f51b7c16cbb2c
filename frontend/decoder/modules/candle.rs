//! The decoder module in one of its builds. Graphs, and candle for what has no kernel.

pub use decoder::*;
