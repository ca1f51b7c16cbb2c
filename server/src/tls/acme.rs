//! Certificates that the server gets and renews itself, by ACME (RFC 8555).
//!
//! The authority checks that the name leads here: it connects to port 443 of the name and wants a certificate of its own
//! making (`tls-alpn-01`, RFC 8737). No other port is needed. Account, open challenges and certificate are in the
//! database, so that any of several servers answers, and a restart asks for nothing again.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use instant_acme::{
    Account, AccountCredentials, AuthorizationStatus, ChallengeType, Identifier, NewAccount,
    NewOrder, Order, OrderStatus, RetryPolicy,
};
use serde::Serialize;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::server::ClientHello;
use tokio_rustls::rustls::sign::SingleCertAndKey;
use tokio_rustls::rustls::{ServerConfig, server};
use ureq::tls::{Certificate, RootCerts};

use super::TlsError;
use super::issued::IssuedCertificate;
use crate::storage::{Storage, StorageError};

mod http_client;
mod stored;

use http_client::OurClient;
use stored::{StoredCertificate, answer_to};

/// The authority, if no other is named: Let's Encrypt.
pub const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";

/// An authority's name for the protocol in which it checks a name.
const CHECKS: &[u8] = b"acme-tls/1";

/// How long getting a certificate may take as a whole.
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// How the server gets its certificate.
#[derive(Debug, Clone)]
pub struct AcmeSettings {
    /// The names that it is for.
    pub names: Vec<String>,
    /// Whom the authority writes to: an e-mail address.
    pub contact: Option<String>,
    /// Address of the authority's directory.
    pub directory: String,
    /// The certificates that the authority's own is checked against; absent: those that browsers trust.
    pub roots: Option<RootCerts>,
}

impl AcmeSettings {
    /// Reads the certificates that the authority's own is checked against.
    ///
    /// # Errors
    /// When there are none in the file.
    pub fn roots_of(file: &Path) -> Result<RootCerts, TlsError> {
        let failed = |error: pem::Error| TlsError::File {
            path: file.to_owned(),
            expected: "the certificates that the authority's is checked against",
            error,
        };
        let mut roots = Vec::new();
        for root in CertificateDer::pem_file_iter(file).map_err(failed)? {
            roots.push(Certificate::from_der(&root.map_err(failed)?).to_owned());
        }
        if roots.is_empty() {
            return Err(TlsError::Empty(file.to_owned()));
        }
        Ok(RootCerts::new_with_certs(&roots))
    }
}

/// Why there is no new certificate.
#[derive(Debug, thiserror::Error)]
pub enum AcmeError {
    /// The authority, or the way to it.
    #[error("{0}")]
    Authority(#[from] instant_acme::Error),
    /// The authority does not check names in the way that we answer.
    #[error("the authority does not offer to check '{0}' by tls-alpn-01")]
    NoChallenge(String),
    /// The authority did not find what it wanted.
    #[error(
        "{name}: {why}; the name has to lead to port 443 of this server, without a proxy that ends TLS"
    )]
    NotFound {
        /// The name.
        name: String,
        /// The reason that the authority gives.
        why: String,
    },
    /// It did not come to an end.
    #[error("it took longer than {} minutes", LONGEST.as_secs() / 60)]
    TooLong,
    /// The certificate that was made or sent is none.
    #[error("no certificate: {0}")]
    NoCertificate(String),
    /// The database.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Gets certificates.
pub struct Acme {
    settings: AcmeSettings,
    storage: Arc<dyn Storage>,
}

impl Acme {
    /// With these settings; `storage` keeps what belongs to it.
    #[must_use]
    pub fn new(settings: AcmeSettings, storage: Arc<dyn Storage>) -> Self {
        Self { settings, storage }
    }

    fn certificate_name(&self) -> String {
        format!("certificate {}", self.settings.names.join(" "))
    }

    /// The certificate that was issued last, if one was.
    ///
    /// # Errors
    /// When the database fails, or what it has is none.
    pub async fn certificate(&self) -> Result<Option<IssuedCertificate>, TlsError> {
        let stored = self.storage.acme(&self.certificate_name()).await?;
        let Some(stored) = stored else {
            return Ok(None);
        };
        let stored: StoredCertificate = serde_json::from_str(&stored)
            .map_err(|error| TlsError::Unreadable(error.to_string()))?;
        IssuedCertificate::of(stored.certified()?).map(Some)
    }

    /// Gets a new certificate, and keeps it in the database.
    ///
    /// # Errors
    /// When the authority gives none; then everything is as before.
    pub async fn obtain(&self) -> Result<(), AcmeError> {
        let issued = tokio::time::timeout(LONGEST, self.issued());
        let issued = issued.await.map_err(|_| AcmeError::TooLong)??;
        // A certificate that cannot be served is not kept.
        let no_certificate = |error: TlsError| AcmeError::NoCertificate(error.to_string());
        IssuedCertificate::of(issued.certified().map_err(no_certificate)?)
            .map_err(no_certificate)?;
        self.keep(&self.certificate_name(), &issued).await
    }

