//! Settings: from flags, the environment, a file, and what goes without saying, in that order.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use ipnet::IpNet;
use serde::Deserialize;
use server::base_path::BasePath;
use server::storage::{BlobPlace, DatabaseAddress};

mod certificate_source;
mod trusted_proxy;

pub use certificate_source::{CertificateOptions, CertificateSource};
pub use trusted_proxy::TrustedProxy;

/// Address listened on unless another is set.
const BIND: &str = "127.0.0.1:8080";
/// Database unless another is set.
const DATABASE: &str = "sqlite://data/redial.db";
/// Settings that are read where no other file is named.
const SETTINGS_FILE: &str = "redial.toml";
/// Log level unless another is set.
const LOG: &str = "info";

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line, for programs.
    Json,
}

/// Settings of every command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Settings of every command")]
pub struct CommonSettings {
    /// File with settings in TOML: the long names of these options, with _ for -.
    /// Flags and environment go before it [default: redial.toml in this folder, if there is one]
    #[arg(long, global = true, value_name = "FILE", env = "REDIAL_CONFIG")]
    pub config: Option<PathBuf>,
    /// Where sessions are kept: a file, or an address [default: sqlite://data/redial.db]
    #[arg(long, global = true, value_name = "FILE|URL", env = "REDIAL_DATABASE")]
    pub database: Option<String>,
    /// Where sound and models are kept, which are large: 'database', a folder, or a bucket such as s3://bucket/prefix,
    /// whose keys come from the environment (AWS_ACCESS_KEY_ID and its like) [default: database]
    #[arg(long, global = true, value_name = "DIR|URL", env = "REDIAL_BLOBS")]
    pub blobs: Option<BlobPlace>,
    /// Folder with your studies: each a folder with study.json, or a file ID.json.
    /// One named like a shipped study takes its place
    #[arg(long, global = true, value_name = "DIR", env = "REDIAL_STUDIES")]
    pub studies: Option<PathBuf>,
    /// Folder with your models: each a folder with card.json.
    /// One named like a shipped model takes its place
    #[arg(long, global = true, value_name = "DIR", env = "REDIAL_MODELS")]
    pub models: Option<PathBuf>,
    /// Draw no signs of progress. Where standard error is no terminal there are none anyway
    #[arg(long, global = true)]
    pub quiet: bool,
    /// What is logged: error, warn, info, debug, trace, or a filter
    /// such as info,server=debug [default: info]
    #[arg(long, global = true, value_name = "LEVEL", env = "REDIAL_LOG")]
    pub log: Option<String>,
    /// How log lines look [default: text]
    #[arg(long, global = true, value_name = "FORMAT", env = "REDIAL_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,
}

