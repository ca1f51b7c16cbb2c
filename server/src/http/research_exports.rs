//! The researcher's area: exports that the server makes and keeps.

use api::ErrorCode;
use api::research::{Act, Done, ExportInfo, Exports, NewExport, Right};
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{CONTENT_DISPOSITION, ETAG, IF_RANGE, RANGE};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tower_http::services::ServeFile;

use super::error::ApiError;
use super::extract;
use super::research::Entered;
use crate::access::{AccessError, SignedIn};
use crate::export_jobs::ExportJobError;
use crate::state::ServerState;

/// The file's hash, as RFC 9530 has it.
const REPR_DIGEST: HeaderName = HeaderName::from_static("repr-digest");

impl From<ExportJobError> for ApiError {
    fn from(error: ExportJobError) -> Self {
        match error {
            ExportJobError::Request(_)
            | ExportJobError::TooMany
            | ExportJobError::NoPlace
            | ExportJobError::Failed(_) => Self::new(ErrorCode::Refused, error.to_string()),
            ExportJobError::NotReady { .. } => Self::new(ErrorCode::Unavailable, error.to_string()),
            ExportJobError::NotFound => Self::new(ErrorCode::NotFound, error.to_string()),
            ExportJobError::NoRandomness(error) => Self::internal(&error),
        }
    }
}

/// `GET /research/api/studies/{study}/exports`
pub(super) async fn list(
    State(state): State<ServerState>,
    Path(study): Path<String>,
) -> Json<Exports> {
    let exports = state.exports.of_study(&study);
    Json(Exports { exports })
}

/// `POST /research/api/studies/{study}/exports`
pub(super) async fn make(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(study): Path<String>,
    extract::Json(request): extract::Json<NewExport>,
) -> Result<Json<ExportInfo>, ApiError> {
    may_have(&who, &study, &request)?;
    let about = request
        .identifying
        .then(|| "with what is identifying".to_owned());
    let mut noted = state.access.audited(Some(&who), Act::Exported);
    noted.study = Some(study.clone());
    noted.about = about;
    // First: what is not noted is not exported.
    state.access.note(noted).await?;
    let name = who.me().name;
    Ok(Json(state.exports.begin(&study, request, Some(name))?))
}

/// `GET /research/api/studies/{study}/exports/{export}`
pub(super) async fn show(
    State(state): State<ServerState>,
    Path((study, export)): Path<(String, String)>,
) -> Result<Json<ExportInfo>, ApiError> {
    Ok(Json(state.exports.info(&study, &export)?))
}

/// `DELETE /research/api/studies/{study}/exports/{export}`
pub(super) async fn remove(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path((study, export)): Path<(String, String)>,
) -> Result<Json<Done>, ApiError> {
    let info = state.exports.info(&study, &export)?;
    may_have(&who, &study, &info.request)?;
    let mut noted = state.access.audited(Some(&who), Act::ExportRemoved);
    noted.study = Some(study.clone());
    noted.about = Some(format!("export {}", info.id));
    // First: what is not noted is not done.
    state.access.note(noted).await?;
    state.exports.remove(&study, &export)?;
    Ok(Json(Done {}))
}

/// `GET /research/api/studies/{study}/exports/{export}/file`
pub(super) async fn file(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path((study, export)): Path<(String, String)>,
    mut request: Request,
) -> Result<Response, ApiError> {
    let (info, ready, path) = state.exports.file(&study, &export)?;
    may_have(&who, &study, &info.request)?;
    if info.request.identifying {
        let mut noted = state.access.audited(Some(&who), Act::Identified);
        noted.study = Some(study);
        noted.about = Some(format!("export {}", info.id));
        state.access.note(noted).await?;
    }
    let etag = format!("\"{}\"", ready.sha256);
    unless_changed(request.headers_mut(), &etag);
    let served = ServeFile::new(path).try_call(request).await;
    let mut response = served.map_err(|error| ApiError::internal(&error))?;
    let digest = hex_to_base64(&ready.sha256);
    let headers = [
        (ETAG, etag),
        (REPR_DIGEST, format!("sha-256=:{digest}:")),
        (
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"{}\"", ready.file),
        ),
    ];
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    Ok(response.map(Body::new))
}

/// An export with what is identifying is for those who may see that, and one with the audit log for those who may see
/// that.
fn may_have(who: &SignedIn, study: &str, wanted: &NewExport) -> Result<(), ApiError> {
    let needed = [
        (wanted.identifying, Right::Identify),
        (wanted.audit, Right::Manage),
    ];
    for (wanted, right) in needed {
        if wanted && !who.may(right, study, false) {
            return Err(AccessError::Forbidden.into());
        }
    }
    Ok(())
}

/// A part of another file than the one that was begun would be of no use: then the whole is sent.
fn unless_changed(headers: &mut HeaderMap, etag: &str) {
    if let Some(wanted) = headers.remove(IF_RANGE)
        && wanted.as_bytes() != etag.as_bytes()
    {
        headers.remove(RANGE);
    }
}

fn hex_to_base64(hex: &str) -> String {
    let digits: Vec<u32> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
    let pairs = digits.chunks_exact(2);
    let bytes: Vec<u8> = pairs
        .filter_map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok())
        .collect();
    STANDARD.encode(bytes)
}
