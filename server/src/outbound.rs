//! Requests of ours to servers of others: recruitment platforms, authorities, a bucket.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{ConnectionDetails, Connector, DefaultConnector, Transport};

/// How long another server may take to answer where nobody waits for it.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Longest answer that is read, in bytes.
const LONGEST: u64 = 4 * 1024 * 1024;

/// The answer of another server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// Why there is no answer. It names the host alone: paths and headers may hold secrets.
#[derive(Debug, thiserror::Error)]
#[error("{host} gave no answer ({why})")]
pub struct NoResponse {
    host: String,
    why: String,
    /// Whether the request may have arrived all the same.
    pub may_have_arrived: bool,
}

/// Connects as ureq does, and notes once there is a connection. Until then nothing of a request can have arrived: the
/// name is looked up before, and ureq's connector ends with the handshake of TLS. Its errors do not tell that: a name
/// that is not found is an error of input and output like an answer that broke off.
#[derive(Debug)]
struct NotingConnector {
    inner: DefaultConnector,
    has_connected: Arc<AtomicBool>,
}

impl Connector for NotingConnector {
    type Out = Box<dyn Transport>;

    fn connect(
        &self,
        details: &ConnectionDetails,
        chained: Option<()>,
    ) -> Result<Option<Self::Out>, ureq::Error> {
        let transport = self.inner.connect(details, chained)?;
        let is_connected = transport.is_some();
        self.has_connected.fetch_or(is_connected, Ordering::SeqCst);
        Ok(transport)
    }
}

/// The pause after a number of attempts, in milliseconds: it doubles each time, from the first to the longest.
#[must_use]
pub fn pause_ms(attempts: u64, first_ms: u64, longest_ms: u64) -> u64 {
    let doublings = u32::try_from(attempts.saturating_sub(1)).unwrap_or(u32::MAX);
    let factor = 1u64.checked_shl(doublings).filter(|_| doublings < 20);
    factor.map_or(longest_ms, |factor| {
        first_ms.saturating_mul(factor).min(longest_ms)
    })
}

/// Sends a request, and waits for the answer. An answer of any status is one. Redirects are not
/// followed: they would carry secrets to somewhere else.
///
/// It waits as a whole: call it from a thread that may.
///
/// # Errors
/// When the server cannot be reached, or does not answer in time.
pub fn send(
    request: http::Request<Vec<u8>>,
    patience: Duration,
) -> Result<HttpResponse, NoResponse> {
    let response = exchange(request, patience, None)?;
    let status = response.status().as_u16();
    let body = response.into_body();
    Ok(HttpResponse { status, body })
}

/// As [`send`], with the headers of the answer. The other server's certificate is checked against `roots`, or else against
/// those that browsers trust.
///
/// # Errors
/// As [`send`].
pub fn exchange(
    request: http::Request<Vec<u8>>,
    patience: Duration,
    roots: Option<RootCerts>,
) -> Result<http::Response<String>, NoResponse> {
    let host = request.uri().host().unwrap_or("the server").to_owned();
    let response = exchange_bytes(request, patience, roots, LONGEST)?;
    let (parts, body) = response.into_parts();
    let body = String::from_utf8(body).map_err(|error| NoResponse {
        host,
        why: error.to_string(),
        may_have_arrived: true,
    })?;
    Ok(http::Response::from_parts(parts, body))
}

/// As [`exchange`], with an answer of any bytes, of `longest` at most.
///
/// # Errors
/// As [`send`].
pub fn exchange_bytes(
    request: http::Request<Vec<u8>>,
    patience: Duration,
    roots: Option<RootCerts>,
    longest: u64,
) -> Result<http::Response<Vec<u8>>, NoResponse> {
    let host = request.uri().host().unwrap_or("the server").to_owned();
    let has_connected = Arc::new(AtomicBool::new(false));
    let no_answer = |error: ureq::Error| NoResponse {
        host: host.clone(),
        why: error.to_string(),
        may_have_arrived: has_connected.load(Ordering::SeqCst),
    };
    let mut tls = TlsConfig::builder();
    if let Some(roots) = roots {
        tls = tls.root_certs(roots);
    }
    let config = ureq::Agent::config_builder()
        .tls_config(tls.build())
        .timeout_global(Some(patience))
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(concat!("redial/", env!("CARGO_PKG_VERSION")));
    let connector = NotingConnector {
        inner: DefaultConnector::default(),
        has_connected: has_connected.clone(),
    };
    let resolver = DefaultResolver::default();
    let agent = ureq::Agent::with_parts(config.build(), connector, resolver);
    let response = agent.run(request).map_err(no_answer)?;
    let (parts, mut body) = response.into_parts();
    let body = body.with_config().limit(longest).read_to_vec();
    let body = body.map_err(no_answer)?;
    Ok(http::Response::from_parts(parts, body))
}

/// Fetches an address; the same as [`send`] without headers of its own.
///
/// # Errors
/// As [`send`], and when the address is none.
pub fn fetch(url: &str, patience: Duration) -> Result<HttpResponse, NoResponse> {
    let request = http::Request::get(url).body(Vec::new());
    let request = request.map_err(|error| NoResponse {
        host: "nobody".to_owned(),
        why: error.to_string(),
        may_have_arrived: false,
    });
    send(request?, patience)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let pauses: Vec<u64> = (0..6).map(|it| pause_ms(it, 10, 75)).collect();
        assert_eq!(pauses, [10, 10, 20, 40, 75, 75]);
        assert_eq!(pause_ms(u64::MAX, 10, 75), 75);
    }

    #[test]
    fn where_nobody_listens_nothing_has_arrived() {
        let port = {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            listener.local_addr().unwrap().port()
        };
        let refused = fetch(&format!("http://127.0.0.1:{port}/"), PATIENCE).unwrap_err();
        assert!(!refused.may_have_arrived, "{refused}");
    }

    #[test]
    fn where_a_name_is_not_found_nothing_has_arrived() {
        // No name ends like this (RFC 6761).
        let refused = fetch("https://platform.invalid/", PATIENCE).unwrap_err();
        assert!(!refused.may_have_arrived, "{refused}");
        assert!(refused.to_string().starts_with("platform.invalid gave"));
    }

    /// The error of a server that reads something and hangs up.
    fn hung_up_on(scheme: &str) -> NoResponse {
        use std::io::Read as _;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            assert!(stream.read(&mut [0; 64]).unwrap() > 0);
        });
        let error = fetch(&format!("{scheme}://127.0.0.1:{port}/"), PATIENCE).unwrap_err();
        server.join().unwrap();
        error
    }

    #[test]
    fn a_request_may_have_arrived_once_there_is_a_connection_and_not_before_its_handshake() {
        let error = hung_up_on("http");
        assert!(error.may_have_arrived, "{error}");
        let error = hung_up_on("https");
        assert!(!error.may_have_arrived, "{error}");
    }
}
