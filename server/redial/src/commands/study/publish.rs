//! `redial study publish` and its like: what all servers on a database offer.

use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;
use server::folder::NewFolder;
use server::library::Collection;
use server::publishing::{Sources, gather};
use server::storage::{self, Publication, Published, PublishedItem};
use server::system::System;

use crate::collection_at_hand::{collection_at_hand, sources};
use crate::config::Config;
use crate::output::print;

/// `redial study publish …`
#[derive(Debug, Clone, Args)]
pub struct PublishArgs {
    /// Folder of studies, folder of one study, or a study's file. With --models the models of that folder are
    /// published, too
    folder: PathBuf,
}

/// `redial study published …`
#[derive(Debug, Clone, Args)]
pub struct PublishedArgs {
    /// Write everything into this new folder, as it was published
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// `redial study withdraw …`
#[derive(Debug, Clone, Args)]
pub struct WithdrawArgs {
    /// What is published no longer: studies/NAME, models/NAME or models/concepts/NAME
    #[arg(required = true, value_name = "ITEM")]
    items: Vec<String>,
}

/// Publishes studies and models. Nothing is published if one of them has a mistake.
///
/// # Errors
/// When one has a mistake, or the database is no shared one or fails.
pub async fn publish(config: &Config, args: &PublishArgs) -> anyhow::Result<()> {
    is_shared(config)?;
    let models = collection_at_hand(config).await?.models;
    let items = gather(&args.folder, config.models.as_deref(), &models)?;
    let said = items.iter().map(described).collect();
    change(config, items, Vec::new(), said).await
}

/// Publishes something no longer.
///
/// # Errors
/// When it is not published, something else that is published needs it, or the database is no shared one or fails.
pub async fn withdraw(config: &Config, args: &WithdrawArgs) -> anyhow::Result<()> {
    is_shared(config)?;
    let said = args.items.iter().map(|item| format!("{item}: withdrawn\n"));
    change(config, Vec::new(), args.items.clone(), said.collect()).await
}

/// Prints or writes what is published.
///
/// # Errors
/// When the database fails, or the folder cannot be written.
pub async fn published(config: &Config, args: &PublishedArgs) -> anyhow::Result<()> {
    let archive = storage::open_archive(config.address()).await?;
    let published = archive.published().await;
    archive.close().await;
    let published = published?;
    if let Some(out) = &args.out {
        let folder = NewFolder::new(out)?;
        published.write_into(folder.path())?;
        folder.publish()?;
    }
    let said: String = published.items.iter().map(described).collect();
    print(match &*said {
        "" => "Nothing is published.\n",
        said => said,
    })?;
    Ok(())
}

fn is_shared(config: &Config) -> anyhow::Result<()> {
    ensure!(
        storage::is_server(&config.database),
        "studies are published for servers that share a PostgreSQL database; name it with --database. A server on a \
         SQLite file reads its studies from a folder: start it with --studies FOLDER"
    );
    Ok(())
}

fn described(item: &PublishedItem) -> String {
    let bytes: usize = item.files.iter().map(|file| file.bytes.len()).sum();
    let files = match item.files.len() {
        1 => "1 file".to_owned(),
        files => format!("{files} files"),
    };
    format!("{}: {files}, {} kB\n", item.item, bytes.div_ceil(1_000))
}

/// Changes what is published, if servers can use all of it then.
async fn change(
    config: &Config,
    items: Vec<PublishedItem>,
    withdrawn: Vec<String>,
    said: String,
) -> anyhow::Result<()> {
    let change = Publication {
        items,
        withdrawn,
        at_unix_ms: System::default().clock.now_unix_ms(),
    };
    let storage = storage::open(config.address()).await?;
    let published = async {
        let before = storage.published().await?;
        for item in &change.withdrawn {
            ensure!(
                before.items.iter().any(|published| published.item == *item),
                "{item} is not published; `redial study published` lists what is"
            );
        }
        is_usable(config, before.after(&change))?;
        let number = storage.publish(change).await?;
        number.context("nothing was changed")
    };
    let published = published.await;
    storage.close().await;
    let number = published?;
    Ok(print(&format!(
        "{said}Publication {number}: servers take it up within 5 seconds. Sessions that have begun go on as they began.\n"
    ))?)
}

/// Studies and models that a server would refuse are not published.
fn is_usable(config: &Config, after: Published) -> anyhow::Result<()> {
    let without_folders = Sources {
        studies: None,
        models: None,
        ..sources(config)
    };
    let refused = Collection::load(&after, &without_folders)?.refused();
    ensure!(
        refused.is_empty(),
        "servers could not use all of it, so nothing was changed:\n{}",
        refused.join("\n")
    );
    Ok(())
}
