//! Whether the server lives and works.

use std::time::Duration;

use api::ErrorCode;
use api::research::STORAGE;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::middleware::Next;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::ApiError;
use crate::state::ServerState;
use crate::storage::{StorageError, WriteHealth};

/// How long the storage may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How the server is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Health {
    /// `ok`, or `failing` when the last attempt to store something failed.
    status: &'static str,
    /// How the last attempt to store something went: `good`, `full` (the disk is full), `locked`
    /// (another process has locked the database), `unreachable` (PostgreSQL does not answer), `failing`, `unconfirmed` (the disk did not
    /// confirm a write) or `replaced` (a file of the database was removed or replaced); after either
    /// of the last two the process is about to end.
    storage: &'static str,
}

/// Tells the pages of the researcher's area while nothing can be stored, in a header of every answer.
pub(super) async fn tell(
    State(state): State<ServerState>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = next.run(request).await;
    // After what was asked for: it may have been the first to fail.
    let health = *state.storage.write_health().borrow();
    if let Some(trouble) = health.trouble() {
        let trouble = HeaderValue::from_static(trouble);
        response.headers_mut().insert(STORAGE, trouble);
    }
    response
}

impl From<WriteHealth> for Health {
    fn from(health: WriteHealth) -> Self {
        Self {
            status: if health == WriteHealth::Good {
                "ok"
            } else {
                "failing"
            },
            storage: health.name(),
        }
    }
}

/// `GET /healthz`: 200 while the process runs, whatever its storage does: starting it anew frees no disk.
pub(super) async fn alive(State(state): State<ServerState>) -> Json<Health> {
    Json(now(&state))
}

/// `GET /readyz`
pub(super) async fn ready(State(state): State<ServerState>) -> Result<Json<Health>, ApiError> {
    if state.stopping.is_cancelled() {
        return Err(ApiError::new(
            ErrorCode::Unavailable,
            "the server is stopping",
        ));
    }
    if let Some(trouble) = state.node.trouble() {
        return Err(ApiError::new(ErrorCode::Unavailable, trouble));
    }
    let checked = tokio::time::timeout(PATIENCE, state.storage.check()).await;
    let too_long = |_| StorageError::Unreachable("it does not answer".to_owned());
    match checked.map_err(too_long).flatten() {
        Ok(()) => Ok(Json(now(&state))),
        Err(StorageError::Full) => Err(ApiError::storage_full()),
        Err(error) => {
            tracing::error!(%error, "the storage does not work");
            Err(ApiError::new(
                ErrorCode::Unavailable,
                "the database cannot be written",
            ))
        }
    }
}

fn now(state: &ServerState) -> Health {
    let health = *state.storage.write_health().borrow();
    health.into()
}