/// Settings of `redial serve`.
#[derive(Debug, Clone, Default, Args)]
pub struct ServeSettings {
    /// Address and port to listen on; port 0 takes a free one [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR", env = "REDIAL_BIND")]
    pub bind: Option<SocketAddr>,
    /// Path that everything lies below, such as /redial/, where a proxy passes on that path alone. The
    /// proxy keeps the path as it is [default: /]
    #[arg(long, value_name = "PATH", env = "REDIAL_BASE_PATH")]
    pub base_path: Option<BasePath>,
    /// Folder with the built browser app, instead of the one inside this program
    #[arg(long, value_name = "DIR", env = "REDIAL_DIST")]
    pub dist: Option<PathBuf>,
    /// Addresses of proxies before this server, such as 127.0.0.1 or 10.0.0.0/8, whose
    /// X-Forwarded-For says who a request comes from. May be given several times
    #[arg(
        long,
        value_name = "NET",
        env = "REDIAL_TRUSTED_PROXY",
        value_delimiter = ','
    )]
    pub trusted_proxy: Vec<TrustedProxy>,
    /// Where the certificate for HTTPS comes from.
    #[command(flatten)]
    pub certificate: CertificateOptions,
    /// For tests: origins such as http://127.0.0.1:9000 that stand for recruitment platforms. They
    /// may show studies in a frame, and forms for Mechanical Turk may go there
    #[arg(long, value_name = "ORIGIN", hide = true, value_delimiter = ',')]
    pub stand_in: Vec<String>,
    /// Address of the keys that Prolific signs links with
    /// [default: https://api.prolific.com/.well-known/study/jwks.json]
    #[arg(long, value_name = "URL", env = "REDIAL_PROLIFIC_KEYS")]
    pub prolific_keys: Option<String>,
    /// File with the credentials of Prolific or Mechanical Turk, a line NAME=value each, as for `redial
    /// platform`: with it, decisions of the researcher's area are sent from here
    #[arg(long, value_name = "FILE", env = "REDIAL_PLATFORM_CREDENTIALS")]
    pub platform_credentials: Option<PathBuf>,
    /// How long a decision for a platform can be taken back before it is sent, in seconds
    /// [default: 600]
    #[arg(long, value_name = "SECONDS", env = "REDIAL_DECISIONS_WAIT")]
    pub decisions_wait: Option<u32>,
    /// File that says which provider of OpenID Connect researchers can sign in through, beside passwords, a line
    /// NAME=value each: ISSUER, CLIENT_ID, CLIENT_SECRET, NAME (for the button), UNKNOWN (what becomes of people who
    /// have no account: refuse or wait)
    #[arg(long, value_name = "FILE", env = "REDIAL_OPENID")]
    pub openid: Option<PathBuf>,
    /// Address and port at which figures for Prometheus are shown, at /metrics: how the server does, nothing of
    /// participants. Whoever reaches it reads them, so take one that others do not reach
    #[arg(long, value_name = "ADDR", env = "REDIAL_METRICS")]
    pub metrics: Option<SocketAddr>,
    /// Serve the studies of your folder alone, without those that come with Redial
    #[arg(long, env = "REDIAL_NO_DEMOS")]
    pub no_demos: bool,
    /// Sessions that are started now are pilots: kept and exported, but never counted. They have no
    /// completion code, no way back to a platform and no pay
    #[arg(long, env = "REDIAL_PILOT")]
    pub pilot: bool,
    /// Look at your studies before anybody takes them: open any part, in any cell and language. Nothing
    /// is stored: the database is a temporary one
    #[arg(long, env = "REDIAL_PREVIEW", conflicts_with = "pilot")]
    pub preview: bool,
}

/// The settings that a file can hold. Paths in it are relative to the folder the command runs in.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    bind: Option<SocketAddr>,
    base_path: Option<BasePath>,
    database: Option<String>,
    blobs: Option<BlobPlace>,
    studies: Option<PathBuf>,
    models: Option<PathBuf>,
    dist: Option<PathBuf>,
    trusted_proxy: Vec<TrustedProxy>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    acme: Vec<String>,
    acme_contact: Option<String>,
    acme_directory: Option<String>,
    acme_roots: Option<PathBuf>,
    platform_credentials: Option<PathBuf>,
    decisions_wait: Option<u32>,
    openid: Option<PathBuf>,
    metrics: Option<SocketAddr>,
    log: Option<String>,
    log_format: Option<LogFormat>,
    simulated: bool,
}

/// All settings, decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Address and port listened on.
    pub bind: SocketAddr,
    /// Path that everything lies below.
    pub base_path: BasePath,
    /// Where sessions are kept.
    pub database: String,
    /// Where its blobs are kept.
    pub blobs: BlobPlace,
    /// Folder with further studies.
    pub studies: Option<PathBuf>,
    /// Folder with further models.
    pub models: Option<PathBuf>,
    /// Folder with the built browser app; absent: the embedded one.
    pub dist: Option<PathBuf>,
    /// Proxies before this server.
    pub trusted_proxies: Vec<IpNet>,
    /// Where the certificate for HTTPS comes from; absent: plain HTTP.
    pub tls: Option<CertificateSource>,
    /// Whether the studies that come with Redial are left out.
    pub no_demos: bool,
    /// Origins that stand for platforms, in tests.
    pub stand_ins: Vec<String>,
    /// Address of the keys that Prolific signs links with, if not where they are published.
    pub prolific_keys: Option<String>,
    /// File with the credentials of platforms, for sending decisions.
    pub platform_credentials: Option<PathBuf>,
    /// How long a decision can be taken back, in seconds, if not as long as usual.
    pub decisions_wait: Option<u32>,
    /// File that says which provider people can sign in through.
    pub openid: Option<PathBuf>,
    /// Where figures for Prometheus are shown; absent: nowhere.
    pub metrics: Option<SocketAddr>,
    /// Whether sessions that are started are pilots.
    pub pilot: bool,
    /// Whether the server runs for looking at studies.
    pub preview: bool,
    /// The filter of the log, in the form of `tracing`.
    pub log: String,
    /// How log lines look.
    pub log_format: LogFormat,
    /// Whether commands that read a study's sessions take those of simulated people.
    pub simulated: bool,
}

