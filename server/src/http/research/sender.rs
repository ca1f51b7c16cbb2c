//! Where a request comes from, and over what.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use api::{ErrorCode, routes};
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::HeaderName;
use axum::http::header::{HOST, ORIGIN, SET_COOKIE, USER_AGENT};
use axum::http::request::Parts;
use cookie::{Cookie, SameSite};

use super::super::error::ApiError;
use super::COOKIE;
use crate::access::{Caller, LONGEST_SIGN_IN_MS};
use crate::limits::Origin;
use crate::secrets::Token;
use crate::state::ServerState;

/// Where a request comes from, and over what.
pub(in super::super) struct Sender {
    pub(super) caller: Caller,
    /// The address of the page that sent it, as its browser says.
    page: Option<String>,
    /// The address that our own pages have.
    pub(super) ours: Option<String>,
    /// Whether it came over HTTPS, as far as we or a trusted proxy know.
    secure: bool,
    /// Whether it comes from this machine.
    local: bool,
}

impl FromRequestParts<ServerState> for Sender {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ServerState,
    ) -> Result<Self, Self::Rejection> {
        let Ok(origin) = Origin::from_request_parts(parts, state).await;
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
        let header = |name: HeaderName| {
            let value = parts
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok());
            value.map(str::to_owned)
        };
        let trusted = state.limits.trusts(peer);
        let of_proxy = |name: &'static str| {
            let value = header(HeaderName::from_static(name)).filter(|_| trusted);
            value.and_then(|value| value.split(',').next().map(|first| first.trim().to_owned()))
        };
        let secure =
            state.tls.is_some() || of_proxy("x-forwarded-proto").as_deref() == Some("https");
        let host = of_proxy("x-forwarded-host").or_else(|| header(HOST));
        let scheme = if secure { "https" } else { "http" };
        let local = peer.to_canonical().is_loopback()
            && !trusted
            && host.as_deref().is_some_and(|host| {
                let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
                ["localhost", "127.0.0.1", "[::1]"].contains(&name)
                    || ["localhost", "127.0.0.1", "[::1]"].contains(&host)
            });
        Ok(Self {
            caller: Caller {
                origin,
                browser: header(USER_AGENT).unwrap_or_default(),
            },
            page: header(ORIGIN),
            ours: host.map(|host| format!("{scheme}://{host}")),
            secure,
            local,
        })
    }
}

impl Sender {
    /// # Errors
    /// When another page has sent the request, or a browser that does not say which.
    pub(super) fn is_our_page(&self) -> Result<(), ApiError> {
        let same = |page: &String, ours: &String| page.eq_ignore_ascii_case(ours);
        match (&self.page, &self.ours) {
            (Some(page), Some(ours)) if same(page, ours) => Ok(()),
            _ => Err(ApiError::new(
                ErrorCode::Forbidden,
                "this request does not come from a page of this server: its header Origin is missing, \
                 or names another address. Behind a proxy, see docs/proxies.md",
            )),
        }
    }

    /// Whether the request came over HTTPS, as far as we or a trusted proxy know.
    pub(in super::super) fn is_secure(&self) -> bool {
        self.secure
    }

    /// # Errors
    /// When others could read the password on the way.
    pub(super) fn is_private(&self) -> Result<(), ApiError> {
        if self.secure || self.local {
            return Ok(());
        }
        Err(ApiError::new(
            ErrorCode::Forbidden,
            "signing in needs HTTPS, so that nobody reads your password on the way; without it, it works on \
             this machine alone. Start the server with --certificate and --key, or behind a proxy with \
             HTTPS that --trusted-proxy names",
        ))
    }

    /// The header that gives a browser its cookie; with nothing, the one that takes it away.
    pub(super) fn cookie(
        &self,
        state: &ServerState,
        key: Option<Token>,
    ) -> [(HeaderName, String); 1] {
        let lives_ms = if key.is_some() { LONGEST_SIGN_IN_MS } else { 0 };
        let key = key.map(Token::reveal).unwrap_or_default();
        let path = format!("{}{}", state.base, routes::RESEARCH);
        [(SET_COOKIE, self.cookie_of(COOKIE, key, &path, lives_ms))]
    }

    /// A cookie that no script reads and no other page's request but a link carries.
    pub(super) fn cookie_of(&self, name: &str, value: String, path: &str, lives_ms: u64) -> String {
        let seconds = i64::try_from(lives_ms / 1_000).unwrap_or(i64::MAX);
        let cookie = Cookie::build((name, value))
            .path(path)
            .http_only(true)
            .same_site(SameSite::Lax)
            .secure(self.secure)
            .max_age(cookie::time::Duration::seconds(seconds));
        cookie.build().to_string()
    }
}
