//! `redial concepts list`

use clap::Args;
use serde_json::json;

use crate::config::Config;
use crate::models_at_hand::models_at_hand;

/// `redial concepts list`
#[derive(Debug, Clone, Args)]
pub struct ConceptListArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Prints all bundles.
///
/// # Errors
/// When they cannot be read.
pub(super) fn list(config: &Config, args: &ConceptListArgs) -> anyhow::Result<()> {
    let models = models_at_hand(config)?;
    let cards = models.concept_library().iter();
    if args.json {
        let all: Vec<serde_json::Value> = cards
            .map(|bundle| json!({"card": bundle.card(), "sha256": bundle.sha256()}))
            .collect();
        println!("{}", serde_json::to_string_pretty(&all)?);
        return Ok(());
    }
    println!(
        "{:<28} {:<7} {:>8} {:>7}  vocabulary",
        "name", "kind", "concepts", "samples"
    );
    for bundle in cards {
        let card = bundle.card();
        println!(
            "{:<28} {:<7} {:>8} {:>7}  {}",
            card.name,
            card.kind.name(),
            card.concepts.len(),
            card.samples,
            card.vocabulary.name
        );
    }
    Ok(())
}
