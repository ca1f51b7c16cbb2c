//! Requests to a bucket, sent as all our requests to servers of others are.

use std::time::Duration;

use async_trait::async_trait;
use http_body_util::BodyExt as _;
use object_store::client::{
    ClientConfigKey, ClientOptions, HttpClient, HttpConnector, HttpError, HttpErrorKind,
    HttpRequest, HttpResponse, HttpService,
};

use crate::outbound;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longest answer: no blob is longer.
const LONGEST: u64 = 1024 * 1024 * 1024;

/// Makes clients that send as we do.
#[derive(Debug)]
pub(super) struct OurConnector;

impl HttpConnector for OurConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allows_http = options.get_config_value(&ClientConfigKey::AllowHttp);
        let allows_http = allows_http.as_deref() == Some("true");
        Ok(HttpClient::new(Sending { allows_http }))
    }
}

#[derive(Debug)]
struct Sending {
    /// Whether requests may be sent without TLS.
    allows_http: bool,
}

#[async_trait]
impl HttpService for Sending {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        if request.uri().scheme_str() != Some("https") && !self.allows_http {
            let why = std::io::Error::other(
                "a bucket is reached by https, unless AWS_ALLOW_HTTP is true",
            );
            return Err(HttpError::new(HttpErrorKind::Unknown, why));
        }
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes().to_vec();
        let request = http::Request::from_parts(parts, body);
        let send = move || outbound::exchange_bytes(request, PATIENCE, None, LONGEST);
        let sent = tokio::task::spawn_blocking(send).await;
        let sent = sent.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        // Whether it has arrived does not matter: all of ours can be sent again.
        let answer = sent.map_err(|error| HttpError::new(HttpErrorKind::Request, error))?;
        Ok(answer.map(Into::into))
    }
}
