//! The table of endpoints, from which both the router and the description are made.

use api::lab::{LabRequests, PieceStored, ReadFrom};
use api::preview::{PreviewOpened, PreviewRequest};
use api::{
    Ack, Batch, Beacon, CheckAnswer, CheckRequest, CompletionCode, DepartureInfo, ErrorCode as E,
    MAX_BODY_BYTES, PageError, ReportLogged, RestoreRequest, SessionStarted, SessionState,
    StartRequest, StudyInfo, StudyList, VerdictAnswer, VerdictRequest, routes,
};
use axum::http::Method;
use domain::session::event::SessionId;

use super::body::OF_A_STRANGER;
use super::endpoint::Endpoint;
use super::{
    content, health, lab, openapi, page_errors, research_decisions, research_match, sessions,
    stream, studies,
};

mod area;
mod results;

use area::area;
use results::results;

/// Every endpoint of the API, with its description for [`super::openapi`].
#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    let session = &SessionId("{session}".to_owned());
    let mut all = vec![
        Endpoint::new(Method::GET, routes::STUDIES, "list_studies", studies::list)
            .about("The studies that can be taken; those that are being written are not among them.")
            .in_languages()
            .answers::<StudyList>(),
        Endpoint::new(Method::GET, &routes::study("{study}"), "show_study", studies::show)
            .about("A study's first page. Reading it creates nothing.")
            .in_languages()
            .answers::<StudyInfo>(),
        Endpoint::new(Method::POST, &routes::study_sessions("{study}"), "start_session", studies::start)
            .about("Starts a session. The same attempt gives the same session and the same token.")
            .takes::<StartRequest>()
            .answers::<SessionStarted>()
            .or(&[E::Gone, E::StudyFull, E::TookPart, E::WrongLink, E::NotOpen, E::StorageFull, E::Unavailable]),
        Endpoint::new(Method::POST, &routes::study_preview("{study}"), "preview_study", studies::preview)
            .about("Begins a session at any part, on a server that runs for looking at studies (`redial serve --preview`). It is no data.")
            .takes::<PreviewRequest>()
            .answers::<PreviewOpened>()
            .or(&[E::StorageFull, E::Unavailable]),
        Endpoint::new(Method::GET, &routes::session(session), "show_session", sessions::show)
            .about("A session as its page needs it to go on: plan, log and completion code.")
            .with_token()
            .answers::<SessionState>()
            .or(&[E::Gone, E::Erased]),
        Endpoint::new(Method::POST, &routes::events(session), "append_events", sessions::append)
            .about("Adds events to a session's log: all of them or none. Answered when they are on disk.")
            .with_token()
            .takes::<Batch>()
            .at_most(MAX_BODY_BYTES)
            .answers::<Ack>()
            .or(&[E::Gap, E::Conflict, E::Refused, E::Unavailable, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::beacon(session), "append_events_by_beacon", sessions::beacon)
            .about("As append_events, with the token in the body: for a page that is being left.")
            .takes::<Beacon>()
            .at_most(OF_A_STRANGER)
            .answers::<Ack>()
            .or(&[E::Unauthorised, E::Gap, E::Conflict, E::Refused, E::Unavailable, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::verdicts(session), "ask_verdict", sessions::verdict)
            .about("Whether an answer was right. Answered once the answer is on disk.")
            .with_token()
            .takes::<VerdictRequest>()
            .answers::<VerdictAnswer>()
            .or(&[E::NotAnswered, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::checks(session), "ask_check", sessions::check)
            .about("Which answers to a questionnaire are wrong. Answered once they are on disk.")
            .with_token()
            .takes::<CheckRequest>()
            .answers::<CheckAnswer>()
            .or(&[E::NotAnswered, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::completion(session), "complete_session", sessions::complete)
            .about("The completion code of a session in which everything asked has been answered.")
            .with_token()
            .answers::<CompletionCode>()
            .or(&[E::NotComplete, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::restore(session), "restore_session", sessions::restore)
            .about("Makes a session again that the server has lost, as after an older backup was put in place. Its page then hands in its log from the beginning.")
            .with_token()
            .takes::<RestoreRequest>()
            .at_most(64 * 1024)
            .answers::<Ack>()
            .or(&[E::Gone, E::Erased, E::StorageFull, E::Unavailable]),
        Endpoint::new(Method::POST, &routes::departure(session), "leave_session", sessions::depart)
            .about("How the participant of a session that has ended goes back to the platform that they came from.")
            .with_token()
            .answers::<DepartureInfo>()
            .or(&[E::NotComplete, E::StorageFull]),
        Endpoint::new(Method::DELETE, &routes::session(session), "erase_session", sessions::erase)
            .about("Erases everything that the participant gave, and says how they go back. What is needed to pay them stays. Done twice, it is no error.")
            .with_token()
            .answers::<DepartureInfo>()
            .or(&[E::StorageFull]),
        Endpoint::new(Method::GET, &routes::asked(session), "ask_experimenter", lab::asked)
            .about("What the experimenter asks a lab session's page for. Answered once there is something, or after 20 seconds.")
            .with_token()
            .in_query::<ReadFrom>()
            .answers::<LabRequests>()
            .or(&[E::Malformed, E::Unavailable]),
        Endpoint::new(Method::POST, &routes::piece(session, "{recording}", "{piece}"), "store_piece", lab::piece)
            .about("Stores a piece of a lab session's recording. Answered when it is on disk; the same piece again changes nothing.")
            .with_token()
            .takes_bytes()
            .at_most(domain::session::lab::MAX_PIECE_BYTES)
            .answers::<PieceStored>()
            .or(&[E::Malformed, E::Refused, E::Erased, E::StorageFull]),
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
        Endpoint::new(Method::POST, routes::PAGE_ERRORS, "report_page_error", page_errors::report)
            .about("Says that a page broke down. Goes to the server's own log, not to the data.")
            .takes::<PageError>()
            .at_most(16 * 1024)
            .answers::<ReportLogged>(),
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
    ];
    all.extend(area());
    all.extend(research_decisions::endpoints());
    all.extend(research_match::endpoints());
    all.extend(results());
    all
}
