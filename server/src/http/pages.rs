//! The browser app's files.

use axum::extract::{Path, RawQuery, Request, State};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, VARY};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::recruitment::assignment::Purpose;
use domain::recruitment::platform::Recruitment;
use domain::study::Study;
use sha2::{Digest, Sha256};

use super::error::{ApiError, method_not_allowed};
use super::extract::{self, Languages, LinkParameters};
use super::files::file;
use super::first_page::{StudyPage, with_first_page};
use super::headers::{PolicySources, policy_with, value};
use super::studies::first_page;
use crate::state::ServerState;

/// The page of the participant's app.
const PARTICIPANT: &str = "index.html";

/// The page of the experimenter's app.
const EXPERIMENTER: &str = "lab.html";

/// The page that shows a study to who writes it.
const PREVIEW: &str = include_str!("preview.html");

/// The page of the researcher's app.
const RESEARCHER: &str = "research.html";

/// Shown when the server was built without the app.
const NO_APP: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Redial</title>\
    <body style=\"font-family: sans-serif; max-width: 40em; margin: 4em auto\"><h1>Redial runs, without its app</h1>\
    <p>This server was built without the browser app. Run <code>cargo xtask serve</code>, which builds both.</p>";

/// `GET /`: the app decides what it shows there.
pub(super) async fn app(State(state): State<ServerState>, headers: HeaderMap) -> Response {
    page(&state, PARTICIPANT, StatusCode::OK, None, &headers)
}

/// `GET /lab`: the experimenter's app. Without the key it shows nothing.
pub(super) async fn lab(State(state): State<ServerState>, headers: HeaderMap) -> Response {
    page(&state, EXPERIMENTER, StatusCode::OK, None, &headers)
}

/// `GET /study/{study}`: the app, too, with the study's first page in it; the app says it in words where there
/// is no such study.
pub(super) async fn study(
    State(state): State<ServerState>,
    study: Result<extract::StudyParameter, ApiError>,
    languages: Languages,
    LinkParameters(parameters): LinkParameters,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    match study {
        Ok(extract::StudyParameter(entry)) => {
            let shown = StudyPage {
                study: &entry.study,
                info: first_page(&state, &entry, &languages, &parameters).await,
                query: query.as_deref().unwrap_or_default(),
            };
            let page = page(&state, PARTICIPANT, StatusCode::OK, Some(&shown), &headers);
            ([(VARY, "accept-language")], page).into_response()
        }
        Err(_) => page(&state, PARTICIPANT, StatusCode::NOT_FOUND, None, &headers),
    }
}

