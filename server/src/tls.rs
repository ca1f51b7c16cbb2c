//! HTTPS: browsers let a page use the microphone, or keep anything in a frame of another site, only
//! over HTTPS or on the machine itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

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

/// What takes connections over TLS 1.2 and 1.3 with a certificate, its chain behind it, and its key.
/// Both are read once: a new certificate counts from the next start on.
///
/// # Errors
/// When the files cannot be read, or do not belong together.
pub fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, TlsError> {
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
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
