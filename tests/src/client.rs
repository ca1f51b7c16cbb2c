//! The HTTP interface, as a program sees it.

use std::net::Ipv4Addr;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use api::{ErrorInfo, SessionStarted, SessionState, StartRequest, routes};
use domain::session::event::{Envelope, SessionId};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, RANGE};
use hyper::{Method, Request, StatusCode};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::de::DeserializeOwned;

use crate::browser::Browser;

/// No request takes longer; one that does is an error.
const LIMIT: Duration = Duration::from_secs(120);

/// What is known of one server.
#[derive(Clone)]
pub struct Client {
    base: String,
    inner: HyperClient<HttpConnector, Full<Bytes>>,
}

/// What came back.
#[derive(Debug, Clone)]
pub struct HttpAnswer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Client {
    /// A client of the server at `host:port`.
    #[must_use]
    pub fn new(address: &str) -> Self {
        Self::asking_from(address, 1)
    }

    /// The same from the address 127.0.0.`place`: from one address only some people start at once.
    #[must_use]
    pub fn asking_from(address: &str, place: u8) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_local_address(Some(Ipv4Addr::new(127, 0, 0, place).into()));
        Self {
            base: format!("http://{address}"),
            // A connection per request: one that the server closed, because of what was
            // sent before or because it was killed, must not be used for the next.
            inner: HyperClient::builder(TokioExecutor::new())
                .pool_max_idle_per_host(0)
                .build(connector),
        }
    }

    /// Sends a request; any status is an answer.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        token: Option<&str>,
        body: Option<Vec<u8>>,
    ) -> Result<HttpAnswer> {
        let shown = token.map(|token| (AUTHORIZATION, format!("Bearer {token}")));
        self.send_showing(method, path, shown, body).await
    }

    /// The same with headers of one's own.
    pub async fn send_showing(
        &self,
        method: Method,
        path: &str,
        headers: impl IntoIterator<Item = (HeaderName, String)>,
        body: Option<Vec<u8>>,
    ) -> Result<HttpAnswer> {
        let request = self.request(method, path, headers, body)?;
        let exchange = async {
            let answer = self.inner.request(request).await?;
            let (status, headers) = (answer.status(), answer.headers().clone());
            let body = answer.into_body().collect().await?.to_bytes();
            anyhow::Ok(HttpAnswer {
                status,
                headers,
                body,
            })
        };
        tokio::time::timeout(LIMIT, exchange)
            .await
            .with_context(|| format!("{path}: no answer within {} s", LIMIT.as_secs()))?
            .with_context(|| path.to_owned())
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        headers: impl IntoIterator<Item = (HeaderName, String)>,
        body: Option<Vec<u8>>,
    ) -> Result<Request<Full<Bytes>>> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        Ok(request.body(Full::new(Bytes::from(body.unwrap_or_default())))?)
    }

    /// Where requests go: `http://host:port`.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// An answer whose body comes in pieces, without an end of its own.
    pub async fn open(&self, path: &str, token: &str) -> Result<Incoming> {
        self.open_from(path, token, None).await
    }

    /// The same, from a byte on if the server gives parts.
    pub async fn open_from(&self, path: &str, token: &str, first: Option<u64>) -> Result<Incoming> {
        let shown = (AUTHORIZATION, format!("Bearer {token}"));
        let part = first.map(|first| (RANGE, format!("bytes={first}-")));
        let shown = [shown].into_iter().chain(part);
        let request = self.request(Method::GET, path, shown, None)?;
        let answer = self.inner.request(request).await?;
        if !answer.status().is_success() {
            bail!("{path}: {}", answer.status());
        }
        Ok(answer.into_body())
    }

    /// GET of something that has to be there.
    ///
    /// # Errors
    /// When it is not.
    pub async fn get(&self, path: &str) -> Result<Bytes> {
        Ok(self
            .send(Method::GET, path, None, None)
            .await?
            .success(path)?
            .body)
    }

    /// POST of JSON.
    pub async fn post(
        &self,
        path: &str,
        token: Option<&str>,
        body: &impl serde::Serialize,
    ) -> Result<HttpAnswer> {
        let body = serde_json::to_vec(body)?;
        self.send(Method::POST, path, token, Some(body)).await
    }

    /// Starts a session; `attempt` names the attempt.
    pub async fn start(&self, study: &str, attempt: &str) -> Result<SessionStarted> {
        let path = routes::study_sessions(study);
        let request = StartRequest {
            attempt: attempt.to_owned(),
            participant_code: None,
            ..StartRequest::default()
        };
        self.post(&path, None, &request)
            .await?
            .success(&path)?
            .json()
    }

    /// A session as the server has it.
    pub async fn state(&self, session: &SessionId, token: &str) -> Result<SessionState> {
        let path = routes::session(session);
        self.send(Method::GET, &path, Some(token), None)
            .await?
            .success(&path)?
            .json()
    }

    /// Asks for the completion code.
    pub async fn completion(&self, session: &SessionId, token: &str) -> Result<HttpAnswer> {
        self.send(
            Method::POST,
            &routes::completion(session),
            Some(token),
            None,
        )
        .await
    }
}

/// The session that a browser keeps.
pub struct KeptSession {
    /// A client of its server.
    pub client: Client,
    /// Its name.
    pub id: SessionId,
    /// Its secret.
    pub token: String,
}

impl KeptSession {
    /// That of a browser, on the server at `host:port`.
    ///
    /// # Errors
    /// When the browser keeps none, or several.
    pub async fn of(browser: &Browser, address: &str) -> Result<Self> {
        let (session, token) = browser.kept_session().await?;
        Ok(Self {
            client: Client::new(address),
            id: SessionId(session),
            token,
        })
    }

    /// The session as the server has it.
    pub async fn state(&self) -> Result<SessionState> {
        self.client.state(&self.id, &self.token).await
    }

    /// The log as the server has it.
    pub async fn log(&self) -> Result<Vec<Envelope>> {
        Ok(self.state().await?.events)
    }
}

impl HttpAnswer {
    /// The answer, if it is no error.
    ///
    /// # Errors
    /// When it is one.
    pub fn success(self, what: &str) -> Result<Self> {
        if !self.status.is_success() {
            bail!(
                "{what}: {} {}",
                self.status,
                String::from_utf8_lossy(&self.body)
            );
        }
        Ok(self)
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// When it is not of this shape.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_slice(&self.body)
            .with_context(|| format!("not as expected: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The error in the body.
    ///
    /// # Errors
    /// When it holds none.
    pub fn error(&self) -> Result<ErrorInfo> {
        Ok(self.json::<api::ErrorBody>()?.error)
    }
}
