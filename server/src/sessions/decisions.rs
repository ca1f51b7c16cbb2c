//! Decisions that platforms are told of sessions: making one, taking it back, and settling what went wrong.

use api::research::WantedDeed;
use domain::recruitment::outbox::{Course, Deed, NotNow, RejectionCategory, Settlement};
use domain::recruitment::pay::{Entry, Pay};
use domain::session::event::SessionId;
use domain::study::StoredDefinition;

use super::error::refused;
use super::{DecisionError, SessionError, Sessions};
use crate::platforms::{SubmissionNames, TOLD};
use crate::storage::{
    DecisionAnswer, DecisionStep, NewDecision, StorageError, StoredArrival, StoredDecision,
};

fn before(why: String) -> SessionError {
    DecisionError::Before(why).into()
}

/// The facts that are known of a session that is decided on.
struct Decided {
    arrival: StoredArrival,
    /// The pay that the study promised when it was started.
    promised: Option<Pay>,
    entries: Vec<Entry>,
}

impl Sessions {
    /// Decides what the platform of a session's participant is told; gives the number of the decision. It waits in
    /// the outbox, in which it can be taken back; `at_once` it is sent as soon as can be.
    ///
    /// # Errors
    /// [`DecisionError`], or storage.
    pub async fn decide(
        &self,
        study: &str,
        session: &SessionId,
        wanted: &WantedDeed,
        at_once: bool,
        by: Option<&str>,
    ) -> Result<u64, SessionError> {
        let decided = self.decided_on(study, session).await?;
        let platform = decided.arrival.platform.clone();
        let deed = self.deed(study, &decided, wanted)?;
        if let Some(fault) = deed.fault(&platform) {
            return Err(refused(fault));
        }
        if let Deed::Reject {
            category: Some(RejectionCategory::TooQuickly),
            ..
        } = deed
            && !self.too_fast(study).await?.contains(session)
        {
            return Err(refused(
                "'too fast' is a reason only for a time more than three standard deviations below the study's mean, \
                 which this one is not",
            ));
        }
        let now_unix_ms = self.now_unix_ms();
        for entry in deed.entries(session, &platform, now_unix_ms) {
            let is_new = entry.is_new_after(&decided.entries);
            let is_new = is_new.map_err(|conflict| before(conflict.to_string()))?;
            let is_noted = !is_new;
            if is_noted {
                return Err(before(format!(
                    "the ledger of session {session} has this already, as '{}' with the reference '{}'",
                    entry.kind.name(),
                    entry.reference
                )));
            }
        }
        if *wanted == (WantedDeed::Approve { anyway: false }) {
            let entries = &decided.entries;
            self.approvable(session, &platform, entries).await?;
        }
        let usual_ms = self.library.platforms().wait_ms;
        let wait_ms = if at_once { 0 } else { usual_ms };
        let decision = NewDecision {
            study: study.to_owned(),
            session: session.clone(),
            platform,
            deed,
            decided_by: by.map(str::to_owned),
            decided_at_unix_ms: now_unix_ms,
            course: Course::waiting(now_unix_ms, wait_ms),
        };
        match self.storage.decide(decision).await? {
            DecisionAnswer::Stored(number) => Ok(number),
            DecisionAnswer::InTheWay(there) => Err(before(there.in_words())),
        }
    }

    /// The session, if its platform can be told something about it.
    async fn decided_on(&self, study: &str, session: &SessionId) -> Result<Decided, SessionError> {
        let stored = self.storage.session(session).await?;
        let stored = stored.filter(|stored| stored.study == study);
        let erasure = self.storage.erasure(session).await?;
        let erasure = erasure.filter(|erasure| erasure.study == study);
        let arrival = match (&stored, erasure) {
            (Some(_), _) => self.storage.arrival(session).await?,
            (None, Some(erasure)) => erasure.arrival,
            (None, None) => return Err(SessionError::NotFound),
        };
        if !self.storage.purpose(session).await?.counts() {
            return Err(refused(format!(
                "session {session} is a trial and no participant's; no platform pays for it"
            )));
        }
        let arrival = arrival.ok_or_else(|| {
            refused(format!(
                "the participant of session {session} came from no platform; what you pay them by hand you can note"
            ))
        })?;
        let platform = &arrival.platform;
        if !self.library.platforms().can_reach(platform) {
            let command = TOLD.contains(&platform.as_str()).then(|| {
                format!(". Decide with redial platform {platform}, or start the server with --platform-credentials")
            });
            return Err(refused(format!(
                "this server cannot reach the platform '{platform}'{}",
                command.unwrap_or_default()
            )));
        }
        if SubmissionNames::of(&arrival).is_none() {
            return Err(refused(format!(
                "what {platform} calls the participant of session {session} was dropped, so nothing can be decided there"
            )));
        }
        let mut snapshot = self.storage.study_snapshot(study).await?;
        let mut entries = snapshot.payments().await?;
        entries.retain(|entry| entry.session == *session);
        let definition = match &stored {
            Some(stored) => snapshot.study_version(&stored.study_sha256).await?,
            None => None,
        };
        let definition = definition.and_then(|json| StoredDefinition::read(&json).ok());
        Ok(Decided {
            arrival,
            promised: definition.and_then(|it| it.pay().ok().flatten()),
            entries,
        })
    }

