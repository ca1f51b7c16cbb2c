//! The researcher's area: the table of a study's sessions.

use api::ErrorCode;
use api::research::{Act, Right, SessionColumn, SessionRow, SessionTable, SessionsQuery};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};

use super::error::ApiError;
use super::lab::malformed;
use super::research::Entered;
use crate::access::AccessError;
use crate::export::session_columns;
use crate::state::ServerState;
use crate::summaries::{Rows, SummaryRow, TableRequest};

/// `GET /research/api/studies/{study}/sessions`
pub(super) async fn list(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(study): Path<String>,
    query: Result<Query<SessionsQuery>, QueryRejection>,
) -> Result<Json<SessionTable>, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    // Experimenters are shown the sessions that they run, and may know of these who was there.
    let own = !who.may(Right::Look, &study, false);
    let may_identify = who.may(Right::Identify, &study, own);
    let request = TableRequest::read(&query, may_identify)
        .map_err(|problem| ApiError::new(ErrorCode::Malformed, problem))?;
    if request.identifying {
        let mut noted = state.access.audited(Some(&who), Act::Identified);
        noted.study = Some(study.clone());
        state.access.note(noted).await?;
    }
    let at_unix_ms = state.sessions.now_unix_ms();
    let rows = state.summaries.rows(&study, request.identifying).await;
    let mut rows = rows.map_err(AccessError::Storage)?;
    if own {
        rows.keep_those_of(who.name());
    }
    let Rows {
        rows,
        all,
        missing,
        problems,
        ..
    } = rows;
    let columns = session_columns();
    let shown = request.shown.iter().map(|at| columns[*at].name.to_owned());
    let shown = shown.collect();
    let work = move || {
        let (page, matching) = request.page_of(rows);
        let row = |row: &SummaryRow| SessionRow {
            session: row.session.clone(),
            ordinal: row.ordinal,
            values: request
                .shown
                .iter()
                .map(|at| Some(row.cell(*at)).filter(|cell| !cell.is_empty()))
                .map(|cell| cell.map(str::to_owned))
                .collect(),
            problems: row.problems.clone(),
        };
        let page: Vec<SessionRow> = page.iter().map(|it| row(it)).collect();
        (page, matching)
    };
    let (rows, matching) = state
        .sessions
        .processor()
        .run(work)
        .await
        .map_err(|error| ApiError::internal(&error))?;
    let columns = columns.into_iter();
    let columns = columns.filter(|column| may_identify || !column.identifying);
    Ok(Json(SessionTable {
        columns: columns
            .map(|column| SessionColumn {
                name: column.name.to_owned(),
                kind: column.column_type.name().to_owned(),
                unit: column.unit.to_owned(),
                meaning: column.meaning.to_owned(),
                usual: column.usual,
                identifying: column.identifying,
            })
            .collect(),
        shown,
        rows,
        matching,
        all,
        missing,
        problems,
        at_unix_ms,
    }))
}