impl Config {
    /// Decides every setting: flag or environment (which clap has merged), then file, then default.
    ///
    /// # Errors
    /// When the file cannot be read, or holds something that is no setting.
    pub fn load(shared: CommonSettings, serving: ServeSettings) -> anyhow::Result<Self> {
        let file = match &shared.config {
            Some(path) => read(path)?,
            None if Path::new(SETTINGS_FILE).is_file() => read(Path::new(SETTINGS_FILE))?,
            None => File::default(),
        };
        Self::decide(shared, serving, file)
    }

    /// Where the database is, and its blobs.
    pub fn address(&self) -> DatabaseAddress {
        let (url, blobs) = (self.database.clone(), self.blobs.clone());
        DatabaseAddress { url, blobs }
    }

    fn decide(shared: CommonSettings, serving: ServeSettings, file: File) -> anyhow::Result<Self> {
        Ok(Self {
            bind: match serving.bind.or(file.bind) {
                Some(bind) => bind,
                None => BIND.parse()?,
            },
            base_path: serving.base_path.or(file.base_path).unwrap_or_default(),
            database: address_of(
                shared
                    .database
                    .or(file.database)
                    .unwrap_or_else(|| DATABASE.to_owned()),
            ),
            blobs: shared.blobs.or(file.blobs).unwrap_or_default(),
            studies: shared.studies.or(file.studies),
            models: shared.models.or(file.models),
            dist: serving.dist.or(file.dist),
            trusted_proxies: {
                let given = [serving.trusted_proxy, file.trusted_proxy];
                let first = given.into_iter().find(|given| !given.is_empty());
                first
                    .into_iter()
                    .flatten()
                    .map(|TrustedProxy(net)| net)
                    .collect()
            },
            tls: CertificateSource::decide(
                serving.certificate,
                CertificateOptions {
                    certificate: file.certificate,
                    key: file.key,
                    acme: file.acme,
                    acme_contact: file.acme_contact,
                    acme_directory: file.acme_directory,
                    acme_roots: file.acme_roots,
                },
            )?,
            no_demos: serving.no_demos,
            stand_ins: serving.stand_in,
            prolific_keys: serving.prolific_keys,
            platform_credentials: serving.platform_credentials.or(file.platform_credentials),
            decisions_wait: serving.decisions_wait.or(file.decisions_wait),
            openid: serving.openid.or(file.openid),
            metrics: serving.metrics.or(file.metrics),
            pilot: serving.pilot,
            preview: serving.preview,
            log: shared.log.or(file.log).unwrap_or_else(|| LOG.to_owned()),
            log_format: shared.log_format.or(file.log_format).unwrap_or_default(),
            simulated: file.simulated,
        })
    }
}

/// The address of a database; people name a file, too.
pub fn address_of(named: String) -> String {
    if named.contains("://") || named.starts_with("sqlite:") {
        named
    } else {
        server::storage::url_of(Path::new(&named))
    }
}

fn read(path: &Path) -> anyhow::Result<File> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("the settings file {} cannot be read", path.display()))?;
    toml::from_str(&text).with_context(|| format!("in the settings file {}", path.display()))
}

#[cfg(test)]
mod tests;
