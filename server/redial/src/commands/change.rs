//! Changing the database: through the server that has it, or here.

use std::sync::Arc;

use server::catalogue::Catalogue;
use server::control::{Delivery, Request, send};
use server::sessions::Sessions;
use server::storage;
use server::system::System;

use crate::config::Config;
use crate::models_at_hand::models_at_hand;

/// Has a request carried out; gives the number of records that it changed.
///
/// # Errors
/// When the server that has the database, or the database, cannot do it.
pub async fn change(config: &Config, request: &Request) -> anyhow::Result<u64> {
    // Held until it is done.
    let _lock = match send(&config.database, request).await? {
        Delivery::CarriedOut { changed } => return Ok(changed),
        Delivery::NoServer(lock) => lock,
    };
    let models = models_at_hand(config)?;
    let catalogue = match Catalogue::load(config.studies.as_deref(), &models) {
        Err(error) if !request.needs_studies() => {
            eprintln!("redial: note: {error}. This is done all the same.");
            Catalogue::default()
        }
        loaded => loaded?,
    };
    let storage = storage::open(&config.database).await?;
    let sessions = Sessions::new(
        storage.clone(),
        Arc::new(models),
        Arc::new(catalogue),
        System::default(),
    );
    let changed = request.carry_out(&sessions).await;
    storage.close().await;
    Ok(changed?)
}
