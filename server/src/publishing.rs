//! Studies and models that are published: how they come from folders into the database, and from there to every server
//! on it.
//!
//! Published items are written into a temporary folder and read like any other folder of studies
//! and models, so that one reader checks both.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::catalogue::{Catalogue, CatalogueError};
use crate::library::{Collection, Library};
use crate::storage::{Publication, Published, Storage};
use crate::zoo::{Models, ModelsError};

mod gather;

pub use gather::{GatherError, gather};

/// Where published studies are, in an item's name and in the folder that is read.
const STUDIES: &str = "studies";

/// The same for models; bundles of concepts are in the folder `concepts` in it.
const MODELS: &str = "models";

/// How often a server looks whether something was published.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The sources of studies and models, besides the published ones.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Whether the studies that come with Redial are left out.
    pub no_demos: bool,
    /// A folder of studies. They take the place of published ones of the same name.
    pub studies: Option<PathBuf>,
    /// A folder of models, likewise.
    pub models: Option<PathBuf>,
}

/// Why studies and models could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum CollectionError {
    /// The models.
    #[error("the models cannot be loaded: {0}")]
    Models(#[from] Box<ModelsError>),
    /// The studies.
    #[error(transparent)]
    Studies(#[from] CatalogueError),
    /// A published item has a name that is none of a folder or file.
    #[error("something is published as '{0}', which this version does not know")]
    Name(String),
    /// There is no room for what is published.
    #[error("what is published cannot be written into a temporary folder: {0}")]
    Io(#[from] std::io::Error),
}

impl Published {
    /// The same after a change.
    #[must_use]
    pub fn after(mut self, change: &Publication) -> Self {
        let is_new = |item: &str| change.items.iter().any(|new| new.item == item);
        self.items
            .retain(|old| !is_new(&old.item) && !change.withdrawn.contains(&old.item));
        self.items.extend(change.items.iter().cloned());
        self
    }

    /// Writes everything into a folder.
    ///
    /// # Errors
    /// [`CollectionError::Name`] for what would lie elsewhere, and what the system says.
    pub fn write_into(&self, folder: &Path) -> Result<(), CollectionError> {
        for item in &self.items {
            let parts: Vec<&str> = item.item.split('/').collect();
            let is_known = matches!(
                &parts[..],
                [STUDIES | MODELS, name] | [MODELS, crate::zoo::CONCEPTS_FOLDER, name] if is_plain(name)
            );
            if !is_known {
                return Err(CollectionError::Name(item.item.clone()));
            }
            let folder = parts
                .iter()
                .fold(folder.to_owned(), |at, part| at.join(part));
            std::fs::create_dir_all(&folder)?;
            for file in &item.files {
                if !is_plain(&file.name) {
                    let name = format!("{}/{}", item.item, file.name);
                    return Err(CollectionError::Name(name));
                }
                std::fs::write(folder.join(&file.name), &*file.bytes)?;
            }
        }
        Ok(())
    }
}

/// Whether a name leads to something right in a folder.
fn is_plain(name: &str) -> bool {
    Path::new(name)
        .file_name()
        .is_some_and(|plain| plain == name)
        && !name.contains('\\')
}

impl Collection {
    /// The items that come with Redial, the published ones, and those in the folders; of several of the same
    /// name, the later. One that has mistakes stops nothing but itself, and is among those that are refused.
    ///
    /// # Errors
    /// When a folder cannot be read, or the temporary one not be written.
    pub fn load(published: &Published, sources: &Sources) -> Result<Self, CollectionError> {
        // Everything is read into memory, so the folder can go.
        let temporary = if published.items.is_empty() {
            None
        } else {
            let temporary = TempDir::with_prefix("redial-published-")?;
            published.write_into(temporary.path())?;
            Some(temporary)
        };
        let folders = |kind: &str, own: &Option<PathBuf>| {
            let published = temporary.iter().map(|it| it.path().join(kind));
            let published = published.filter(|path| path.is_dir());
            published.chain(own.clone()).collect::<Vec<_>>()
        };
        let models = Models::load(
            folders(MODELS, &sources.models)
                .iter()
                .map(PathBuf::as_path),
        )?;
        let studies = folders(STUDIES, &sources.studies);
        let studies = studies.iter().map(PathBuf::as_path);
        let catalogue = if sources.no_demos {
            Catalogue::without_shipped(studies, &models)?
        } else {
            Catalogue::load(studies, &models)?
        };
        Ok(Self {
            catalogue,
            models: Arc::new(models),
        })
    }

    /// Everything that cannot be used, a text each.
    #[must_use]
    pub fn refused(&self) -> Vec<String> {
        let studies = self
            .catalogue
            .refused()
            .map(|refused| format!("the study '{}' cannot be used:\n{refused}", refused.id));
        let models = self.models.refused().iter().cloned();
        models.chain(studies).collect()
    }
}

/// Takes up what is published within some seconds, until the server stops. `number` is that of the publication that the
/// library began with.
pub async fn keep_current(
    library: Arc<Library>,
    storage: Arc<dyn Storage>,
    sources: Sources,
    mut number: u64,
    stopping: CancellationToken,
) {
    let mut failed = None;
    loop {
        let rest = stopping.run_until_cancelled(tokio::time::sleep(LOOK_EVERY));
        if rest.await.is_none() {
            return;
        }
        match take_up(&library, &*storage, &sources, number).await {
            Ok(now) => (number, failed) = (now, None),
            // The same again is not said again.
            Err(error) if failed.as_ref() == Some(&error) => {}
            Err(error) => {
                tracing::warn!(error, "what was published is not taken up yet");
                failed = Some(error);
            }
        }
    }
}

async fn take_up(
    library: &Library,
    storage: &dyn Storage,
    sources: &Sources,
    number: u64,
) -> Result<u64, String> {
    let text = |error: crate::storage::StorageError| error.to_string();
    if storage.publication().await.map_err(text)? == number {
        return Ok(number);
    }
    let published = storage.published().await.map_err(text)?;
    let number = published.number;
    let sources = sources.clone();
    let loaded = tokio::task::spawn_blocking(move || Collection::load(&published, &sources)).await;
    let collection = loaded.map_err(|panic| panic.to_string())?;
    let collection = collection.map_err(|error| error.to_string())?;
    for refused in collection.refused() {
        tracing::warn!(
            refused,
            "something that is published cannot be used by this server"
        );
    }
    library.replace(collection);
    tracing::info!(number, "took up what was published");
    Ok(number)
}
