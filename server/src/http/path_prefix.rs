//! The whole interface below a path, as a proxy that keeps the path passes requests on.

use std::convert::Infallible;

use api::{ErrorCode, routes};
use axum::Router;
use axum::extract::Request;
use axum::http::Uri;
use axum::response::{IntoResponse, Redirect, Response};
use tower::ServiceExt;

use super::error::ApiError;
use super::headers::secure;
use crate::base_path::BasePath;

/// `inner` as it answers below `base`. Elsewhere there is nothing but the state of the process, which
/// is asked for on this machine, past the proxy.
pub(super) fn below(base: &BasePath, inner: Router) -> Router {
    if base.as_str().is_empty() {
        return inner;
    }
    let base = base.clone();
    let service = tower::service_fn(move |request: Request| {
        let (base, inner) = (base.clone(), inner.clone());
        async move { Ok::<_, Infallible>(answer(&base, inner, request).await) }
    });
    Router::new().fallback_service(service)
}

async fn answer(base: &BasePath, inner: Router, mut request: Request) -> Response {
    let path = request.uri().path();
    if path == base.as_str() {
        return secure(Redirect::permanent(&format!("{base}/")).into_response()).await;
    }
    let at_top = [routes::HEALTH, routes::READY].contains(&path);
    if !at_top {
        match base.strip(path).and_then(|rest| moved(request.uri(), rest)) {
            Some(uri) => *request.uri_mut() = uri,
            None => {
                let message = format!("everything on this server lies below {base}/");
                let error = ApiError::new(ErrorCode::NotFound, message);
                return secure(error.into_response()).await;
            }
        }
    }
    match inner.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// An address with another path and the same query.
fn moved(uri: &Uri, path: &str) -> Option<Uri> {
    let query = uri.query();
    match query {
        Some(query) => format!("{path}?{query}").parse().ok(),
        None => path.parse().ok(),
    }
}
