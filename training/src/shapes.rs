//! BotCL on its synthetic shapes, and what k-means and PCA make of the same features (paper 001, figures 7 and 8).
//!
//! A plain classifier of the 15 labels is trained first. BotCL goes on from its features, with the first two layers as
//! they are, once for each number of concepts; clusters and principal components are those of the features that it
//! begins with. What is left is one file of arrays, from which `redial measure shapes` makes its tables.
//!
//! | part | module |
//! | --- | --- |
//! | pictures and labels as tensors | [`pictures`] |
//! | convolutions | [`convolution`] |
//! | features and the networks upon them | [`networks`] |
//! | runs, seeded and resumable | [`run`] |
//! | clusters, components, linear classifiers | [`baselines`] |
//! | the file of arrays | [`keep`] |
//!
//! What is reconstructed stands in decision 64.

pub mod baselines;
pub mod convolution;
pub mod kept_arrays;
pub mod networks;
pub mod pictures;
pub mod run;

#[cfg(test)]
mod tests;
