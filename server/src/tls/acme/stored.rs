//! Certificates with their keys as the database keeps them.

use rcgen::{CertificateParams, CustomExtension, KeyPair};
use serde::{Deserialize, Serialize};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::sign::CertifiedKey;

use super::super::TlsError;
use super::AcmeError;

/// A certificate as the database keeps it, or what a challenge is answered with.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredCertificate {
    /// PEM.
    pub chain: String,
    /// PEM.
    pub key: String,
}

impl StoredCertificate {
    /// The certificate with its key.
    pub fn certified(&self) -> Result<CertifiedKey, TlsError> {
        let unusable = |error: pem::Error| TlsError::Unreadable(error.to_string());
        let chain = CertificateDer::pem_slice_iter(self.chain.as_bytes());
        let chain: Vec<_> = chain.collect::<Result<_, _>>().map_err(unusable)?;
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).map_err(unusable)?;
        Ok(CertifiedKey::from_der(chain, key, &default_provider())?)
    }

    /// The same, of a certificate that only an authority looks at: it has an extension that rustls does not know, so that
    /// it is not compared with its key.
    pub fn unchecked(&self) -> Option<CertifiedKey> {
        let chain = CertificateDer::pem_slice_iter(self.chain.as_bytes());
        let chain = chain.collect::<Result<Vec<_>, _>>().ok()?;
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).ok()?;
        let key = default_provider().key_provider.load_private_key(key);
        Some(CertifiedKey::new(chain, key.ok()?))
    }
}

/// The certificate that an authority wants to see (RFC 8737, section 3).
pub(super) fn answer_to(name: &str, digest: &[u8]) -> Result<StoredCertificate, AcmeError> {
    let failed = |error: rcgen::Error| AcmeError::NoCertificate(error.to_string());
    let mut wanted = CertificateParams::new([name.to_owned()]).map_err(failed)?;
    wanted.custom_extensions = vec![CustomExtension::new_acme_identifier(digest)];
    let key = KeyPair::generate().map_err(failed)?;
    let certificate = wanted.self_signed(&key).map_err(failed)?;
    Ok(StoredCertificate {
        chain: certificate.pem(),
        key: key.serialize_pem(),
    })
}
