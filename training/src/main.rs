//! training
fn main() {}
