//! Getting and renewing the certificate.

use std::time::Duration;

use async_trait::async_trait;

use super::Duty;
use crate::outbound::pause_ms;
use crate::sessions::{SessionError, Sessions};
use crate::tls::Tls;

/// How often it is looked whether the certificate is to be renewed.
const LOOK_EVERY: Duration = Duration::from_secs(20);

/// Pauses after a failure: the first, and the longest. Authorities allow few failures an hour.
const FIRST_PAUSE_MS: u64 = 15 * 60 * 1_000;
const LONGEST_PAUSE_MS: u64 = 12 * 60 * 60 * 1_000;

/// So long before its end a certificate that cannot be renewed is somebody's business.
const WARNED_BEFORE_MS: u64 = 20 * 24 * 60 * 60 * 1_000;

/// Gets the certificate of a server that does so itself.
pub(super) struct CertificateDuty {
    tls: Tls,
    failures: u64,
    next_at_unix_ms: u64,
}

impl CertificateDuty {
    pub(super) fn new(tls: Tls) -> Self {
        Self {
            tls,
            failures: 0,
            next_at_unix_ms: 0,
        }
    }

    /// Until when there is a certificate; none where there is none.
    async fn ends_at(&self) -> Option<u64> {
        let found = self.tls.acme()?.certificate().await;
        Some(found.ok()??.until_unix_ms)
    }
}

#[async_trait]
impl Duty for CertificateDuty {
    fn name(&self) -> &'static str {
        "certificate"
    }

    async fn is_due(&self, sessions: &Sessions) -> Result<bool, SessionError> {
        let now_unix_ms = sessions.now_unix_ms();
        let Some(acme) = self
            .tls
            .acme()
            .filter(|_| now_unix_ms >= self.next_at_unix_ms)
        else {
            return Ok(false);
        };
        Ok(match acme.certificate().await {
            Ok(Some(found)) => now_unix_ms >= found.renewed_from_unix_ms(),
            Ok(None) => true,
            Err(error) => {
                tracing::warn!(%error, "another certificate is asked for");
                true
            }
        })
    }

    async fn perform(&mut self, sessions: &Sessions) -> Result<(), SessionError> {
        let Some(acme) = self.tls.acme().cloned() else {
            return Ok(());
        };
        match acme.obtain().await {
            Ok(()) => {
                tracing::info!("there is a new certificate");
                (self.failures, self.next_at_unix_ms) = (0, 0);
                self.tls.look_now();
            }
            Err(error) => {
                let now_unix_ms = sessions.now_unix_ms();
                self.failures += 1;
                let pause_ms = pause_ms(self.failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
                self.next_at_unix_ms = now_unix_ms.saturating_add(pause_ms);
                let minutes = pause_ms / 60_000;
                match self
                    .ends_at()
                    .await
                    .map(|end| end.saturating_sub(now_unix_ms))
                {
                    None => {
                        tracing::error!(%error, minutes, "there is no certificate, and no connection works; it is asked for again in some minutes")
                    }
                    Some(left_ms) if left_ms <= WARNED_BEFORE_MS => {
                        let days = left_ms / (24 * 60 * 60 * 1_000);
                        tracing::warn!(%error, days, minutes, "the certificate ends in some days and cannot be renewed; it is tried again in some minutes");
                    }
                    Some(_) => {
                        tracing::info!(%error, minutes, "the certificate cannot be renewed yet; it is tried again in some minutes")
                    }
                }
            }
        }
        Ok(())
    }

    async fn rest(&self, _: &Sessions) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
