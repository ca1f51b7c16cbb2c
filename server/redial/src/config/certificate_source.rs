//! Where a certificate for HTTPS comes from, as settings say it.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use server::tls::acme::LETS_ENCRYPT;

/// Settings of the certificate for HTTPS.
#[derive(Debug, Clone, Default, Args)]
pub struct CertificateOptions {
    /// Serve HTTPS with this certificate, in PEM, those it was signed with behind it. Browsers want
    /// HTTPS for the microphone, and for a study in another site's frame
    #[arg(
        long,
        value_name = "FILE",
        env = "REDIAL_CERTIFICATE",
        requires = "key"
    )]
    pub certificate: Option<PathBuf>,
    /// The certificate's private key, in PEM
    #[arg(
        long,
        value_name = "FILE",
        env = "REDIAL_KEY",
        requires = "certificate"
    )]
    pub key: Option<PathBuf>,
    /// Serve HTTPS with a certificate for these names that the server gets and renews itself, by ACME, from Let's
    /// Encrypt if nobody else is named. Port 443 of each name has to lead here. You agree to the authority's terms
    #[arg(
        long,
        value_name = "NAME",
        env = "REDIAL_ACME",
        value_delimiter = ',',
        conflicts_with = "certificate"
    )]
    pub acme: Vec<String>,
    /// E-mail address that the authority writes to when something is wrong with a certificate
    #[arg(long, value_name = "EMAIL", env = "REDIAL_ACME_CONTACT")]
    pub acme_contact: Option<String>,
    /// Directory of another authority, such as that of your university
    /// [default: https://acme-v02.api.letsencrypt.org/directory]
    #[arg(long, value_name = "URL", env = "REDIAL_ACME_DIRECTORY")]
    pub acme_directory: Option<String>,
    /// File with the certificates, in PEM, that the authority's own is checked against, instead of those that browsers
    /// trust
    #[arg(long, value_name = "FILE", env = "REDIAL_ACME_ROOTS")]
    pub acme_roots: Option<PathBuf>,
}

/// Where a certificate for HTTPS comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CertificateSource {
    /// From files.
    Files {
        /// The certificate, those it was signed with behind it.
        certificate: PathBuf,
        /// Its private key.
        key: PathBuf,
    },
    /// The server gets it itself.
    Acme {
        /// The names that it is for.
        names: Vec<String>,
        /// Whom the authority writes to.
        contact: Option<String>,
        /// Address of the authority's directory.
        directory: String,
        /// File with what the authority's own certificate is checked against.
        roots: Option<PathBuf>,
    },
}

impl CertificateSource {
    /// Decides between files and ACME. A flag or the environment goes before the settings file.
    ///
    /// # Errors
    /// When both are named, or half of one.
    pub(super) fn decide(
        first: CertificateOptions,
        then: CertificateOptions,
    ) -> anyhow::Result<Option<Self>> {
        let names = [first.acme, then.acme];
        let names = names.into_iter().find(|names| !names.is_empty());
        let (certificate, key) = (
            first.certificate.or(then.certificate),
            first.key.or(then.key),
        );
        Ok(match (certificate, key, names) {
            (Some(certificate), Some(key), None) => Some(Self::Files { certificate, key }),
            (None, None, Some(names)) => Some(Self::Acme {
                names,
                contact: first.acme_contact.or(then.acme_contact),
                directory: first
                    .acme_directory
                    .or(then.acme_directory)
                    .unwrap_or_else(|| LETS_ENCRYPT.to_owned()),
                roots: first.acme_roots.or(then.acme_roots),
            }),
            (None, None, None) => None,
            (_, _, Some(_)) => bail!(
                "a certificate comes from files (--certificate, --key), or the server gets it itself (--acme): choose one"
            ),
            _ => bail!("HTTPS wants both: --certificate FILE and --key FILE"),
        })
    }
}
