//! The concepts that a trained [BotCL](crate::botcl) has found: accuracy, activations and top samples, and arrays for
//! tables and for bundles of concepts.

pub mod arrays;
pub mod report;

#[cfg(test)]
mod tests;
