//! The server's own log of a session: verdicts and checks, told once the answer is
//! on disk, and whether what the page reported follows from its inputs.

use std::sync::Arc;

use domain::session::Phase;
use domain::session::event::{Author, EVENT_FORMAT, Envelope, Event, QuestionRef, SessionId};
use domain::task::Verdict;
use domain::verify::{Depth, VerificationReport};

use super::append::json_length;
use super::cached::Machine;
use super::log::read_log;
use super::{CachedSession, SessionError, Sessions, inclusion};
use crate::library::Library;
use crate::storage::{Storage, StorageError};
use crate::verification::Verifier;

impl Sessions {
    /// The verdict on an answered question. The first time that it is given out, the server
    /// says so in its own log.
    ///
    /// # Errors
    /// [`SessionError::NotAnswered`] before the answer is in the log,
    /// [`SessionError::NoVerdict`] where there is no right or wrong, or storage.
    pub async fn verdict(
        &self,
        session: Arc<CachedSession>,
        at: QuestionRef,
    ) -> Result<Verdict, SessionError> {
        let storage = self.storage.clone();
        let now_unix_ms = self.now_unix_ms();
        // A task of its own: if the browser goes away half-way, machine and log must not part.
        tokio::spawn(
            async move { unless_stale(|| verdict(&*storage, &session, at, now_unix_ms)).await },
        )
        .await?
    }

    /// Which of the answers to a questionnaire that were handed in last are wrong. The first
    /// time that it is told, the server says so in its own log.
    ///
    /// # Errors
    /// [`SessionError::NothingToCheck`] before the answers are in the log, or storage.
    pub async fn check(
        &self,
        session: Arc<CachedSession>,
        part: usize,
    ) -> Result<Vec<String>, SessionError> {
        let storage = self.storage.clone();
        let now_unix_ms = self.now_unix_ms();
        // As above.
        tokio::spawn(
            async move { unless_stale(|| check(&*storage, &session, part, now_unix_ms)).await },
        )
        .await?
    }
}

impl Sessions {
    /// Decodes again a sample of what a completed session reported, and says in the server's log
    /// what was found. `None` if that was said before, or if there is no such session.
    ///
    /// # Errors
    /// When storage fails, or the log is broken.
    pub async fn verify(
        &self,
        id: &SessionId,
        verifier: &mut Verifier,
    ) -> Result<Option<VerificationReport>, SessionError> {
        let storage = &*self.storage;
        let Some(stored) = storage.session(id).await? else {
            return Ok(None);
        };
        let own = read_log(storage, id, Author::Server, 0, u64::MAX).await?;
        let verified = |logged: &Envelope| matches!(logged.event, Event::Verified { .. });
        if own.iter().any(verified) {
            return Ok(None);
        }
        let log = read_log(storage, id, Author::Participant, 0, u64::MAX).await?;
        let report = verifier
            .session(storage, &stored, log, Depth::Sample)
            .await?;
        let event = Event::Verified {
            redial: env!("CARGO_PKG_VERSION").to_owned(),
            decoded: report.decoded,
            contradictions: report.contradictions.len() as u64,
            first: report.contradictions.first().cloned(),
        };
        let now_unix_ms = self.now_unix_ms();
        let session = self.cached(&stored);
        log_once(storage, &session, event, now_unix_ms).await?;
        Ok(Some(report))
    }
}

async fn verdict(
    storage: &dyn Storage,
    session: &CachedSession,
    at: QuestionRef,
    now_unix_ms: u64,
) -> Result<Verdict, SessionError> {
    let mut machine = session.machine(storage).await?;
    let state = machine.get();
    if state
        .question(at)
        .is_none_or(|asked| asked.outcome.is_none())
    {
        return Err(SessionError::NotAnswered { at });
    }
    let verdict = state
        .true_verdict(at)
        .ok_or(SessionError::NoVerdict { at })?;
    let event = Event::VerdictGiven { at, verdict };
    log_if_new(storage, session, machine, event, now_unix_ms).await?;
    Ok(verdict)
}

