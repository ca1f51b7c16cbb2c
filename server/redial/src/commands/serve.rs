//! `redial serve`: from settings to a listening server.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use domain::recruitment::assignment::Purpose;
use ipnet::IpNet;
#[cfg(unix)]
use server::control::ControlSocket;
use server::database::lock::Lock;
use server::erasure_keeper::ErasureKeeper;
use server::export_jobs::ExportJobs;
use server::library::Library;
use server::limits::Limits;
use server::openid::{OpenId, OpenIdSettings};
use server::platforms::Platforms;
use server::private_files;
use server::secrets::TokenHash;
use server::serve::{HangUp, Monitoring, ServeError, run, stop_on_signal};
use server::state::ServerState;
use server::storage::{self, Blob, BlobPlace, BlobStore, StorageError};
use server::system::System;
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::config::Config;
use crate::output::print;

mod https;
mod offered;

use https::{is_read_on_the_way, tls};
use offered::Offered;

/// Exit status after a failure of the disk, or the loss of a file: `EX_IOERR` of sysexits.h.
const IO_ERROR: i32 = 74;

/// Where this server keeps its exports and its list of erasures when the database is behind a server of its own.
const BESIDE_NOTHING: &str = "data/redial";

/// As many connections as the system allows, up to what is enough for everybody.
fn limits(trusted_proxies: Vec<IpNet>) -> Limits {
    let limits = Limits {
        trusted_proxies,
        ..Limits::default()
    };
    match rlimit::increase_nofile_limit(limits.descriptors()) {
        Ok(found) => {
            let wanted = limits.connections;
            let limits = limits.with_descriptors(found);
            if limits.connections < wanted {
                tracing::warn!(
                    connections = limits.connections,
                    "the system allows few open files, so few connections are taken; `ulimit -n` raises that"
                );
            }
            limits
        }
        Err(error) => {
            tracing::warn!(%error, "the limit of open files is unknown");
            limits
        }
    }
}

/// From now on, commands that change the database reach this server. It serves without that, too.
#[cfg(unix)]
fn answer_commands(lock: &mut Lock, state: &ServerState, address: String) {
    match ControlSocket::open(lock) {
        Ok(socket) => {
            let sessions = Arc::clone(&state.sessions);
            let access = Arc::clone(&state.access);
            tokio::spawn(socket.serve(sessions, access, address, state.stopping.clone()));
        }
        Err(error) => tracing::warn!(
            %error,
            "commands such as `redial study pause` cannot reach this server: its socket cannot be made"
        ),
    }
}

#[cfg(not(unix))]
fn answer_commands(_: &mut Lock, _: &ServerState, _: String) {}

/// The purpose of sessions that are started here.
fn purpose(config: &Config) -> Purpose {
    match (config.preview, config.pilot) {
        (true, _) => Purpose::Preview,
        (false, true) => Purpose::Pilot,
        (false, false) => Purpose::Participant,
    }
}

/// The platforms that decisions can be sent to.
fn platforms(config: &Config) -> anyhow::Result<Platforms> {
    let mut platforms = match &config.platform_credentials {
        Some(file) => Platforms::of_file(file)?,
        None => Platforms::default(),
    };
    if let Some(seconds) = config.decisions_wait {
        platforms.wait_ms = u64::from(seconds) * 1_000;
    }
    Ok(platforms)
}

/// Ends the process when a thread of the database breaks down. sqlx panics there when SQLite has no memory for a value, and
/// who waits for that thread may then wait for ever. Nothing acknowledged is lost: it is on disk.
fn end_with_the_database() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or_default();
        if name.starts_with(storage::DATABASE_THREADS) {
            // At once: to print where it happened takes a second, and meanwhile requests come.
            tracing::error!(%panic, "a thread of the database has broken down: the server ends");
            std::process::exit(IO_ERROR);
        }
        before(panic);
    }));
}

/// Warns where a bucket does not answer, or refuses.
async fn ask_bucket(blobs: Arc<dyn BlobStore>, bucket: String) {
    if let Err(error) = blobs.has(Blob::of([]).sha256()).await {
        tracing::warn!(
            bucket,
            %error,
            "no sound can be stored: the bucket that --blobs names does not do what it is asked for; its address, \
             region and keys are those of the environment (AWS_ENDPOINT, AWS_REGION, AWS_ACCESS_KEY_ID, \
             AWS_SECRET_ACCESS_KEY)"
        );
    }
}

