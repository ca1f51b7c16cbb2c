//! The documentation: the site that `cargo xtask docs` makes.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::error::ApiError;
use super::files::file;
use super::headers::{PolicySources, policy_with};
use super::pages::inline_scripts;
use crate::state::ServerState;

/// Shown when the server was built without the documentation.
const NO_DOCS: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Redial</title>\
    <body style=\"font-family: sans-serif; max-width: 40em; margin: 4em auto\"><h1>The documentation is not here</h1>\
    <p>This server was built without it, or it is still being made. <code>cargo xtask docs</code> makes it.</p>";

/// `GET /docs`: the documentation's first page, whose links are relative to the folder that it lies in.
pub(super) async fn top(State(state): State<ServerState>) -> Redirect {
    Redirect::permanent(&format!("{}/docs/", state.base.as_str()))
}

/// `GET /docs/{*page}`: a page or a file of the documentation.
pub(super) async fn below(
    State(state): State<ServerState>,
    request: Request,
) -> Result<Response, ApiError> {
    let path = request.uri().path().trim_start_matches('/');
    let path = match path.strip_suffix('/') {
        Some(folder) => format!("{folder}/index.html"),
        None => path.to_owned(),
    };
    if !path.ends_with(".html") {
        return file(&state, &request, "no-cache");
    }
    match state.assets.get(&path) {
        Some(bytes) => {
            let html = String::from_utf8_lossy(&bytes).into_owned();
            let allowed = PolicySources {
                scripts: inline_scripts(&html),
                ..PolicySources::default()
            };
            let headers = [
                (CACHE_CONTROL, "no-cache".to_owned()),
                (CONTENT_SECURITY_POLICY, policy_with(&allowed)),
            ];
            Ok((headers, Html(html)).into_response())
        }
        None if state.assets.get("docs/index.html").is_some() => {
            Err(ApiError::not_found("page of the documentation"))
        }
        None => Ok((StatusCode::NOT_FOUND, Html(NO_DOCS)).into_response()),
    }
}