    /// The deed that the platform is told, with amounts and currency.
    fn deed(
        &self,
        study: &str,
        decided: &Decided,
        wanted: &WantedDeed,
    ) -> Result<Deed, SessionError> {
        let entry = self.library.study(study);
        let now = entry.as_deref().and_then(|entry| entry.study.pay.as_ref());
        let promised = decided.promised.as_ref().or(now);
        let first = decided.entries.first().map(|entry| &entry.currency);
        let currency = promised.map(|pay| &pay.currency).or(first);
        let currency = currency
            .ok_or_else(|| refused("the study declares no pay ('pay' in study.json)"))?
            .clone();
        Ok(match wanted {
            WantedDeed::Approve { .. } => Deed::Approve {
                // The platform pays everybody what it was told last.
                amount: now
                    .or(promised)
                    .ok_or_else(|| refused("the study declares no pay ('pay' in study.json)"))?
                    .amount,
                currency,
            },
            WantedDeed::Reject { category, message } => Deed::Reject {
                category: *category,
                message: message.trim().to_owned(),
                currency,
            },
            WantedDeed::AskReturn { reason } => Deed::AskReturn {
                reason: reason.trim().to_owned(),
            },
            WantedDeed::Bonus {
                amount,
                reason,
                reference,
            } => Deed::Bonus {
                amount: *amount,
                currency,
                reason: reason.trim().to_owned(),
                reference: reference.trim().to_owned(),
            },
        })
    }

    /// Completed sessions of a study that were exceptionally fast.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn too_fast(&self, study: &str) -> Result<Vec<SessionId>, SessionError> {
        let mut snapshot = self.storage.study_snapshot(study).await?;
        Ok(snapshot.too_fast().await?.into_values().collect())
    }

    /// Takes a decision back that was not sent; gives the decision as it was.
    ///
    /// # Errors
    /// [`DecisionError`], or storage.
    pub async fn take_back(
        &self,
        study: &str,
        number: u64,
        by: Option<&str>,
    ) -> Result<StoredDecision, SessionError> {
        let now_unix_ms = self.now_unix_ms();
        let step = |decision: &StoredDecision| {
            let course = &decision.course;
            let to = course.taken_back(by.map(str::to_owned), now_unix_ms)?;
            Ok((to, Vec::new()))
        };
        self.step(study, number, step).await
    }

    /// Settles a decision that was refused or may have been done; gives the decision as it was.
    ///
    /// # Errors
    /// [`DecisionError`], or storage.
    pub async fn settle(
        &self,
        study: &str,
        number: u64,
        how: Settlement,
        by: Option<&str>,
    ) -> Result<StoredDecision, SessionError> {
        let now_unix_ms = self.now_unix_ms();
        let step = |decision: &StoredDecision| {
            let course = &decision.course;
            let to = course.settled(how, by.map(str::to_owned), now_unix_ms)?;
            let entries = match how {
                Settlement::Done => {
                    decision
                        .deed
                        .entries(&decision.session, &decision.platform, now_unix_ms)
                }
                Settlement::Again | Settlement::Dropped => Vec::new(),
            };
            Ok((to, entries))
        };
        self.step(study, number, step).await
    }

    /// Takes a decision of a study a step further. Somebody else may do so at the same time: then it is looked at anew.
    async fn step(
        &self,
        study: &str,
        number: u64,
        step: impl Fn(&StoredDecision) -> Result<(Course, Vec<Entry>), NotNow>,
    ) -> Result<StoredDecision, SessionError> {
        loop {
            let found = self.storage.decision(number).await?;
            let found = found.filter(|found| found.study == study);
            let found = found.ok_or(DecisionError::NotFound)?;
            let (to, entries) = step(&found).map_err(DecisionError::from)?;
            if self.storage_step(&found, to, entries).await? {
                return Ok(found);
            }
        }
    }

    /// Stores a step; where the ledger cannot take what belongs to it, the step says so and is stored all the same: what a
    /// platform has done is done.
    pub(super) async fn storage_step(
        &self,
        decision: &StoredDecision,
        to: Course,
        entries: Vec<Entry>,
    ) -> Result<bool, SessionError> {
        let step = DecisionStep {
            number: decision.number,
            from: decision.course.clone(),
            to,
            entries,
        };
        match self.storage.step_decision(step.clone()).await {
            Err(StorageError::Payment(why)) => {
                tracing::error!(session = %decision.session, number = decision.number, %why,
                    "a decision is done, and the ledger of payments does not take it");
                let to = Course {
                    answer: Some(format!("the ledger of payments does not take it: {why}")),
                    ..step.to
                };
                let step = DecisionStep {
                    to,
                    entries: Vec::new(),
                    ..step
                };
                Ok(self.storage.step_decision(step).await?)
            }
            other => Ok(other?),
        }
    }
}