/// `GET /preview/{study}`: the study as participants see it, beside a list of its parts. Only a server
/// that runs for that has it.
pub(super) async fn preview(
    State(state): State<ServerState>,
    study: Result<extract::StudyParameter, ApiError>,
) -> Result<Response, ApiError> {
    if state.purpose != Purpose::Preview {
        return Err(ApiError::not_found("page"));
    }
    study?;
    let html = placed(PREVIEW, &state);
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

/// `GET /research`: the researcher's app. Without a sign-in it shows nothing.
pub(super) async fn research(State(state): State<ServerState>, headers: HeaderMap) -> Response {
    page(&state, RESEARCHER, StatusCode::OK, None, &headers)
}

/// `GET /research/{*page}`: the same; the app knows its pages.
pub(super) async fn below_research(
    State(state): State<ServerState>,
    Path(below): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    if below == "api" || below.starts_with("api/") {
        return Err(ApiError::not_found("address"));
    }
    Ok(page(&state, RESEARCHER, StatusCode::OK, None, &headers))
}

fn page(
    state: &ServerState,
    file: &str,
    status: StatusCode,
    study: Option<&StudyPage<'_>>,
    request: &HeaderMap,
) -> Response {
    let no_cache = (CACHE_CONTROL, "no-cache".to_owned());
    match state.assets.get(file) {
        Some(bytes) => {
            let html = placed(&String::from_utf8_lossy(&bytes), state);
            let html = match study {
                Some(study) => with_first_page(&html, study),
                None => html,
            };
            let allowed = PolicySources {
                scripts: inline_scripts(&html),
                streams_to: web_sockets(request),
                // Recordings are played as they were fetched: each fetching of one is noted.
                sounds_from: if file == RESEARCHER { "blob:" } else { "" },
                ..study.map_or_else(PolicySources::default, |page| platforms(state, page.study))
            };
            let policy = (CONTENT_SECURITY_POLICY, policy_with(&allowed));
            (status, [no_cache, policy], Html(html)).into_response()
        }
        None => (status, [no_cache], Html(NO_APP)).into_response(),
    }
}

/// A page as it lies below the server's path, which its scripts read from `data-base`.
fn placed(html: &str, state: &ServerState) -> String {
    let base = state.base.as_str();
    if base.is_empty() {
        return html.to_owned();
    }
    // Addresses in attributes, and in styles that stand in the page.
    let below = ["=\"/", "url(\"/"]
        .iter()
        .fold(html.to_owned(), |html, start| {
            let path = format!("{}{base}/", &start[..start.len() - 1]);
            html.replace(start, &path)
        });
    below.replacen("<html", &format!("<html data-base=\"{base}\""), 1)
}

/// Where WebSockets of a page go: to the host that it was asked of.
fn web_sockets(request: &HeaderMap) -> String {
    let host = request.get(HOST).and_then(|host| host.to_str().ok());
    let fits = |c: u8| c.is_ascii_alphanumeric() || b"-.:[]".contains(&c);
    match host {
        Some(host) if !host.is_empty() && host.bytes().all(fits) => {
            format!("ws://{host} wss://{host}")
        }
        _ => String::new(),
    }
}

/// The sources that a study's platforms may use with its page.
fn platforms(state: &ServerState, study: &Study) -> PolicySources {
    let facts = || study.recruitment.iter().map(Recruitment::facts);
    let stand_ins = state.library.stand_ins().iter().map(String::as_str);
    let stand_ins: Vec<&str> = stand_ins
        .filter(|_| !study.recruitment.is_empty())
        .collect();
    let list = |own: Vec<&str>| [own, stand_ins.clone()].concat().join(" ");
    let framed_by = facts().flat_map(|facts| facts.framed_by).copied();
    let also = study.framed_by.iter().map(String::as_str);
    PolicySources {
        framed_by: list(framed_by.chain(also).collect()),
        posts_to: list(facts().flat_map(|facts| facts.posts_to).copied().collect()),
        ..PolicySources::default()
    }
}

/// The page's own inline scripts as sources of a content security policy: no others may run.
pub(super) fn inline_scripts(html: &str) -> String {
    let mut sources = Vec::new();
    let mut rest = html;
    while let Some((_, after)) = rest.split_once("<script") {
        let Some((attributes, after)) = after.split_once('>') else {
            break;
        };
        let Some((script, after)) = after.split_once("</script>") else {
            break;
        };
        if !attributes.contains("src=") {
            sources.push(format!(
                "'sha256-{}'",
                STANDARD.encode(Sha256::digest(script))
            ));
        }
        rest = after;
    }
    sources.join(" ")
}

/// Everything else: the service worker and other files beside the page, or nothing.
pub(super) async fn other(
    State(state): State<ServerState>,
    request: Request,
) -> Result<Response, ApiError> {
    let path = request.uri().path();
    let below = |of: &str| {
        path.strip_prefix(of)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if below("/api") || below("/research/api") {
        return Err(ApiError::not_found("address"));
    }
    let reads = *request.method() == Method::GET || *request.method() == Method::HEAD;
    match file(&state, &request, "no-cache") {
        Ok(_) if !reads => Err(method_not_allowed().await),
        Err(_) if reads && value(&request, &ACCEPT).contains("text/html") => Ok(page(
            &state,
            PARTICIPANT,
            StatusCode::NOT_FOUND,
            None,
            request.headers(),
        )),
        answer => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::inline_scripts;

    #[test]
    fn only_inline_scripts_are_hashed() {
        // printf 'a()' | openssl dgst -sha256 -binary | base64
        let html = "<script src=\"x.js\"></script><script type=\"module\">a()</script>";
        assert_eq!(
            inline_scripts(html),
            "'sha256-qVpDBgj7bpq5hMAcGp3AOc79J3Y1Z4HvySTwKrWDoy4='"
        );
        assert_eq!(inline_scripts("<p>"), "");
    }
}
