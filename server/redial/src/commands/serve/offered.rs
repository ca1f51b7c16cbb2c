//! The studies and models that a server offers.

use std::sync::Arc;

use anyhow::ensure;
use server::library::Collection;
use server::publishing::{Sources, keep_current};
use server::state::ServerState;
use server::storage::{self, Published, Storage};

use crate::collection_at_hand::sources;
use crate::config::Config;

/// Where they come from, and how far they were read.
pub(super) struct Offered {
    sources: Sources,
    /// None until the database is open that servers share: they offer what is published in it.
    collection: Option<Collection>,
    /// Number of the publication that was read.
    publication: u64,
}

impl Offered {
    /// The studies and models of the folders, if these are offered.
    ///
    /// # Errors
    /// When a folder cannot be read, or there is one beside a shared database.
    pub fn of(config: &Config) -> anyhow::Result<Self> {
        let sources = sources(config);
        let is_shared = storage::is_server(&config.database);
        if is_shared {
            ensure!(
                sources.studies.is_none() && sources.models.is_none(),
                "servers that share a database offer what is published in it: run `redial study publish FOLDER`, with \
                 --models FOLDER if it has models of its own, and start the servers without --studies and --models"
            );
        } else {
            ensure!(
                !sources.no_demos || sources.studies.is_some(),
                "--no-demos leaves no study: name a folder with --studies"
            );
        }
        Ok(Self {
            collection: if is_shared {
                None
            } else {
                Some(Collection::load(&Published::default(), &sources)?)
            },
            sources,
            publication: 0,
        })
    }

    /// All of it, with what is published. Says what cannot be used, and why.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn with_published(
        mut self,
        storage: &dyn Storage,
    ) -> anyhow::Result<(Collection, Self)> {
        let collection = match self.collection.take() {
            Some(collection) => collection,
            None => {
                let published = storage.published().await?;
                self.publication = published.number;
                Collection::load(&published, &self.sources)?
            }
        };
        for refused in collection.models.refused() {
            eprintln!("redial: {refused}. It is left out.");
        }
        for refused in collection.catalogue.refused() {
            eprintln!(
                "redial: the study '{}' cannot be taken. The others can. Mend it, and start the server again, or publish it again if it was published:\n{refused}",
                refused.id
            );
        }
        Ok((collection, self))
    }

    /// Takes up what is published from now on, until the server stops.
    pub fn keep_current(self, state: &ServerState) -> impl Future<Output = ()> + use<> {
        keep_current(
            Arc::clone(&state.library),
            Arc::clone(&state.storage),
            self.sources,
            self.publication,
            state.stopping.clone(),
        )
    }
}