    async fn keep(&self, name: &str, value: &impl Serialize) -> Result<(), AcmeError> {
        let value = serde_json::to_string(value);
        let value = value.map_err(|error| AcmeError::NoCertificate(error.to_string()))?;
        Ok(self.storage.set_acme(name, Some(value)).await?)
    }

    /// The account with the authority; it is made where there is none.
    async fn account(&self) -> Result<Account, AcmeError> {
        let AcmeSettings {
            contact,
            directory,
            roots,
            ..
        } = &self.settings;
        let builder = Account::builder_with_http(Box::new(OurClient::new(roots.clone())));
        let name = format!("account {directory}");
        if let Some(stored) = self.storage.acme(&name).await? {
            let credentials: AccountCredentials =
                serde_json::from_str(&stored).map_err(instant_acme::Error::from)?;
            return Ok(builder.from_credentials(credentials).await?);
        }
        let contact = contact.as_ref().map(|address| format!("mailto:{address}"));
        let contacts: Vec<&str> = contact.iter().map(String::as_str).collect();
        let new = NewAccount {
            contact: &contacts,
            terms_of_service_agreed: true,
            only_return_existing: false,
        };
        let (account, credentials) = builder.create(&new, directory.clone(), None).await?;
        self.keep(&name, &credentials).await?;
        Ok(account)
    }

    async fn issued(&self) -> Result<StoredCertificate, AcmeError> {
        let account = self.account().await?;
        let names = self.settings.names.iter();
        let names: Vec<Identifier> = names.map(|name| Identifier::Dns(name.clone())).collect();
        let mut order = account.new_order(&NewOrder::new(&names)).await?;
        let mut asked = Vec::new();
        let checked = self.checked(&mut order, &mut asked).await;
        for name in &asked {
            self.storage.set_acme(&challenge_name(name), None).await?;
        }
        checked?;
        let key = order.finalize().await?;
        let chain = order.poll_certificate(&patience()).await?;
        Ok(StoredCertificate { chain, key })
    }

    /// Has every name checked. Those for which an answer is kept, until that is over, are in `asked`.
    async fn checked(&self, order: &mut Order, asked: &mut Vec<String>) -> Result<(), AcmeError> {
        let status = match self.ask(order, asked).await {
            Ok(()) => order.poll_ready(&patience()).await.map_err(AcmeError::from),
            // An authority that is quick says here already what it found.
            Err(error) => Err(error),
        };
        let failed = match status {
            Ok(OrderStatus::Ready) => return Ok(()),
            Ok(OrderStatus::Invalid) => {
                AcmeError::NoCertificate("the authority refused the order".to_owned())
            }
            Ok(other) => AcmeError::NoCertificate(format!("the order is {other:?}")),
            Err(error @ AcmeError::Authority(instant_acme::Error::Api(_))) => error,
            Err(error) => return Err(error),
        };
        Err(not_found(order).await?.unwrap_or(failed))
    }

    /// Asks the authority to check every name that it has not checked yet.
    async fn ask(&self, order: &mut Order, asked: &mut Vec<String>) -> Result<(), AcmeError> {
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization?;
            if authorization.status == AuthorizationStatus::Valid {
                continue;
            }
            let name = authorization.identifier().to_string();
            let Some(mut challenge) = authorization.challenge(ChallengeType::TlsAlpn01) else {
                return Err(AcmeError::NoChallenge(name));
            };
            let answer = answer_to(&name, challenge.key_authorization().digest().as_ref())?;
            asked.push(name.clone());
            self.keep(&challenge_name(&name), &answer).await?;
            challenge.set_ready().await?;
        }
        Ok(())
    }

    /// The answer to an authority that checks a name, if one was asked to.
    pub(super) async fn challenge(&self, name: &str) -> Option<Arc<ServerConfig>> {
        let stored = match self.storage.acme(&challenge_name(name)).await {
            Ok(stored) => stored?,
            Err(error) => {
                tracing::warn!(%error, "an authority that checks this server gets no answer");
                return None;
            }
        };
        let answer: StoredCertificate = serde_json::from_str(&stored).ok()?;
        let certified = answer.unchecked()?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .ok()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
        config.alpn_protocols = vec![CHECKS.to_vec()];
        config.session_storage = Arc::new(server::NoServerSessionStorage {});
        Some(Arc::new(config))
    }
}

/// The name that an authority checks with this greeting, if it does.
pub(super) fn asked_for(greeting: &ClientHello<'_>) -> Option<String> {
    let mut protocols = greeting.alpn()?;
    protocols
        .any(|protocol| protocol == CHECKS)
        .then(|| greeting.server_name().unwrap_or_default().to_owned())
}

fn challenge_name(name: &str) -> String {
    format!("challenge {name}")
}

fn patience() -> RetryPolicy {
    RetryPolicy::new().timeout(LONGEST / 2)
}

/// The authority's reason about a name that it checked in vain, if there is one.
async fn not_found(order: &mut Order) -> Result<Option<AcmeError>, AcmeError> {
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        let name = authorization.identifier().to_string();
        let state = authorization.refresh().await?;
        let problem = state.challenges.iter().find_map(|it| it.error.as_ref());
        if let Some(problem) = problem {
            let why = problem.to_string();
            return Ok(Some(AcmeError::NotFound { name, why }));
        }
    }
    Ok(None)
}
