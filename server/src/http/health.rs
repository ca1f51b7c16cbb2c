//! Whether the server lives and works.

use api::ErrorCode;
use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::ApiError;
use crate::state::AppState;

/// How the server is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Health {
    /// `ok`.
    status: &'static str,
}

const OK: Json<Health> = Json(Health { status: "ok" });

/// `GET /healthz`
pub(super) async fn alive() -> Json<Health> {
    OK
}

/// `GET /readyz`
pub(super) async fn ready(State(state): State<AppState>) -> Result<Json<Health>, ApiError> {
    let unavailable = |why| ApiError::new(ErrorCode::Unavailable, why);
    if state.stopping.is_cancelled() {
        return Err(unavailable("the server is stopping"));
    }
    state.storage.check().await.map_err(|error| {
        tracing::error!(%error, "the storage does not answer");
        unavailable("the database does not answer")
    })?;
    Ok(OK)
}
