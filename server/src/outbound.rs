//! Requests of ours to servers of others: recruitment platforms.

use std::time::Duration;

/// How long another server may take to answer where nobody waits for it.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Longest answer that is read, in bytes.
const LONGEST: u64 = 4 * 1024 * 1024;

/// What another server answered.
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

/// Whether a request may have arrived that failed in this way. What is not known counts as a yes.
fn may_have_arrived(error: &ureq::Error) -> bool {
    use std::io::ErrorKind;
    match error {
        ureq::Error::HostNotFound
        | ureq::Error::ConnectionFailed
        | ureq::Error::BadUri(_)
        | ureq::Error::Http(_)
        | ureq::Error::InvalidProxyUrl
        | ureq::Error::Timeout(ureq::Timeout::Resolve | ureq::Timeout::Connect) => false,
        ureq::Error::Io(error) => !matches!(
            error.kind(),
            ErrorKind::ConnectionRefused
                | ErrorKind::NetworkUnreachable
                | ErrorKind::HostUnreachable
        ),
        _ => true,
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
    let host = request.uri().host().unwrap_or("the server").to_owned();
    let no_answer = |error: ureq::Error| NoResponse {
        host: host.clone(),
        why: error.to_string(),
        may_have_arrived: may_have_arrived(&error),
    };
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(patience))
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(concat!("redial/", env!("CARGO_PKG_VERSION")));
    let agent = ureq::Agent::new_with_config(config.build());
    let mut response = agent.run(request).map_err(no_answer)?;
    let status = response.status().as_u16();
    let body = response.body_mut().with_config().limit(LONGEST);
    let body = body.read_to_string().map_err(no_answer)?;
    Ok(HttpResponse { status, body })
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
}
