//! The studies and models that a server with the same settings would offer.

use server::library::Collection;
use server::publishing::Sources;
use server::storage::{self, Published};

use crate::config::Config;

/// What comes with Redial, what is published in a database that servers share, and what is in the folders. Says which
/// models cannot be used, and why.
///
/// # Errors
/// When a folder or the database cannot be read.
pub async fn collection_at_hand(config: &Config) -> anyhow::Result<Collection> {
    let published = if storage::is_server(&config.database) {
        let archive = storage::open_archive(config.address()).await?;
        let published = archive.published().await;
        archive.close().await;
        published?
    } else {
        Published::default()
    };
    let collection = Collection::load(&published, &sources(config))?;
    for refused in collection.models.refused() {
        eprintln!("redial: {refused}. It is left out.");
    }
    Ok(collection)
}

/// Where studies and models come from, besides what is published.
pub fn sources(config: &Config) -> Sources {
    Sources {
        no_demos: config.no_demos,
        studies: config.studies.clone(),
        models: config.models.clone(),
    }
}
