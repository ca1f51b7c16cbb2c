//! HTTPS: browsers let a page use the microphone, or keep anything in a frame of another site, only
//! over HTTPS or on the machine itself.
//!
//! A certificate lies in files that somebody else renews, or the server gets and renews it itself ([`acme`]).

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Notify;
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{Acceptor, ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::storage::StorageError;
use acme::Acme;
use issued::IssuedCertificate;

pub mod acme;
mod issued;

/// Why a server cannot serve HTTPS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or holds something else.
    #[error("{}: {expected} is wanted there, in PEM: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The contents that are expected in it.
        expected: &'static str,
        /// The error in reading it.
        error: pem::Error,
    },
    /// There is no certificate in the file.
    #[error("{}: there is no certificate in it; it begins with -----BEGIN CERTIFICATE-----", .0.display())]
    Empty(PathBuf),
    /// Certificate and key are of no use together.
    #[error("certificate and key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
    /// A certificate does not say what certificates say.
    #[error("the certificate cannot be read: {0}")]
    Unreadable(String),
    /// The database does not say what the certificate is.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// How often it is looked whether there is another certificate.
const LOOKED_AT: Duration = Duration::from_secs(60);

/// HTTPS with a certificate that is renewed while the server runs.
#[derive(Clone)]
pub struct Tls {
    source: Source,
    served: Arc<Served>,
    config: Arc<ServerConfig>,
    look_now: Arc<Notify>,
}

/// Where a certificate comes from.
#[derive(Clone)]
enum Source {
    /// The program that renews it writes the same files.
    Files(Arc<Files>),
    Acme(Arc<Acme>),
}

struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

/// The certificate that connections that begin now are given; nothing as long as there is none.
#[derive(Debug, Default)]
struct Served(RwLock<Option<IssuedCertificate>>);

impl Tls {
    /// Reads a certificate, its chain behind it, and its key.
    ///
    /// # Errors
    /// When the files cannot be read, or do not belong together.
    pub fn open(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let files = Files {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
        };
        let first = files.read()?;
        let tls = Self::of(Source::Files(Arc::new(files)))?;
        tls.served.set(first);
        Ok(tls)
    }

    /// The certificate that the server gets itself; until there is one, connections fail.
    ///
    /// # Errors
    /// When the one of before cannot be read.
    pub async fn with_acme(acme: Arc<Acme>) -> Result<Self, TlsError> {
        let tls = Self::of(Source::Acme(acme))?;
        tls.renew().await?;
        Ok(tls)
    }

    fn of(source: Source) -> Result<Self, TlsError> {
        let served = Arc::new(Served::default());
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(served.clone());
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            source,
            served,
            config: Arc::new(config),
            look_now: Arc::default(),
        })
    }

    /// The ACME client that gets the certificate, if the server does that itself.
    #[must_use]
    pub fn acme(&self) -> Option<&Arc<Acme>> {
        match &self.source {
            Source::Files(_) => None,
            Source::Acme(acme) => Some(acme),
        }
    }

    /// Takes a connection over TLS 1.2 and 1.3 with the certificate of this moment. None for one that only asked whether
    /// this server has the name that it wants a certificate for: it has its answer.
    ///
    /// # Errors
    /// When the other side breaks off, or speaks something else.
    pub(crate) async fn accept<S>(&self, stream: S) -> std::io::Result<Option<TlsStream<S>>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let greeting = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
        let Some(name) = acme::asked_for(&greeting.client_hello()) else {
            let stream = greeting.into_stream(self.config.clone()).await?;
            return Ok(Some(stream));
        };
        let config = match self.acme() {
            Some(acme) => acme.challenge(&name).await,
            None => None,
        };
        let config = config.unwrap_or_else(|| self.config.clone());
        greeting.into_stream(config).await?.shutdown().await?;
        Ok(None)
    }

    /// Looks for another certificate; gives whether there was one. Connections that are open keep theirs.
    ///
    /// # Errors
    /// As [`open`](Self::open); then the certificate that was there stays.
    pub async fn renew(&self) -> Result<bool, TlsError> {
        let found = match &self.source {
            Source::Files(files) => {
                let files = files.clone();
                let read = tokio::task::spawn_blocking(move || files.read()).await;
                Some(read.map_err(StorageError::backend)??)
            }
            Source::Acme(acme) => acme.certificate().await?,
        };
        Ok(found.is_some_and(|found| self.served.set(found)))
    }

    /// Until when the certificate holds, in milliseconds since 1970; nothing without one.
    #[must_use]
    pub fn ends_at_unix_ms(&self) -> Option<u64> {
        self.served.now().map(|served| served.until_unix_ms)
    }

    /// Has it looked soon whether there is another certificate.
    pub fn look_now(&self) {
        self.look_now.notify_one();
    }

    /// Looks every minute, and when [`look_now`](Self::look_now) was called, until told to stop.
    pub async fn keep_renewed(self, stopping: CancellationToken) {
        // Each problem is told of once: files that are written one after the other do not fit for a moment.
        let mut told = String::new();
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                () = self.look_now.notified() => told.clear(),
                () = tokio::time::sleep(LOOKED_AT) => {}
            }
            let problem = match self.renew().await {
                Ok(true) => {
                    tracing::info!("a renewed certificate counts from now on");
                    String::new()
                }
                Ok(false) => String::new(),
                Err(error) => error.to_string(),
            };
            if !problem.is_empty() && problem != told {
                tracing::warn!(%problem, "the certificate cannot be read again; the one that was there stays");
            }
            told = problem;
        }
    }
}

impl Served {
    /// Serves this one from now on; whether it is another one.
    fn set(&self, issued: IssuedCertificate) -> bool {
        let mut served = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let is_other = served
            .as_ref()
            .is_none_or(|served| served.certified.cert != issued.certified.cert);
        if is_other {
            *served = Some(issued);
        }
        is_other
    }

    fn now(&self) -> Option<IssuedCertificate> {
        let served = self.0.read().unwrap_or_else(PoisonError::into_inner);
        served.clone()
    }
}

impl ResolvesServerCert for Served {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.now().map(|served| served.certified)
    }
}

impl Files {
    fn read(&self) -> Result<IssuedCertificate, TlsError> {
        let file = |path: &Path, expected| {
            let path = path.to_owned();
            move |error| TlsError::File {
                path,
                expected,
                error,
            }
        };
        let certificate = &self.certificate;
        let of_certificate = || file(certificate, "a certificate, then those it was signed with");
        let chain = CertificateDer::pem_file_iter(certificate)
            .map_err(of_certificate())?
            .collect::<Result<Vec<_>, _>>()
            .map_err(of_certificate())?;
        if chain.is_empty() {
            return Err(TlsError::Empty(certificate.to_owned()));
        }
        let key =
            PrivateKeyDer::from_pem_file(&self.key).map_err(file(&self.key, "a private key"))?;
        IssuedCertificate::of(CertifiedKey::from_der(chain, key, &default_provider())?)
    }
}
