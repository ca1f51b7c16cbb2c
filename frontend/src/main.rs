//! frontend
fn main() {}
