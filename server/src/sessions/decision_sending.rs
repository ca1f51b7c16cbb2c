//! Decisions are sent to platforms, each once.
//!
//! That one is being sent is on disk before the platform is asked, so that a kill in between leaves
//! it in doubt and not forgotten. A decision in doubt is looked at on the platform before that is
//! asked again; where that does not tell, and asking again could do it twice, somebody has to look.

use std::sync::Arc;

use domain::recruitment::outbox::{Deed, PlatformAnswer};

use super::{SessionError, Sessions};
use crate::outbound::pause_ms;
use crate::platforms::SubmissionNames;
use crate::storage::{StoredArrival, StoredDecision};

mod there;

use there::{Found, There, look, pay, set_up};

/// The first pause before a platform is asked again, in milliseconds; it doubles each time.
const FIRST_PAUSE_MS: u64 = 10_000;

/// The longest pause, in milliseconds.
const LONGEST_PAUSE_MS: u64 = 60 * 60 * 1_000;

/// A payment of a platform shows there after some minutes. So long we look for it before somebody
/// has to, in milliseconds.
const SHOWS_AFTER_MS: u64 = 15 * 60 * 1_000;

impl Sessions {
    /// How long a decision for a platform can be taken back before it is sent, in milliseconds; nothing where none can be
    /// sent there.
    #[must_use]
    pub fn decisions_wait_ms(&self, platform: &str) -> Option<u64> {
        let platforms = self.library.platforms();
        platforms.can_reach(platform).then_some(platforms.wait_ms)
    }

