//! Commands that make tables of several measures.

use clap::Subcommand;

use super::compare::{CompareArgs, compare};
use super::dependence::{self, DependenceArgs};
use super::niches::{self, NichesArgs};
use super::sanity::{self, SanityArgs};
use super::shapes::{self, ShapesArgs};
use crate::config::Config;

/// `redial measure compare` and the like.
#[derive(Debug, Clone, Subcommand)]
pub enum SeveralCommand {
    /// Put every model's automated scores beside what people did with it, with rank correlations
    /// within each data set
    Compare(CompareArgs),
    /// Make an explanation random step by step, and see which measures of faithfulness notice
    Sanity(SanityArgs),
    /// See how OIS and its non-oracle variant change as concepts depend on each other
    Dependence(DependenceArgs),
    /// See how niche purity, impurity and size change over β
    Niches(NichesArgs),
    /// See how well concepts of BotCL, k-means and PCA cover the shapes that decide labels, by number of
    /// concepts
    Shapes(ShapesArgs),
}

impl SeveralCommand {
    /// Does what was asked for.
    ///
    /// # Errors
    /// When it could not be done.
    pub async fn run(self, config: &Config) -> anyhow::Result<()> {
        match self {
            Self::Compare(args) => compare(config, &args).await,
            Self::Sanity(args) => sanity::run(config, &args),
            Self::Dependence(args) => dependence::run(&args),
            Self::Niches(args) => niches::run(config, &args),
            Self::Shapes(args) => shapes::run(&args),
        }
    }
}
