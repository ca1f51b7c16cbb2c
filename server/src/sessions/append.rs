//! Adding a batch to a session's log: all of it or nothing, once.

use std::sync::Arc;
use std::time::Instant;

use api::{Ack, Batch, MAX_BATCH_EVENTS};
use domain::session::event::{Author, Envelope, MAX_EVENTS, MAX_LOG_BYTES, SessionId};
use domain::session::{Effect, Refusal, Session};

use tokio::sync::Notify;

use super::cached::CachedSession;
use super::erasure::{self, Erasing};
use super::log::read_log;
use super::{SessionError, Sessions, inclusion};
use crate::monitoring;
use crate::storage::{Append, LogCursor, Storage, StorageError};

/// How far the clock of a page may be ahead of the server's: the server's may have been set back since
/// the session began, and a page that opens without a server believes its wall clock for a day. What
/// a page says of later times has not happened.
const AHEAD_MS: u64 = 2 * 24 * 60 * 60 * 1_000;

/// As many events are replayed at once, without going to another thread for it.
const FEW: usize = 50;

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
        let (storage, library) = (self.storage.clone(), self.library.clone());
        let ended = self.ended.clone();
        let randomness = self.system.randomness.clone();
        let received_at_unix_ms = self.now_unix_ms();
        let began = Instant::now();
        // A task of its own: if the browser goes away half-way, machine and log must not part.
        tokio::spawn(async move {
            let erasing = Erasing {
                storage: &*storage,
                library: &library,
                randomness: &*randomness,
                now_unix_ms: received_at_unix_ms,
            };
            let once = || append(&erasing, &session, &batch.events, &ended);
            let outcome = once().await;
            let again = match &outcome {
                // Another server wrote to this log; what it wrote has been read by now.
                Err(SessionError::Storage(StorageError::Stale { .. })) => true,
                // Nobody is refused for what stood in the log before.
                Err(
                    SessionError::Gap { .. }
                    | SessionError::Conflict { .. }
                    | SessionError::Refused { .. },
                ) => session.has_fallen_behind(&*storage).await?,
                _ => false,
            };
            let outcome = if again { once().await } else { outcome };
            match outcome {
                Err(SessionError::Storage(stale @ StorageError::Stale { .. })) => {
                    Err(unless_cut_short(&*storage, &session, stale).await?.into())
                }
                Ok(ack) => {
                    monitoring::acknowledged(began.elapsed());
                    Ok(ack)
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
        library,
        now_unix_ms: received_at_unix_ms,
        ..
    } = with;
    let elapsed_ms = received_at_unix_ms.saturating_sub(session.created_at_unix_ms());
    let first = check_batch(events, elapsed_ms.saturating_add(AHEAD_MS))?;
    if !session.takes(events.len() as u64, received_at_unix_ms) {
        return Err(SessionError::TooFast);
    }
    let mut machine = session.known_machine(storage).await?;
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
    let applied = apply(session, machine.get(), new).await?;
    let Applied {
        next,
        new,
        effects,
        bytes,
    } = applied.map_err(|(seq, refusal)| SessionError::Refused {
        seq,
        refusal,
        log_len,
    })?;
    if next.wants_erasure() {
        // With all that stands in the log, this wish goes, too.
        with.erase(session, erasure::how_it_ended(&next)).await?;
        machine.forget();
        monitoring::session_ended(next.phase().name());
        return Ok(Ack {
            acked_len: next.next_seq(),
        });
    }
    // Events that lead to its end are taken by a session that is full, too.
    let ends = next.phase().is_end() && !machine.get().phase().is_end();
    let is_full = next.next_seq() > MAX_EVENTS || machine.log_bytes() + bytes > MAX_LOG_BYTES;
    if is_full && !ends {
        return Err(SessionError::LogFull { log_len });
    }
    let inclusion = if effects.contains(&Effect::Completed) {
        Some(inclusion::decide(storage, library, &next).await?)
    } else {
        None
    };
    let seen = if session.is_watched() {
        new.clone()
    } else {
        Vec::new()
    };
    let events = new.len() as u64;
    let stored = storage
        .append(Append {
            session: session.id().clone(),
            events: new,
            own_len: next.version() - next.next_seq(),
            received_at_unix_ms,
            phase: next.phase(),
            inclusion,
        })
        .await;
    if let Err(error) = stored {
        // Whether it is on disk is not known; the log is.
        machine.forget();
        return Err(error.into());
    }
    monitoring::events_stored(events, bytes);
    let log_len = next.next_seq();
    machine.go_on(next, bytes);
    session.has_gone_on(machine.get(), seen, received_at_unix_ms);
    if effects.contains(&Effect::Ended) {
        monitoring::session_ended(machine.get().phase().name());
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
    // The events are read after their number, so another server may have added some meanwhile.
    let found = session.machine(storage).await?.get().next_seq();
    let end = LogCursor::new(Author::Participant, found).end(stored.log_len.max(found));
    Ok(end.err().unwrap_or(stale))
}

/// Checks a batch as far as that needs no log. Returns the number of its first event.
/// `latest_ms` is the latest time that an event can have by now.
fn check_batch(events: &[Envelope], latest_ms: u64) -> Result<u64, SessionError> {
    if events.len() > MAX_BATCH_EVENTS {
        return Err(SessionError::TooMany {
            found: events.len(),
        });
    }
    if let Some(event) = events.iter().find(|event| event.at_ms > latest_ms) {
        let problem = format!(
            "event {}: at_ms is {}, more than two days after now by the server's clock",
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

/// A batch, checked: what it adds, and the machine after it.
struct Applied {
    /// The machine after it.
    next: Session,
    /// Its events.
    new: Vec<Envelope>,
    effects: Vec<Effect>,
    /// Their number of bytes as JSON.
    bytes: u64,
}

/// Applies a batch to a copy of a session's machine, or says which event is refused. Long work is
/// done beside the threads that serve requests.
async fn apply(
    session: &CachedSession,
    machine: &Session,
    events: &[Envelope],
) -> Result<Result<Applied, (u64, Refusal)>, SessionError> {
    let (mut next, new) = (machine.clone(), events.to_vec());
    let work = move || -> Result<Applied, (u64, Refusal)> {
        let (mut effects, mut bytes) = (Vec::new(), 0);
        for event in &new {
            let done = next.apply(event);
            effects.extend(done.map_err(|refusal| (event.seq, refusal))?);
            bytes += json_length(event);
        }
        Ok(Applied {
            next,
            new,
            effects,
            bytes,
        })
    };
    if events.len() <= FEW {
        Ok(work())
    } else {
        Ok(session.processor().run(work).await?)
    }
}

/// Number of bytes of an event as JSON.
pub(super) fn json_length(event: &Envelope) -> u64 {
    struct Count(u64);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail, and what cannot be written is not stored.
    let _ = serde_json::to_writer(&mut count, event);
    count.0
}
