//! Whether sessions count in analyses.

use api::research::Act;
use domain::session::event::SessionId;

use super::super::RequestError;
use crate::sessions::{SessionError, Sessions};
use crate::storage::StorageError;

/// How many entries of the audit log are looked through at once.
const AT_ONCE: u32 = 500;

/// The act by which the audit log names it.
pub(super) fn act(excluded: bool) -> Act {
    if excluded {
        Act::Excluded
    } else {
        Act::Readmitted
    }
}

/// Excludes a session by hand, or takes that back. Where that was decided before, it is said by whom.
pub(super) async fn exclude(
    sessions: &Sessions,
    session: &SessionId,
    excluded: bool,
    why: &str,
) -> Result<(), RequestError> {
    match sessions.exclude(session, excluded, why.to_owned()).await {
        Ok(()) => Ok(()),
        Err(SessionError::CountingDecided(mut decided)) => {
            if decided.last.is_some() {
                decided.by = decided_by(sessions, session, act(excluded)).await?;
            }
            Err(SessionError::CountingDecided(decided).into())
        }
        Err(error) => Err(error.into()),
    }
}

/// The person who did something with a session last, as the audit log has it.
async fn decided_by(
    sessions: &Sessions,
    session: &SessionId,
    act: Act,
) -> Result<Option<String>, StorageError> {
    let storage = sessions.storage();
    let study = storage.session(session).await?.map(|it| it.study);
    let study: Vec<String> = study.into_iter().collect();
    let mut before = None;
    loop {
        let entries = storage.audit_log(Some(&study), before, AT_ONCE).await?;
        let is_it =
            |session_of: Option<&str>, act_of| session_of == Some(&session.0) && act_of == act;
        if let Some(found) = entries
            .iter()
            .find(|entry| is_it(entry.session.as_deref(), entry.act))
        {
            let by = found.by.as_deref().unwrap_or("somebody by a command");
            return Ok(Some(by.to_owned()));
        }
        let Some(last) = entries.last() else {
            return Ok(None);
        };
        before = Some(last.number);
    }
}