/// Serves until told to stop, then finishes what is under way.
///
/// # Errors
/// When settings, models, studies, database or address are of no use.
pub async fn serve(mut config: Config) -> anyhow::Result<()> {
    let purpose = purpose(&config);
    // Kept until the process ends; the database goes with it.
    let _temporary = if config.preview {
        let folder = TempDir::with_prefix("redial-preview-").context("no temporary folder")?;
        config.database = storage::url_of(&folder.path().join("preview.db"));
        config.blobs = BlobPlace::Database;
        Some(folder)
    } else {
        None
    };
    end_with_the_database();
    let offered = Offered::of(&config)?;
    let platforms = platforms(&config)?;
    if let BlobPlace::Folder(folder) = &config.blobs
        && let Err(error) = private_files::create_folder(folder)
    {
        tracing::warn!(
            folder = %folder.display(),
            %error,
            "no sound can be stored: the folder that --blobs names cannot be made"
        );
    }
    let address = config.address();
    // Kept until the process ends.
    let mut lock = Lock::take(&config.database)?;
    let storage = storage::open(address).await?;
    if let BlobPlace::Bucket { .. } = &config.blobs {
        tokio::spawn(ask_bucket(storage.blobs(), config.blobs.to_string()));
    }
    let (collection, offered) = offered.with_published(&*storage).await?;
    let library = Library::new(collection)
        .with_stand_ins(config.stand_ins)
        .with_keys_of_prolific(config.prolific_keys)
        .with_platforms(platforms);
    let limits = limits(config.trusted_proxies);
    let openid = config.openid.as_deref().map(OpenIdSettings::of_file);
    let openid = openid.transpose()?;
    let state = ServerState {
        purpose,
        base: config.base_path,
        ..ServerState::new(storage, library, config.dist, System::default())
    };
    let mut state = state.with_limits(limits);
    state.openid = openid.map(|settings| Arc::new(OpenId::new(settings, System::default())));
    // One can be published later.
    let has_lab = state.storage.is_shared() || state.library.now().catalogue.has_lab_studies();
    // Once people have accounts, experimenters sign in.
    let lab_key = if has_lab && !state.access.has_accounts().await? {
        Some(state.sessions.lab_key().await?)
    } else {
        None
    };
    let scheme = if let Some(source) = config.tls {
        state.tls = Some(tls(source, &state).await?);
        "https"
    } else {
        "http"
    };
    let exports = ExportJobs::nowhere(
        Arc::clone(&state.storage),
        System::default(),
        state.stopping.clone(),
    );
    let beside = storage::path(&config.database)?.unwrap_or_else(|| PathBuf::from(BESIDE_NOTHING));
    let exports = exports
        .beside(&beside)
        .context("the folder for exports of the researcher's area cannot be used")?;
    if state.storage.is_shared() {
        let storage = Arc::clone(&state.storage);
        let mut keeper = ErasureKeeper::new(storage, &beside, &config.blobs)?;
        match keeper.catch_up().await {
            Ok(_) => {}
            // Participants do not wait for a bucket. The keeper tries again.
            Err(error @ StorageError::Blobs(_)) => tracing::warn!(
                %error,
                "the list of erasures cannot be read: a dump that was put back may have sessions that were erased"
            ),
            Err(error) => return Err(error).context("the list of erasures cannot be kept"),
        }
        tokio::spawn(keeper.keep(state.stopping.clone()));
        tokio::spawn(offered.keep_current(&state));
    }
    state.exports = Arc::new(exports);
    state.lab_key = lab_key.as_deref().map(TokenHash::of);
    // Before anything happens that is counted.
    let monitoring = match config.metrics {
        Some(address) => {
            let listener = TcpListener::bind(address).await;
            let listener =
                listener.with_context(|| format!("cannot listen on {address} for --metrics"))?;
            Some((Monitoring::install()?, listener))
        }
        None => None,
    };
    let listener = TcpListener::bind(config.bind)
        .await
        .with_context(|| format!("cannot listen on {}", config.bind))?;
    let address = format!("{}{}", listener.local_addr()?, state.base);
    if let Some(lock) = &mut lock {
        answer_commands(lock, &state, format!("{scheme}://{address}"));
    }

    let library = Arc::clone(&state.library);
    let has_terminal = std::io::stdin().is_terminal() || std::io::stderr().is_terminal();
    let hang_up = match &state.tls {
        Some(tls) if !has_terminal => HangUp::Renews(tls.clone()),
        _ => HangUp::Stops,
    };
    stop_on_signal(&state, hang_up);
    if is_read_on_the_way(config.bind, &state) {
        tracing::warn!(
            address = %config.bind,
            "this server speaks HTTP where others reach it: whoever is on the way reads answers and the secrets of \
             sessions. Serve HTTPS (--acme or --certificate), or name the proxy that does (--trusted-proxy)"
        );
    }
    // Programs that start the server wait for this line.
    print(&format!("listening on {scheme}://{address}\n"))?;
    if config.pilot {
        print(
            "pilot: sessions that are started now have no completion code, no way back to a platform \
             and no pay\n",
        )?;
    }
    if config.preview {
        let collection = library.now();
        let studies = collection.catalogue.iter().map(|entry| &entry.study.id);
        let lines = studies.map(|id| format!("preview: {scheme}://{address}/preview/{id}\n"));
        print(&lines.collect::<String>())?;
    }
    // The key stands behind `#`, so that browsers send it to nobody. A program that has seen enough with
    // the first line may have gone.
    if let Some(key) = lab_key {
        print(&format!(
            "lab sessions, for the experimenter alone: {scheme}://{address}/lab#{key}\n"
        ))?;
    } else if has_lab {
        print(&format!(
            "lab sessions, for experimenters who sign in: {scheme}://{address}/lab\n"
        ))?;
    }
    if let Some((monitoring, listener)) = monitoring {
        let address = listener.local_addr()?;
        print(&format!(
            "figures for Prometheus: http://{address}/metrics\n"
        ))?;
        tokio::spawn(monitoring.serve(listener, state.clone()));
    }
    match run(listener, state).await {
        // Not by way of `main`: closing the database would write to it once more.
        Err(error @ (ServeError::Unconfirmed | ServeError::Replaced)) => {
            tracing::error!(%error, "the server ends");
            std::process::exit(IO_ERROR);
        }
        ended => Ok(ended?),
    }
}
