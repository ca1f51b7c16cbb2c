//! The HTTP interface.

use axum::Router;
use axum::http::Method;
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};
use tower_http::trace::TraceLayer;

use crate::state::AppState;

mod content;
mod endpoint;
pub mod error;
mod extract;
mod headers;
mod health;
pub mod openapi;
mod pages;
mod sessions;
mod stream;
mod studies;

pub use endpoint::Endpoint;

/// The whole interface: the API's endpoints, then the pages.
pub fn router(state: AppState) -> Router {
    let api = endpoints()
        .into_iter()
        .fold(Router::new(), |router, endpoint| {
            router.route(&endpoint.path, endpoint.handler)
        })
        .layer(compression());
    Router::new()
        .merge(api)
        .route("/", get(pages::app))
        .route("/study/{study}", get(pages::app))
        .route("/assets/{*path}", get(pages::asset))
        .fallback(pages::other)
        .method_not_allowed_fallback(error::method_not_allowed)
        .layer(axum::middleware::map_response(headers::secure))
        .layer(CatchPanicLayer::custom(error::panicked))
        .layer(TraceLayer::new_for_http().make_span_with(headers::span))
        .with_state(state)
}

/// Every endpoint of the API, with its description for [`openapi`].
#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    use api::ErrorCode as E;
    use api::routes;
    use api::{
        Ack, Batch, Beacon, Completion, SessionStarted, SessionState, StartRequest, StudyInfo,
        StudyList, VerdictAnswer, VerdictRequest,
    };
    use domain::event::SessionId;

    let session = &SessionId("{session}".to_owned());
    vec![
        Endpoint::new(Method::GET, routes::STUDIES, "list_studies", studies::list)
            .about("The studies that can be taken.")
            .answers::<StudyList>(),
        Endpoint::new(Method::GET, &routes::study("{study}"), "show_study", studies::show)
            .about("A study's first page. Reading it creates nothing.")
            .answers::<StudyInfo>(),
        Endpoint::new(Method::POST, &routes::study_sessions("{study}"), "start_session", studies::start)
            .about("Starts a session. The same attempt gives the same session, with a new token.")
            .takes::<StartRequest>()
            .answers::<SessionStarted>()
            .or(&[E::Gone, E::StorageFull]),
        Endpoint::new(Method::GET, &routes::session(session), "show_session", sessions::show)
            .about("A session as its page needs it to go on: plan, log and completion code.")
            .with_token()
            .answers::<SessionState>()
            .or(&[E::Gone]),
        Endpoint::new(Method::POST, &routes::events(session), "append_events", sessions::append)
            .about("Adds events to a session's log: all of them or none. Answered when they are on disk.")
            .with_token()
            .takes::<Batch>()
            .answers::<Ack>()
            .or(&[E::Gap, E::Conflict, E::Refused, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::beacon(session), "append_events_by_beacon", sessions::beacon)
            .about("As append_events, with the token in the body: for a page that is being left.")
            .takes::<Beacon>()
            .answers::<Ack>()
            .or(&[E::Unauthorised, E::Gap, E::Conflict, E::Refused, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::verdicts(session), "ask_verdict", sessions::verdict)
            .about("Whether an answer was right. Answered once the answer is on disk.")
            .with_token()
            .takes::<VerdictRequest>()
            .answers::<VerdictAnswer>()
            .or(&[E::NotAnswered, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::completion(session), "complete_session", sessions::complete)
            .about("The completion code of a session in which everything asked has been answered.")
            .with_token()
            .answers::<Completion>()
            .or(&[E::NotComplete, E::StorageFull]),
        Endpoint::new(Method::GET, routes::STREAM, "stream", stream::open)
            .about("A WebSocket: the browser sends ClientMessage, `hello` first; the server answers each with a ServerMessage.")
            .upgrades::<api::ClientMessage, api::ServerMessage>()
            .or(&[E::Malformed, E::Unavailable]),
        Endpoint::new(Method::GET, &routes::bundle_card("{sha256}"), "fetch_card", content::card)
            .about("The card of a model, by the hash of its bundle.")
            .answers::<domain::model::ModelFacts>(),
        Endpoint::new(Method::GET, &routes::bundle_weights("{sha256}"), "fetch_weights", content::weights)
            .about("The weights of a model as safetensors, by the hash of its bundle.")
            .answers_bytes(),
        Endpoint::new(Method::GET, &routes::instance("{sha256}"), "fetch_instance", content::instance)
            .about("An instance that a plan names, by the hash of its bytes: little-endian 32-bit floats.")
            .answers_bytes(),
        Endpoint::new(Method::GET, routes::OPENAPI, "describe", openapi::show)
            .about("This description.")
            .answers::<serde_json::Map<String, serde_json::Value>>(),
        Endpoint::new(Method::GET, routes::HEALTH, "health", health::alive)
            .about("Whether the process runs, and how its last attempt to store something went.")
            .answers::<health::Health>(),
        Endpoint::new(Method::GET, routes::READY, "readiness", health::ready)
            .about("Whether it can take sessions: the database can be written and no shutdown is under way.")
            .answers::<health::Health>()
            .or(&[E::Unavailable, E::StorageFull]),
    ]
}

/// JSON is compressed on the way; weights are not, since they hardly shrink and
/// the browser shows how much of their length has arrived.
fn compression() -> CompressionLayer<impl Predicate> {
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(
            SizeAbove::new(512).and(NotForContentType::const_new("application/octet-stream")),
        )
}
