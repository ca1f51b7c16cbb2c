//! The researcher's area: erasing a session.

use api::ErrorCode;
use api::research::{Done, ErasureRequest, ExportWithSession, ExportsWithSession};
use axum::Json;
use axum::extract::{Path, State};
use domain::session::event::SessionId;

use super::error::ApiError;
use super::extract;
use super::research::Entered;
use super::research_studies::{carry_out, session_of};
use crate::control::Request;
use crate::export_list::exports_with;
use crate::state::ServerState;

/// `GET /research/api/studies/{study}/sessions/{session}/erasure`
pub(super) async fn exports(
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
) -> Result<Json<ExportsWithSession>, ApiError> {
    let session = session_of(&state, &study, session).await?.id;
    Ok(Json(holding(&state, session).await?))
}

/// `POST /research/api/studies/{study}/sessions/{session}/erasure`
pub(super) async fn erase(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
    extract::Json(request): extract::Json<ErasureRequest>,
) -> Result<Json<ExportsWithSession>, ApiError> {
    let session = session_of(&state, &study, session).await?.id;
    if request.session != session {
        return Err(ApiError::new(
            ErrorCode::Refused,
            format!("nothing was erased: this is session {session}, and another name was typed"),
        ));
    }
    let request = Request::Erase {
        session: session.clone(),
    };
    let Json(Done {}) = carry_out(&state, &who, &request).await?;
    Ok(Json(holding(&state, session).await?))
}

/// The exports that have something of a session.
async fn holding(state: &ServerState, session: SessionId) -> Result<ExportsWithSession, ApiError> {
    let Some(database) = state.storage.path().map(std::path::Path::to_owned) else {
        return Ok(ExportsWithSession {
            exports: Vec::new(),
        });
    };
    let read = tokio::task::spawn_blocking(move || {
        let listed = exports_with(&database, &session)?.into_iter();
        let line = listed.map(|export| ExportWithSession {
            there: export.folder.exists(),
            folder: export.folder.display().to_string(),
            exported_at_utc: export.exported_at_utc,
        });
        std::io::Result::Ok(line.collect())
    });
    let exports = read.await.map_err(|error| ApiError::internal(&error))?;
    let exports = exports.map_err(|error| ApiError::internal(&error))?;
    Ok(ExportsWithSession { exports })
}
