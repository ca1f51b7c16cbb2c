//! HTTPS: browsers let a page use the microphone, or keep anything in a frame of another site, only
//! over HTTPS or on the machine itself.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_util::sync::CancellationToken;

/// Why a server cannot serve HTTPS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or holds something else.
    #[error("{}: {expected} is wanted there, in PEM: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is expected in it.
        expected: &'static str,
        /// What is wrong.
        error: pem::Error,
    },
    /// There is no certificate in the file.
    #[error("{}: there is no certificate in it; it begins with -----BEGIN CERTIFICATE-----", .0.display())]
    Empty(PathBuf),
    /// Certificate and key are of no use together.
    #[error("certificate and key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

/// How often the files are looked at.
const LOOKED_AT: Duration = Duration::from_secs(60);

/// HTTPS with a certificate that is renewed while the server runs: whoever renews it writes the same files.
#[derive(Clone)]
pub struct Tls {
    from: Arc<Certificate>,
    acceptor: TlsAcceptor,
}

/// A certificate and where it comes from.
#[derive(Debug)]
struct Certificate {
    certificate: PathBuf,
    key: PathBuf,
    served: RwLock<Served>,
    look_now: Notify,
}

/// What connections that begin now are given.
#[derive(Debug)]
struct Served {
    chain: Vec<CertificateDer<'static>>,
    certified: Arc<CertifiedKey>,
}

impl Tls {
    /// Reads a certificate, its chain behind it, and its key.
    ///
    /// # Errors
    /// When the files cannot be read, or do not belong together.
    pub fn open(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let from = Arc::new(Certificate {
            served: RwLock::new(read(certificate, key)?),
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            look_now: Notify::new(),
        });
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(from.clone());
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Ok(Self { from, acceptor })
    }

    /// What takes connections over TLS 1.2 and 1.3, each with the certificate of the moment when it begins.
    pub(crate) fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }

    /// Reads the files again; gives whether there was another certificate. Connections that are open keep theirs.
    ///
    /// # Errors
    /// As [`open`](Self::open); then the certificate that was there stays.
    pub fn renew(&self) -> Result<bool, TlsError> {
        let read = read(&self.from.certificate, &self.from.key)?;
        let mut served = self
            .from
            .served
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let is_other = served.chain != read.chain;
        if is_other {
            *served = read;
        }
        Ok(is_other)
    }

    /// Has the files looked at soon.
    pub fn look_now(&self) {
        self.from.look_now.notify_one();
    }

    /// Looks at the files every minute, and when [`look_now`](Self::look_now) was called, until told to stop.
    pub async fn keep_renewed(self, stopping: CancellationToken) {
        // Each problem is told of once: files that are written one after the other do not fit for a moment.
        let mut told = String::new();
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                () = self.from.look_now.notified() => told.clear(),
                () = tokio::time::sleep(LOOKED_AT) => {}
            }
            let tls = self.clone();
            let looked = tokio::task::spawn_blocking(move || tls.renew()).await;
            let problem = match looked {
                Ok(Ok(is_other)) => {
                    if is_other {
                        let certificate = self.from.certificate.display();
                        tracing::info!(%certificate, "a renewed certificate counts from now on");
                    }
                    String::new()
                }
                Ok(Err(error)) => error.to_string(),
                Err(error) => error.to_string(),
            };
            if !problem.is_empty() && problem != told {
                tracing::warn!(%problem, "the certificate cannot be read again; the one that was there stays");
            }
            told = problem;
        }
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let served = self.served.read().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(&served.certified))
    }
}

fn read(certificate: &Path, key: &Path) -> Result<Served, TlsError> {
    let file = |path: &Path, expected| {
        let path = path.to_owned();
        move |error| TlsError::File {
            path,
            expected,
            error,
        }
    };
    let of_certificate = || file(certificate, "a certificate, then those it was signed with");
    let chain = CertificateDer::pem_file_iter(certificate)
        .map_err(of_certificate())?
        .collect::<Result<Vec<_>, _>>()
        .map_err(of_certificate())?;
    if chain.is_empty() {
        return Err(TlsError::Empty(certificate.to_owned()));
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(file(key, "a private key"))?;
    let certified = CertifiedKey::from_der(chain.clone(), key, &default_provider())?;
    Ok(Served {
        chain,
        certified: Arc::new(certified),
    })
}
