//! Changing the database: through the server that has it, or here.

use std::sync::Arc;

use anyhow::ensure;
use server::access::Access;
use server::control::{Delivery, Outcome, Request, send};
use server::library::{Collection, Library};
use server::processor::Processor;
use server::sessions::Sessions;
use server::storage;
use server::system::System;

use crate::collection_at_hand::collection_at_hand;
use crate::config::Config;

/// Has a request carried out; gives what that has led to.
///
/// # Errors
/// When the server that has the database, or the database, cannot do it.
pub async fn change(config: &Config, request: &Request) -> anyhow::Result<Outcome> {
    // Held until it is done.
    let _lock = match send(&config.database, request).await? {
        Delivery::CarriedOut(outcome) => return Ok(outcome),
        Delivery::NoServer(lock) => lock,
    };
    let collection = match collection_at_hand(config).await {
        Err(error) if !request.needs_studies() => {
            eprintln!("redial: note: {error}. This is done all the same.");
            Collection::default()
        }
        loaded => loaded?,
    };
    let library = Library::new(collection);
    let storage = storage::open(config.address()).await?;
    let sessions = Sessions::new(storage.clone(), Arc::new(library), System::default());
    let access = Access::new(storage.clone(), System::default(), Processor::default());
    let outcome = request.carry_out(&sessions, &access, None).await;
    storage.close().await;
    Ok(outcome?)
}

/// # Errors
/// When there is no database, which a command that changes something must not make.
pub fn there_is_a_database(config: &Config) -> anyhow::Result<()> {
    let Some(database) = storage::path(&config.database)? else {
        return Ok(()); // opening it tells
    };
    ensure!(
        database.exists(),
        "there is no database {}; name it with --database. A server makes it when it first starts",
        database.display()
    );
    Ok(())
}
