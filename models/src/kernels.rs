//! Operations that candle has no fast version of.

pub mod conv_transpose;
mod matmul;

pub use conv_transpose::ConvTranspose2d;
