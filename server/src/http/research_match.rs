//! The researcher's area: a platform's own list of submissions beside a study's sessions.

use api::ErrorCode as E;
use api::research::{Act, PlatformMatch, Right};
use api::routes;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::Method;

use super::endpoint::Endpoint;
use super::error::ApiError;
use super::research::Entered;
use super::research_analysis::{beside, still_working};
use crate::access::AccessError;
use crate::matching::{MatchError, match_list};
use crate::platforms::{MOST_BYTES, read_list};
use crate::state::ServerState;

/// Logs that were read so long ago are new enough, in milliseconds: while a study goes on, something is always written.
/// Payments and decisions are read anew with each list.
const NEW_ENOUGH_MS: u64 = 30_000;

/// The endpoints of this module, with their description.
pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(Method::POST, &routes::research_match("{study}"), "match_platform_list", match_with_list)
            .about("Puts a platform's own list of submissions, as CSV, beside a study's sessions: who is in one alone, where they differ, and what is to be done. The list is not kept. Its first answer may be that the logs are being read; ask again then.")
            .with_right(Right::Identify)
            .takes_bytes()
            .at_most(MOST_BYTES)
            .answers::<PlatformMatch>()
            .or(&[E::Refused, E::StorageFull]),
    ]
}

/// `POST /research/api/studies/{study}/match`
async fn match_with_list(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(study): Path<String>,
    list: Bytes,
) -> Result<Json<PlatformMatch>, ApiError> {
    let refused = |words: String| ApiError::new(E::Refused, words);
    let list = beside(&state, move || read_list(&list)).await?;
    let list = list.map_err(|error| refused(error.to_string()))?;
    let entry = state.library.study(&study);
    let file = entry.as_ref().map(|entry| &entry.study);
    let since = state.sessions.now_unix_ms().saturating_sub(NEW_ENOUGH_MS);
    let pay = file.and_then(|file| file.pay.clone());
    let answer = state.results.people(&study, pay, since).await;
    let answer = answer.map_err(AccessError::Storage)?;
    let (read_at, people) = match &answer.found {
        Some((read_at, people)) if answer.current => (*read_at, people.clone()),
        _ => return Err(still_working(answer)),
    };
    let mut noted = state.access.audited(Some(&who), Act::Identified);
    noted.study = Some(study.clone());
    noted.about = Some(format!("list of {}", list.platform));
    state.access.note(noted).await?;
    let found = match_list(&*state.storage, &study, file, &people, read_at, &list).await;
    match found {
        Ok(found) => Ok(Json(found)),
        Err(MatchError::Storage(error)) => Err(AccessError::Storage(error).into()),
        Err(other) => Err(refused(other.to_string())),
    }
}
