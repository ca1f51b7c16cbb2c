//! The studies that can be taken and the models they are about, as they are now.

use std::sync::{Arc, PoisonError, RwLock};

use crate::catalogue::{Catalogue, StudyEntry};
use crate::platforms::Platforms;
use crate::zoo::Models;

/// Studies and models, which are replaced together when others are published, and where this server takes
/// participants from, which stays.
///
/// A caller that works with several studies or models takes one [`Collection`] and keeps it meanwhile.
#[derive(Debug, Default)]
pub struct Library {
    now: RwLock<Arc<Collection>>,
    stand_ins: Vec<String>,
    /// Where Prolific's keys are, if not where they are published.
    keys_of_prolific: Option<String>,
    /// The platforms that decisions can be sent to.
    platforms: Platforms,
}

/// Studies and the models they were checked with.
#[derive(Debug, Clone, Default)]
pub struct Collection {
    /// The studies.
    pub catalogue: Catalogue,
    /// The models.
    pub models: Arc<Models>,
}

impl Library {
    /// A library that begins with these.
    #[must_use]
    pub fn new(collection: Collection) -> Self {
        Self {
            now: RwLock::new(Arc::new(collection)),
            ..Self::default()
        }
    }

    /// The same, with origins such as `http://127.0.0.1:9000` that stand for every platform: they
    /// may show studies in a frame and are handed forms in. For tests.
    #[must_use]
    pub fn with_stand_ins(self, stand_ins: Vec<String>) -> Self {
        Self { stand_ins, ..self }
    }

    /// The same, with the keys that Prolific signs links with at another address.
    #[must_use]
    pub fn with_keys_of_prolific(self, url: Option<String>) -> Self {
        Self {
            keys_of_prolific: url,
            ..self
        }
    }

    /// The same, with platforms that decisions can be sent to.
    #[must_use]
    pub fn with_platforms(self, platforms: Platforms) -> Self {
        Self { platforms, ..self }
    }

    /// The platforms that decisions can be sent to.
    #[must_use]
    pub fn platforms(&self) -> &Platforms {
        &self.platforms
    }

    /// Where the keys are that Prolific signs links with.
    #[must_use]
    pub fn keys_of_prolific(&self) -> &str {
        let url = self.keys_of_prolific.as_deref();
        url.unwrap_or(crate::signed_links::KEYS_OF_PROLIFIC)
    }

    /// Origins that stand for every platform.
    #[must_use]
    pub fn stand_ins(&self) -> &[String] {
        &self.stand_ins
    }

    /// Studies and models as they are at one moment.
    #[must_use]
    pub fn now(&self) -> Arc<Collection> {
        let now = self.now.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&now)
    }

    /// The study of that name.
    #[must_use]
    pub fn study(&self, id: &str) -> Option<Arc<StudyEntry>> {
        self.now().catalogue.get(id).cloned()
    }

    /// The models.
    #[must_use]
    pub fn models(&self) -> Arc<Models> {
        Arc::clone(&self.now().models)
    }

    /// Takes other studies and models from now on. Sessions that have begun go on with what they began with.
    pub fn replace(&self, collection: Collection) {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        *now = Arc::new(collection);
    }
}
