//! How an authority is asked: by the same client as all others that we ask.

use std::future::Future;
use std::pin::Pin;

use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient};
use ureq::tls::RootCerts;

use crate::outbound::{self, PATIENCE};

/// The client.
pub(super) struct OurClient {
    roots: Option<RootCerts>,
}

impl OurClient {
    /// One that checks the authority's certificate against these roots.
    pub(super) fn new(roots: Option<RootCerts>) -> Self {
        Self { roots }
    }
}

impl HttpClient for OurClient {
    fn request(
        &self,
        request: Request<BodyWrapper<axum::body::Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let roots = self.roots.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let Ok(body) = body.collect().await;
            let request = Request::from_parts(parts, body.to_bytes().to_vec());
            let send = move || outbound::exchange(request, PATIENCE, roots);
            let sent = tokio::task::spawn_blocking(send).await;
            let other = |error: Box<dyn std::error::Error + Send + Sync>| Error::Other(error);
            let answer = sent.map_err(|error| other(error.into()))?;
            let answer: Response<String> = answer.map_err(|error| other(error.into()))?;
            Ok(answer
                .map(|body| Full::new(axum::body::Bytes::from(body)))
                .into())
        })
    }
}