async fn check(
    storage: &dyn Storage,
    session: &CachedSession,
    part: usize,
    now_unix_ms: u64,
) -> Result<Vec<String>, SessionError> {
    let mut machine = session.machine(storage).await?;
    let state = machine.get();
    let answered = state.answers().last();
    let (Some(_), Some(answered)) = (
        state.without_check().filter(|waiting| *waiting == part),
        answered,
    ) else {
        return Err(SessionError::NothingToCheck { part });
    };
    let wrong = state.true_check(answered);
    let event = Event::CheckGiven {
        part,
        attempt: state.attempts_of(part),
        wrong: wrong.clone(),
    };
    log_if_new(storage, session, machine, event, now_unix_ms).await?;
    Ok(wrong)
}

/// So often something is looked at again before it is given up.
const ATTEMPTS: usize = 5;

/// Tries again where another server has added to the session's logs since they were looked at.
pub(super) async fn unless_stale<T, F>(attempt: impl Fn() -> F) -> Result<T, SessionError>
where
    F: Future<Output = Result<T, SessionError>>,
{
    for _ in 1..ATTEMPTS {
        match attempt().await {
            Err(SessionError::Storage(StorageError::Stale { .. })) => {}
            done => return done,
        }
    }
    attempt().await
}

/// Writes an event to the server's own log of a session, unless it says so already.
pub(super) async fn log_once(
    storage: &dyn Storage,
    session: &CachedSession,
    event: Event,
    now_unix_ms: u64,
) -> Result<(), SessionError> {
    unless_stale(|| async {
        let machine = session.machine(storage).await?;
        log_if_new(storage, session, machine, event.clone(), now_unix_ms).await
    })
    .await
}

/// The same, once.
async fn log_if_new(
    storage: &dyn Storage,
    session: &CachedSession,
    machine: Machine<'_>,
    event: Event,
    now_unix_ms: u64,
) -> Result<(), SessionError> {
    let own = read_log(storage, session.id(), Author::Server, 0, u64::MAX).await?;
    if own.iter().any(|logged| logged.event == event) {
        return Ok(());
    }
    let entry = AuthoredEvent {
        author: Author::Server,
        event,
    };
    log(storage, None, session, machine, entry, now_unix_ms).await?;
    Ok(())
}

/// An event that is to be written into the log of another author than the participant.
pub(super) struct AuthoredEvent {
    /// Whose log.
    pub author: Author,
    /// The event.
    pub event: Event,
}

/// Writes an event to the log of the server or the experimenter; gives its time. With the library,
/// what it changes about a completed session is taken over into the ledger.
pub(super) async fn log(
    storage: &dyn Storage,
    library: Option<&Library>,
    session: &CachedSession,
    mut machine: Machine<'_>,
    entry: AuthoredEvent,
    now_unix_ms: u64,
) -> Result<u64, SessionError> {
    let state = machine.get();
    let end = state.log_end(entry.author);
    // On the session's clock, and never before the answer, whatever the two clocks say.
    let at_ms = now_unix_ms
        .saturating_sub(session.created_at_unix_ms())
        .max(state.last_ms())
        .max(end.last_ms);
    let envelope = Envelope {
        format: EVENT_FORMAT,
        session: session.id().clone(),
        author: entry.author,
        seq: end.next_seq,
        at_ms,
        event: entry.event,
    };
    let bytes = json_length(&envelope);
    let mut next = state.clone();
    let stored = match next.apply(&envelope) {
        Ok(_) => {
            let inclusion = match library.filter(|_| next.phase() == Phase::Complete) {
                Some(library) => Some(inclusion::decide(storage, library, &next).await?),
                None => None,
            };
            storage
                .append_own(envelope, state.version(), now_unix_ms, inclusion)
                .await
                .map_err(SessionError::from)
        }
        // Another server on this database has written to the log; it is read again next time.
        Err(refusal) => Err(SessionError::Refused {
            seq: envelope.seq,
            refusal,
            log_len: state.next_seq(),
        }),
    };
    if let Err(error) = stored {
        machine.forget();
        return Err(error);
    }
    machine.go_on(next, bytes);
    session.has_gone_on(machine.get(), Vec::new(), now_unix_ms);
    Ok(at_ms)
}
