//! Adding a batch to a session's log: all of it or nothing, once.

use std::sync::Arc;

use api::{Ack, Batch, MAX_BATCH_EVENTS};
use domain::event::{Author, Envelope, Event, MAX_EVENTS, SessionId};
use domain::session::{Effect, Refusal, Session};

use tokio::sync::Notify;

use super::cached::CachedSession;
use super::erasure::{self, Erasing};
use super::log::read_log;
use super::{SessionError, Sessions, completion};
use crate::storage::{Append, LogCursor, Storage, StorageError};

/// Latest time an event can have: above it, times would not survive as f64 (or in JavaScript).
const MAX_AT_MS: u64 = 1 << 53;

/// Longest text that a page can say of itself. Ours cut it at
/// [`MAX_PAGE_TEXT`](domain::event::MAX_PAGE_TEXT) characters, which are four bytes each at most.
const MAX_PAGE_BYTES: usize = 4 * domain::event::MAX_PAGE_TEXT;

impl Sessions {
    /// Adds a batch to a log and answers how much of it is on disk.
    ///
    /// Events that the log has already are passed over if they say the same; the new ones
    /// are added all together, or none of them.
    ///
    /// # Errors
    /// [`SessionError::Malformed`], [`SessionError::TooMany`], [`SessionError::Gap`],
    /// [`SessionError::Conflict`], [`SessionError::Refused`], or storage.
    pub async fn append(
        &self,
        session: Arc<CachedSession>,
        batch: Batch,
    ) -> Result<Ack, SessionError> {
        let (storage, catalogue) = (self.storage.clone(), self.catalogue.clone());
        let ended = self.ended.clone();
        let randomness = self.system.randomness.clone();
        let received_at_unix_ms = self.now_unix_ms();
        // A task of its own: if the browser goes away half-way, machine and log must not part.
        tokio::spawn(async move {
            let erasing = Erasing {
                storage: &*storage,
                catalogue: &catalogue,
                randomness: &*randomness,
                now_unix_ms: received_at_unix_ms,
            };
            let once = || append(&erasing, &session, &batch.events, &ended);
            match once().await {
                // Another process wrote to this log; what it wrote has been read by now.
                Err(SessionError::Storage(StorageError::Stale { .. })) => {}
                other => return other,
            }
            match once().await {
                Err(SessionError::Storage(stale @ StorageError::Stale { .. })) => {
                    Err(unless_cut_short(&*storage, &session, stale).await?.into())
                }
                other => other,
            }
        })
        .await?
    }
}

async fn append(
    with: &Erasing<'_>,
    session: &CachedSession,
    events: &[Envelope],
    ended: &Notify,
) -> Result<Ack, SessionError> {
    let &Erasing {
        storage,
        catalogue,
        now_unix_ms: received_at_unix_ms,
        ..
    } = with;
    let first = check_batch(events)?;
    let mut machine = session.machine(storage).await?;
    let log_len = machine.get().next_seq();
    if first > log_len {
        return Err(SessionError::Gap {
            found: first,
            log_len,
        });
    }
    if let Some((event, expected)) = events
        .iter()
        .zip(first..)
        .find(|(event, seq)| event.seq != *seq)
    {
        let refusal = Refusal::OutOfOrder {
            expected,
            found: event.seq,
        };
        return Err(SessionError::Refused {
            seq: event.seq,
            refusal,
            log_len,
        });
    }
    let known = usize::try_from(log_len - first)
        .unwrap_or(usize::MAX)
        .min(events.len());
    let (known, new) = events.split_at(known);
    check_known(storage, session.id(), known, log_len).await?;
    if new.is_empty() {
        return Ok(Ack { acked_len: log_len });
    }
    if log_len + new.len() as u64 > MAX_EVENTS {
        return Err(SessionError::LogFull { log_len });
    }
    if !session.takes(new.len() as u64, received_at_unix_ms) {
        return Err(SessionError::TooFast);
    }
    let mut next = machine.get().clone();
    let effects = apply(&mut next, new).map_err(|(seq, refusal)| SessionError::Refused {
        seq,
        refusal,
        log_len,
    })?;
    if next.wants_erasure() {
        // With all that stands in the log, this wish goes, too.
        with.erase(session, erasure::how_it_ended(&next)).await?;
        machine.forget();
        return Ok(Ack {
            acked_len: next.next_seq(),
        });
    }
    let completion = if effects.contains(&Effect::Completed) {
        Some(completion::of(storage, catalogue, &next).await?)
    } else {
        None
    };
    let stored = storage
        .append(Append {
            session: session.id().clone(),
            events: new.to_vec(),
            received_at_unix_ms,
            phase: next.phase(),
            completion,
        })
        .await;
    if let Err(error) = stored {
        // Whether it is on disk is not known; the log is.
        machine.forget();
        return Err(error.into());
    }
    let log_len = next.next_seq();
    *machine.get() = next;
    session.has_changed();
    if effects.contains(&Effect::Ended) {
        ended.notify_one();
    }
    Ok(Ack { acked_len: log_len })
}