    /// Whether a decision is to be sent now to a platform that this server can reach.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn decisions_are_due(&self) -> Result<bool, SessionError> {
        Ok(!self.due().await?.is_empty())
    }

    async fn due(&self) -> Result<Vec<StoredDecision>, SessionError> {
        let platforms = self.library.platforms();
        let mut due = self.storage.decisions_due(self.now_unix_ms()).await?;
        due.retain(|decision| platforms.can_reach(&decision.platform));
        Ok(due)
    }

    /// Sends the decisions that are due, one after the other; gives their number. Where a platform does not answer, the
    /// others for it have to wait.
    ///
    /// # Errors
    /// When storage fails. An answer of a platform is none.
    pub async fn send_decisions(self: &Arc<Self>) -> Result<u64, SessionError> {
        let (mut sent, mut silent) = (0, Vec::new());
        for decision in self.due().await? {
            if silent.contains(&decision.platform) {
                continue;
            }
            let platform = decision.platform.clone();
            let sessions = self.clone();
            // A task of its own: whoever waits for it may go, and what was begun is finished and noted all the same.
            let sending = tokio::spawn(async move { sessions.send(decision).await });
            match sending.await?? {
                Some(PlatformAnswer::NotReached(_) | PlatformAnswer::None(_)) => {
                    silent.push(platform);
                }
                Some(_) => sent += 1,
                None => {}
            }
        }
        Ok(sent)
    }

    /// Sends a decision, and notes what became of it; nothing where somebody else has it by now.
    async fn send(&self, decision: StoredDecision) -> Result<Option<PlatformAnswer>, SessionError> {
        // One that is still being sent by a task that nobody waits for any more is not taken for one of a server that
        // was killed.
        let _turn = self.sending.lock().await;
        // Only where a request may have arrived before is there something to look for.
        let was_in_doubt = decision.course.in_doubt;
        let Ok(course) = decision.course.sending(self.now_unix_ms()) else {
            return Ok(None);
        };
        if !self
            .storage_step(&decision, course.clone(), Vec::new())
            .await?
        {
            return Ok(None);
        }
        let mut decision = StoredDecision { course, ..decision };
        let answer = self.tell(&mut decision, was_in_doubt).await?;
        if answer != PlatformAnswer::Done {
            tracing::warn!(session = %decision.session, number = decision.number,
                platform = %decision.platform, ?answer, "a decision was not done");
        }
        let now_unix_ms = self.now_unix_ms();
        let pause_ms = pause_ms(decision.course.attempts, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
        let Ok(to) = decision
            .course
            .answered(answer.clone(), now_unix_ms, pause_ms)
        else {
            return Ok(None);
        };
        let entries = if answer == PlatformAnswer::Done {
            let StoredDecision {
                deed,
                session,
                platform,
                ..
            } = &decision;
            deed.entries(session, platform, now_unix_ms)
        } else {
            Vec::new()
        };
        let noted = self.storage_step(&decision, to, entries).await?;
        Ok(noted.then_some(answer))
    }

    /// Asks the platform for what was decided.
    async fn tell(
        &self,
        decision: &mut StoredDecision,
        was_in_doubt: bool,
    ) -> Result<PlatformAnswer, SessionError> {
        let arrival = self.arrival_of(decision).await?;
        let names = arrival.as_ref().and_then(SubmissionNames::of);
        let speaker = arrival.as_ref().and_then(|arrival| {
            let stand_in = self.library.stand_ins().first();
            let platforms = self.library.platforms();
            platforms.speaker(arrival, stand_in.map(String::as_str))
        });
        let (Some(names), Some(speaker)) = (names, speaker) else {
            return Ok(PlatformAnswer::Refused(
                "what the platform calls this work was dropped, so it cannot be asked".to_owned(),
            ));
        };
        let there = There {
            speaker: speaker.into(),
            work: names,
        };
        if was_in_doubt {
            let (course, deed) = (decision.course.clone(), decision.deed.clone());
            let found = there
                .ask(move |speaker, work| look(speaker, work, &deed, &course))
                .await?;
            match found {
                Ok(Found::Done) => return Ok(PlatformAnswer::Done),
                Ok(Found::NotDone) => {}
                Ok(Found::Unknown(why)) => {
                    let since = decision.course.failing_since_unix_ms;
                    let looked_for = self.now_unix_ms().saturating_sub(since.unwrap_or(u64::MAX));
                    return Ok(if looked_for < SHOWS_AFTER_MS {
                        PlatformAnswer::None(why)
                    } else {
                        PlatformAnswer::Unknown(why)
                    });
                }
                Err(error) => match (error.as_answer(), &decision.deed) {
                    (PlatformAnswer::Refused(said), Deed::Bonus { .. }) => {
                        return Ok(PlatformAnswer::Unknown(said));
                    }
                    // Asked for the same, it refuses in its own words.
                    (PlatformAnswer::Refused(_), _) => {}
                    // It stays in doubt, and is looked at again.
                    _ => return Ok(PlatformAnswer::None(error.to_string())),
                },
            }
        }
        match decision.deed.clone() {
            Deed::Bonus { .. } => self.ask_for_bonus(&there, decision, was_in_doubt).await,
            deed => there.ask_for_verdict(deed).await,
        }
    }

    async fn arrival_of(
        &self,
        decision: &StoredDecision,
    ) -> Result<Option<StoredArrival>, SessionError> {
        let session = &decision.session;
        if let Some(arrival) = self.storage.arrival(session).await? {
            return Ok(Some(arrival));
        }
        let erasure = self.storage.erasure(session).await?;
        Ok(erasure.and_then(|erasure| erasure.arrival))
    }

    /// Sets a bonus up, notes that, and pays it.
    async fn ask_for_bonus(
        &self,
        there: &There,
        decision: &mut StoredDecision,
        was_in_doubt: bool,
    ) -> Result<PlatformAnswer, SessionError> {
        let deed = decision.deed.clone();
        let prepared = there
            .ask(move |speaker, work| set_up(speaker, work, &deed))
            .await?;
        let begun = match prepared {
            Ok(begun) => begun,
            // Nothing is paid by that.
            Err(error) => {
                return Ok(match error.as_answer() {
                    PlatformAnswer::None(said) => PlatformAnswer::NotReached(said),
                    other => other,
                });
            }
        };
        if let Some(begun) = &begun {
            let Ok(to) = decision.course.with_begun(begun.clone()) else {
                return Ok(PlatformAnswer::Unknown(
                    "somebody else has it by now".to_owned(),
                ));
            };
            if !self.storage_step(decision, to.clone(), Vec::new()).await? {
                return Ok(PlatformAnswer::Unknown(
                    "somebody else has it by now".to_owned(),
                ));
            }
            decision.course = to;
        }
        let deed = decision.deed.clone();
        there
            .ask(move |speaker, work| pay(speaker, work, &deed, begun.as_ref(), was_in_doubt))
            .await
    }
}
