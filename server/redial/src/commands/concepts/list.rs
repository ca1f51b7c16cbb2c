//! `redial concepts list`

use clap::Args;
use serde_json::json;

use crate::config::Config;
use crate::models_at_hand::models_at_hand;
use crate::output;

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
        output::print(&(serde_json::to_string_pretty(&all)? + "\n"))?;
        return Ok(());
    }
    let line = |name: &str, kind: &str, concepts: &str, samples: &str, vocabulary: &str| {
        format!("{name:<28} {kind:<7} {concepts:>8} {samples:>7}  {vocabulary}\n")
    };
    let mut table = line("name", "kind", "concepts", "samples", "vocabulary");
    for bundle in cards {
        let card = bundle.card();
        table += &line(
            &card.name,
            card.kind.name(),
            &card.concepts.len().to_string(),
            &card.samples.to_string(),
            &card.vocabulary.name,
        );
    }
    output::print(&table)?;
    Ok(())
}
