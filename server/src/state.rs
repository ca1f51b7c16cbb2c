//! State that every request handler can reach.

use std::path::PathBuf;
use std::sync::Arc;

use domain::recruitment::assignment::Purpose;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::Access;
use crate::app_files::OtherVersions;
use crate::assets::Assets;
use crate::base_path::BasePath;
use crate::export_jobs::ExportJobs;
use crate::library::Library;
use crate::limits::{FairQuota, Limits, Starts};
use crate::live::Live;
use crate::node::Node;
use crate::openid::OpenId;
use crate::page_errors::PageErrors;
use crate::processor::Lanes;
use crate::results::{StudyResults, Workplace};
use crate::secrets::TokenHash;
use crate::sessions::Sessions;
use crate::simulation_jobs::SimulationJobs;
use crate::storage::Storage;
use crate::summaries::Summaries;
use crate::system::System;
use crate::tls::Tls;

/// How many whole logs are sent to one address at a time. Most take some milliseconds.
const LOG_ANSWERS_OF_ONE: usize = 8;

/// The server's parts. Cloning shares them.
#[derive(Clone)]
pub struct ServerState {
    /// Where everything is kept.
    pub storage: Arc<dyn Storage>,
    /// The sessions in it.
    pub sessions: Arc<Sessions>,
    /// Rows of the table of sessions.
    pub summaries: Arc<Summaries>,
    /// Studies as they go on.
    pub live: Arc<Live>,
    /// The people who may enter the researcher's area.
    pub access: Arc<Access>,
    /// The provider that people can sign in through, if there is one.
    pub openid: Option<Arc<OpenId>>,
    /// Exports that are made for the researcher's area.
    pub exports: Arc<ExportJobs>,
    /// Analyses and the like that are worked out for the researcher's area.
    pub results: Arc<StudyResults>,
    /// Simulated people whom the researcher's area lets take studies.
    pub simulations: Arc<SimulationJobs>,
    /// The studies that can be taken, and the models they are about.
    pub library: Arc<Library>,
    /// The browser app.
    pub assets: Arc<Assets>,
    /// The files of the app that servers of other versions have.
    pub other_versions: Arc<OtherVersions>,
    /// The path that everything lies below.
    pub base: BasePath,
    /// The errors that pages report of themselves.
    pub page_errors: Arc<PageErrors>,
    /// The limits on what one client may take of the server.
    pub limits: Limits,
    /// Bytes of requests and messages that are not answered yet.
    pub bytes: Arc<FairQuota>,
    /// Large requests and messages that are worked on: one of each address at a time.
    pub large_requests: Arc<Lanes>,
    /// Whole logs that are sent: some of each address at a time.
    pub log_answers: Arc<Lanes>,
    /// How often sessions were started, by address.
    pub starts: Arc<Starts>,
    /// The purpose of sessions that are started over HTTP. On a server that runs for looking at
    /// studies ([`Purpose::Preview`]) they begin at any part.
    pub purpose: Purpose,
    /// HTTPS; none: plain HTTP.
    pub tls: Option<Tls>,
    /// The hash that the key that opens lab sessions is checked against; none where no study is run in a lab.
    pub lab_key: Option<TokenHash>,
    /// This server among others on its database.
    pub node: Arc<Node>,
    /// Cancelled when the server is to stop.
    pub stopping: CancellationToken,
    /// Open WebSockets.
    pub sockets: TaskTracker,
}

impl ServerState {
    /// A server over a storage; `dist` is the folder of the browser app, if not the embedded one.
    /// Time and randomness come from `system`.
    #[must_use]
    pub fn new(
        storage: Arc<dyn Storage>,
        library: Library,
        dist: Option<PathBuf>,
        system: System,
    ) -> Self {
        let library = Arc::new(library);
        let sessions = Arc::new(Sessions::new(
            storage.clone(),
            library.clone(),
            system.clone(),
        ));
        let processor = sessions.processor().clone();
        let stopping = CancellationToken::new();
        let summaries = Summaries::new(storage.clone(), processor.clone(), stopping.clone());
        let summaries = Arc::new(summaries);
        let live = Live::new(
            sessions.clone(),
            summaries.clone(),
            library.clone(),
            stopping.clone(),
        );
        let workplace = Workplace::new(system.clone(), stopping.clone());
        let results = StudyResults::new(storage.clone(), &library, &workplace);
        Self {
            results: Arc::new(results),
            simulations: Arc::new(SimulationJobs::new(
                storage.clone(),
                library.clone(),
                system.clone(),
                stopping.clone(),
            )),
            exports: Arc::new(ExportJobs::nowhere(
                storage.clone(),
                system.clone(),
                stopping.clone(),
            )),
            access: Arc::new(Access::new(storage.clone(), system, processor)),
            openid: None,
            summaries,
            live,
            sessions,
            storage,
            library,
            assets: Arc::new(Assets::new(dist)),
            other_versions: Arc::default(),
            base: BasePath::default(),
            page_errors: Arc::default(),
            bytes: FairQuota::new(Limits::default().bytes),
            large_requests: Lanes::new(1),
            log_answers: Lanes::new(LOG_ANSWERS_OF_ONE),
            starts: Arc::new(Starts::new(&Limits::default())),
            limits: Limits::default(),
            purpose: Purpose::Participant,
            lab_key: None,
            tls: None,
            node: Arc::default(),
            stopping,
            sockets: TaskTracker::new(),
        }
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self {
            starts: Arc::new(Starts::new(&limits)),
            bytes: FairQuota::new(limits.bytes),
            limits,
            ..self
        }
    }
}
