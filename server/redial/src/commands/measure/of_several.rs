//! Commands that make tables of several measures.

use clap::Subcommand;

use super::botcl::{self, BotclArgs};
use super::cards::{self, CardsArgs};
use super::coam::{self, CoamArgs};
use super::compare::{CompareArgs, compare};
use super::dependence::{self, DependenceArgs};
use super::keep::{self, KeepArgs};
use super::niches::{self, NichesArgs};
use super::sanity::{self, SanityArgs};
use super::shapes::{self, ShapesArgs};
use super::variants::{self, VariantsArgs};
use crate::config::Config;

/// `redial measure compare` and the like.
#[derive(Debug, Clone, Subcommand)]
pub enum SeveralCommand {
    /// Put every model's automated scores beside what people did with it, with rank correlations
    /// within each data set
    Compare(CompareArgs),
    /// Say how far OIS, NPS and NIS, SURF and MIG (or other measures) can be relied on, in one table; or keep
    /// beside codes which differences of scores mean anything
    Cards(CardsArgs),
    /// Make concept activation maps (CoAM) of feature maps and concept vectors, for `clm` and `shape-coverage`
    Coam(CoamArgs),
    /// Make an explanation random step by step, and see which measures of faithfulness notice
    Sanity(SanityArgs),
    /// See how OIS and its non-oracle variant change as concepts depend on each other
    Dependence(DependenceArgs),
    /// See how niche purity, impurity and size change over β
    Niches(NichesArgs),
    /// Keep codes of a model of your own beside it, by its encoder or from a file, with what is true of the
    /// same instances: then `--model` takes it as those of the zoo
    Keep(KeepArgs),
    /// Put the readings of each formula (printed, released, estimators) beside each other on the same codes
    Variants(VariantsArgs),
    /// See what the concepts of our BotCL do on held-out digits: accuracy, activations, top samples (paper 001,
    /// figure 1)
    Botcl(BotclArgs),
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
            Self::Cards(args) => cards::run(config, &args),
            Self::Coam(args) => coam::run(&args),
            Self::Sanity(args) => sanity::run(config, &args),
            Self::Dependence(args) => dependence::run(&args),
            Self::Niches(args) => niches::run(config, &args),
            Self::Keep(args) => keep::run(&args),
            Self::Variants(args) => variants::run(config, &args),
            Self::Botcl(args) => botcl::run(&args),
            Self::Shapes(args) => shapes::run(&args),
        }
    }
}
