//! What every request handler can reach.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::assets::Assets;
use crate::base_path::BasePath;
use crate::catalogue::Catalogue;
use crate::limits::{Limits, Starts};
use crate::page_errors::PageErrors;
use crate::secrets::TokenHash;
use crate::sessions::Sessions;
use crate::storage::Storage;
use crate::system::System;
use crate::zoo::Models;

/// The server's parts. Cloning shares them.
#[derive(Clone)]
pub struct AppState {
    /// Where everything is kept.
    pub storage: Arc<dyn Storage>,
    /// The sessions in it.
    pub sessions: Arc<Sessions>,
    /// The studies that can be taken.
    pub catalogue: Arc<Catalogue>,
    /// The models they are about.
    pub models: Arc<Models>,
    /// The browser app.
    pub assets: Arc<Assets>,
    /// The path that everything lies below.
    pub base: BasePath,
    /// What pages report of themselves.
    pub page_errors: Arc<PageErrors>,
    /// What one client may take of it.
    pub limits: Limits,
    /// How often sessions were started, by address.
    pub starts: Arc<Starts>,
    /// Whether sessions that participants start are pilots, which no quota counts.
    pub pilot: bool,
    /// Whether the server runs for looking at studies: then sessions begin at any part, and none is data.
    pub preview: bool,
    /// What connections are taken over TLS with; none: plain HTTP.
    pub tls: Option<TlsAcceptor>,
    /// What the key that opens lab sessions is checked against; none where no study is run in a lab.
    pub lab_key: Option<TokenHash>,
    /// Cancelled when the server is to stop.
    pub stopping: CancellationToken,
    /// Open WebSockets.
    pub sockets: TaskTracker,
}

impl AppState {
    /// A server over a storage; `dist` is the folder of the browser app, if not the embedded one.
    /// Time and randomness come from `system`.
    #[must_use]
    pub fn new(
        storage: Arc<dyn Storage>,
        catalogue: Catalogue,
        models: Models,
        dist: Option<PathBuf>,
        system: System,
    ) -> Self {
        let (models, catalogue) = (Arc::new(models), Arc::new(catalogue));
        Self {
            sessions: Arc::new(Sessions::new(
                storage.clone(),
                models.clone(),
                catalogue.clone(),
                system,
            )),
            storage,
            catalogue,
            models,
            assets: Arc::new(Assets::new(dist)),
            base: BasePath::default(),
            page_errors: Arc::default(),
            starts: Arc::new(Starts::new(&Limits::default())),
            limits: Limits::default(),
            pilot: false,
            preview: false,
            lab_key: None,
            tls: None,
            stopping: CancellationToken::new(),
            sockets: TaskTracker::new(),
        }
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self {
            starts: Arc::new(Starts::new(&limits)),
            limits,
            ..self
        }
    }
}