/// Why a log did not end where it seemed to: events were lost from its end, or else `stale`.
async fn unless_cut_short(
    storage: &dyn Storage,
    session: &CachedSession,
    stale: StorageError,
) -> Result<StorageError, SessionError> {
    let Some(stored) = storage.session(session.id()).await? else {
        return Ok(stale);
    };
    let found = session.machine(storage).await?.get().next_seq();
    let end = LogCursor::new(Author::Participant, found).end(stored.log_len);
    Ok(end.err().unwrap_or(stale))
}

/// What can be said of a batch without the log. Returns the number of its first event.
fn check_batch(events: &[Envelope]) -> Result<u64, SessionError> {
    if events.len() > MAX_BATCH_EVENTS {
        return Err(SessionError::TooMany {
            found: events.len(),
        });
    }
    if let Some(event) = events.iter().find(|event| event.at_ms > MAX_AT_MS) {
        let problem = format!(
            "event {}: at_ms is {}, at most {MAX_AT_MS} is taken",
            event.seq, event.at_ms
        );
        return Err(SessionError::Malformed(problem));
    }
    if let Some(event) = events
        .iter()
        .find(|event| event.author != Author::Participant)
    {
        let problem = format!(
            "event {}: a page writes as the participant, not as the {}",
            event.seq,
            event.author.name()
        );
        return Err(SessionError::Malformed(problem));
    }
    let endless = |event: &&Envelope| match &event.event {
        Event::PageOpened { page } => page.user_agent.len().max(page.app.len()) > MAX_PAGE_BYTES,
        _ => false,
    };
    if let Some(event) = events.iter().find(endless) {
        let problem = format!(
            "event {}: what a page says of itself has at most {MAX_PAGE_BYTES} bytes",
            event.seq
        );
        return Err(SessionError::Malformed(problem));
    }
    match events.first() {
        Some(first) => Ok(first.seq),
        None => Err(SessionError::Malformed(
            "a batch holds at least one event".into(),
        )),
    }
}

async fn check_known(
    storage: &dyn Storage,
    session: &SessionId,
    known: &[Envelope],
    log_len: u64,
) -> Result<(), SessionError> {
    let Some(first) = known.first() else {
        return Ok(());
    };
    let log = read_log(
        storage,
        session,
        Author::Participant,
        first.seq,
        first.seq + known.len() as u64,
    )
    .await?;
    match known
        .iter()
        .zip(&log)
        .find(|(found, logged)| found != logged)
    {
        Some((event, _)) => Err(SessionError::Conflict {
            seq: event.seq,
            log_len,
        }),
        None => Ok(()),
    }
}

fn apply(machine: &mut Session, events: &[Envelope]) -> Result<Vec<Effect>, (u64, Refusal)> {
    let mut effects = Vec::new();
    for event in events {
        effects.extend(
            machine
                .apply(event)
                .map_err(|refusal| (event.seq, refusal))?,
        );
    }
    Ok(effects)
}
