//! A certificate with its key, and for how long it holds.

use std::sync::Arc;

use tokio_rustls::rustls::sign::CertifiedKey;

use super::TlsError;

/// A certificate that was issued.
#[derive(Debug, Clone)]
pub struct IssuedCertificate {
    /// The certificate with its key.
    pub certified: Arc<CertifiedKey>,
    /// From when on it holds, in milliseconds since 1970.
    pub from_unix_ms: u64,
    /// Until when.
    pub until_unix_ms: u64,
}

impl IssuedCertificate {
    /// Reads for how long the first certificate of a chain holds.
    ///
    /// # Errors
    /// When it is none.
    pub fn of(certified: CertifiedKey) -> Result<Self, TlsError> {
        let unreadable = |why: String| TlsError::Unreadable(why);
        let first = certified.cert.first();
        let first = first.ok_or_else(|| unreadable("it is empty".to_owned()))?;
        let (_, read) = x509_parser::parse_x509_certificate(first)
            .map_err(|error| unreadable(error.to_string()))?;
        let ms = |seconds: i64| u64::try_from(seconds).unwrap_or(0).saturating_mul(1_000);
        let validity = read.validity();
        Ok(Self {
            from_unix_ms: ms(validity.not_before.timestamp()),
            until_unix_ms: ms(validity.not_after.timestamp()),
            certified: Arc::new(certified),
        })
    }

    /// From when on it is to be renewed: a third of its time is left then, as authorities advise.
    #[must_use]
    pub fn renewed_from_unix_ms(&self) -> u64 {
        let lasts = self.until_unix_ms.saturating_sub(self.from_unix_ms);
        self.until_unix_ms - lasts / 3
    }
}
