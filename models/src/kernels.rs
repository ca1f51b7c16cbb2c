//! Operations that candle has no fast version of.

#[cfg(test)]
mod check;
pub mod conv;
pub mod conv_transpose;
mod matmul;
mod patches;

pub use conv::Conv2d;
pub use conv_transpose::ConvTranspose2d;
