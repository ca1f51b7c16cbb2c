//! HTTPS of `redial serve`.

use std::net::SocketAddr;
use std::sync::Arc;

use server::state::ServerState;
use server::tls::Tls;
use server::tls::acme::{Acme, AcmeSettings};

use crate::config::CertificateSource;

/// The TLS that HTTPS is served with.
pub(super) async fn tls(source: CertificateSource, state: &ServerState) -> anyhow::Result<Tls> {
    Ok(match source {
        CertificateSource::Files { certificate, key } => Tls::open(&certificate, &key)?,
        CertificateSource::Acme {
            names,
            contact,
            directory,
            roots,
        } => {
            let roots = roots.as_deref().map(AcmeSettings::roots_of).transpose()?;
            let settings = AcmeSettings {
                names,
                contact,
                directory,
                roots,
            };
            let acme = Acme::new(settings, Arc::clone(&state.storage));
            Tls::with_acme(Arc::new(acme)).await?
        }
    })
}

/// Whether others than this machine can read what participants send: an address that others reach, without HTTPS, and no
/// proxy that speaks HTTPS before it.
pub(super) fn is_read_on_the_way(bind: SocketAddr, state: &ServerState) -> bool {
    let is_bare = state.tls.is_none() && state.limits.trusted_proxies.is_empty();
    is_bare && !bind.ip().is_loopback()
}
