//! Verdicts and checks: whether an answer was right, told once the answer is on disk.

use std::sync::Arc;

use domain::event::{Author, EVENT_FORMAT, Envelope, Event, QuestionRef};
use domain::task::Verdict;

use super::cached::Machine;
use super::log::read_log;
use super::{CachedSession, SessionError, Sessions};
use crate::storage::Storage;

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
        tokio::spawn(async move { verdict(&*storage, &session, at, now_unix_ms).await }).await?
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
        tokio::spawn(async move { check(&*storage, &session, part, now_unix_ms).await }).await?
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
    log_once(storage, session, machine, event, now_unix_ms).await?;
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
    log_once(storage, session, machine, event, now_unix_ms).await?;
    Ok(wrong)
}

/// Writes an event to the server's own log of a session, unless it says so already.
async fn log_once(
    storage: &dyn Storage,
    session: &CachedSession,
    mut machine: Machine<'_>,
    event: Event,
    now_unix_ms: u64,
) -> Result<(), SessionError> {
    let own = read_log(storage, session.id(), Author::Server, 0, u64::MAX).await?;
    if own.iter().any(|logged| logged.event == event) {
        return Ok(());
    }
    let state = machine.get();
    // On the session's clock, and never before the answer, whatever the two clocks say.
    let at_ms = now_unix_ms
        .saturating_sub(session.created_at_unix_ms())
        .max(state.last_ms())
        .max(own.last().map_or(0, |last| last.at_ms));
    let envelope = Envelope {
        format: EVENT_FORMAT,
        session: session.id().clone(),
        author: Author::Server,
        seq: own.len() as u64,
        at_ms,
        event,
    };
    let mut next = state.clone();
    let applied = next.apply(&envelope);
    let stored = match applied {
        Ok(_) => storage
            .append_own(envelope, now_unix_ms)
            .await
            .map_err(SessionError::from),
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
    *machine.get() = next;
    Ok(())
}
