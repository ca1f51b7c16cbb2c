//! The HTTP interface.

use std::sync::Arc;

use axum::middleware::from_fn_with_state;
use axum::routing::get;
use axum::{Extension, Router};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};
use tower_http::trace::TraceLayer;

use crate::state::ServerState;

use body::{BodyLimit, read_first};
use path_prefix::below;
use research::{Entering, enter};

mod body;
mod content;
mod documentation;
mod endpoint;
mod endpoints;
pub mod error;
mod extract;
mod files;
mod first_page;
mod headers;
mod health;
mod lab;
pub mod openapi;
mod page_errors;
mod pages;
mod path_prefix;
mod research;
mod research_analysis;
mod research_decisions;
mod research_erasure;
mod research_exports;
mod research_live;
mod research_match;
mod research_people;
mod research_plan;
mod research_replay;
mod research_results;
mod research_sessions;
mod research_sound;
mod research_studies;
mod sessions;
mod stream;
mod studies;
mod upgrade;

pub use endpoint::{Endpoint, OpenedBy};
pub use endpoints::endpoints;

/// The whole interface: the API's endpoints, then the pages.
pub fn router(state: ServerState) -> Router {
    let endpoints = endpoints();
    let description = Arc::new(openapi::description(&endpoints));
    let reading = |bytes, entered| {
        let state = state.clone();
        let limit = BodyLimit {
            bytes,
            entered,
            state,
        };
        from_fn_with_state(limit, read_first)
    };
    let api = endpoints
        .into_iter()
        .fold(Router::new(), |router, endpoint| {
            let entered = endpoint.opened_by.is_of_research();
            let handler = endpoint.handler;
            let handler = handler.layer(reading(endpoint.most_bytes, entered));
            let handler = if entered {
                let entering = Entering {
                    by: endpoint.opened_by,
                    state: state.clone(),
                };
                // A person who may not enter is told so before their request's body is looked at.
                handler.layer(from_fn_with_state(entering, enter))
            } else {
                handler
            };
            let handler = if endpoint.path.starts_with(api::routes::RESEARCH) {
                handler.layer(from_fn_with_state(state.clone(), health::tell))
            } else {
                handler
            };
            router.route(&endpoint.path, handler)
        })
        .method_not_allowed_fallback(error::method_not_allowed)
        .layer(Extension(description))
        .layer(compression());
    let pages = Router::new()
        .route("/", get(pages::app).layer(compression()))
        .route("/study/{study}", get(pages::study).layer(compression()))
        .route("/study/{study}/", get(pages::study).layer(compression()))
        .route("/lab", get(pages::lab))
        .route("/lab/", get(pages::lab))
        .route(api::routes::RESEARCH, get(pages::research))
        .route("/research/", get(pages::research))
        .route("/research/{*page}", get(pages::below_research))
        .route("/preview/{study}", get(pages::preview))
        .route("/preview/{study}/", get(pages::preview))
        .route("/docs", get(documentation::top))
        .route("/docs/", get(documentation::below))
        .route("/docs/{*page}", get(documentation::below))
        .route("/assets/{*path}", get(files::asset))
        .fallback(pages::other)
        .method_not_allowed_fallback(error::method_not_allowed)
        .layer(reading(body::SMALL, false));
    let base = state.base.clone();
    let whole = Router::new()
        .merge(pages)
        .merge(api)
        .layer(axum::middleware::map_response(headers::secure))
        .layer(CatchPanicLayer::custom(error::panicked))
        .layer(TraceLayer::new_for_http().make_span_with(headers::span))
        .with_state(state);
    below(&base, whole)
}

/// JSON and pages are compressed on the way. Weights are not, since they hardly shrink and the browser shows how much of their
/// length has arrived; nor are exports, parts of which can be asked for, and events, which would wait for more.
fn compression() -> CompressionLayer<impl Predicate> {
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(
            SizeAbove::new(512)
                .and(NotForContentType::const_new("application/octet-stream"))
                .and(NotForContentType::const_new("application/zip"))
                .and(NotForContentType::SSE),
        )
}
