//! The request for an export, as [`crate::export`] takes it.

use api::research::NewExport;

use crate::export::Selection;

/// The sessions that a request selects.
///
/// # Errors
/// When something in it makes no sense: what, and what would.
pub fn selection(request: &NewExport) -> Result<Selection, String> {
    if let (Some(since), Some(before)) = (request.since_unix_ms, request.before_unix_ms)
        && since >= before
    {
        return Err("nothing begins then or later, and before: `before_unix_ms` has to be after `since_unix_ms`".to_owned());
    }
    let versions = request.study_versions.iter();
    let standings = request.standings.iter();
    Ok(Selection {
        whose: request.of.into(),
        study_versions: versions
            .map(|it| Selection::version(it))
            .collect::<Result<_, _>>()?,
        since_unix_ms: request.since_unix_ms,
        before_unix_ms: request.before_unix_ms,
        standings: standings
            .map(|it| Selection::standing(it))
            .collect::<Result<_, _>>()?,
    })
}
