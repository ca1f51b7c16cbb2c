//! Whether a session that was completed is included, and by which rules it
//! takes its slot.

use domain::session::Session;
use domain::study::StoredDefinition;
use domain::study::inclusion::exclusions;

use crate::library::Library;
use crate::storage::{InclusionDecision, Result, Storage, StorageError};

/// The decision that the ledger needs about a session that its log has just completed. Inclusion
/// rules are those of the study file that the session was started with; caps are those of today's.
pub(super) async fn decide(
    storage: &dyn Storage,
    library: &Library,
    session: &Session,
) -> Result<InclusionDecision> {
    let plan = session.plan();
    let mut snapshot = storage.study_snapshot(&plan.study).await?;
    let definition = snapshot.study_version(&plan.study_sha256).await;
    let inclusion = match definition.map(|json| {
        json.as_deref()
            .map(|json| StoredDefinition::read(json)?.inclusion())
    }) {
        Ok(None) => Vec::new(),
        Ok(Some(Ok(rules))) => rules,
        // The completion is worth more than the rules: analysis evaluates them again.
        Ok(Some(Err(error))) => {
            unknown(session, &error);
            Vec::new()
        }
        Err(error) if error.is_damage() => {
            unknown(session, &error);
            Vec::new()
        }
        Err(error) => return Err::<_, StorageError>(error),
    };
    let study = library.study(&plan.study);
    let rules = study.map(|entry| entry.study.design.assignment.clone());
    Ok(InclusionDecision {
        included: exclusions(&inclusion, session).is_empty(),
        rules: rules.unwrap_or_default(),
    })
}

fn unknown(session: &Session, error: &dyn std::fmt::Display) {
    tracing::error!(session = %session.plan().session, %error,
        "the study's inclusion rules cannot be read; the session counts as if there were none");
}
