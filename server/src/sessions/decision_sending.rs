//! Decisions are sent to platforms, each once.
//!
//! That one is being sent is on disk before the platform is asked, so that a kill in between leaves it in doubt and not
//! forgotten. What is in doubt is looked at on the platform before it is asked again; where that does not tell, and
//! asking again could do it twice, somebody has to look.

use std::sync::Arc;

use domain::recruitment::outbox::{BegunBonus, Course, Deed, PlatformAnswer, bonus_reference};

use super::{SessionError, Sessions};
use crate::outbound::pause_ms;
use crate::platforms::{BonusWish, SpeakError, Speaker, SubmissionNames, WorkStatus};
use crate::storage::{StoredArrival, StoredDecision};

/// The first pause before a platform is asked again, in milliseconds; it doubles each time.
const FIRST_PAUSE_MS: u64 = 10_000;

/// The longest pause, in milliseconds.
const LONGEST_PAUSE_MS: u64 = 60 * 60 * 1_000;

/// What a platform has paid shows there after some minutes. So long we look for it before somebody has to, in
/// milliseconds.
const SHOWS_AFTER_MS: u64 = 15 * 60 * 1_000;

/// What a look at the platform says of something that was asked for before.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// It has done it.
    Done,
    /// It has not.
    NotDone,
    /// It cannot be found out, for this reason.
    Unknown(String),
}

impl Sessions {
    /// Whether a decision is to be sent now to a platform that this server can reach.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn decisions_are_due(&self) -> Result<bool, SessionError> {
        Ok(!self.due().await?.is_empty())
    }

    async fn due(&self) -> Result<Vec<StoredDecision>, SessionError> {
        let platforms = self.catalogue.platforms();
        let mut due = self.storage.decisions_due(self.now_unix_ms()).await?;
        due.retain(|decision| platforms.can_reach(&decision.platform));
        Ok(due)
    }

    /// Sends the decisions that are due, one after the other; gives their number. Where a platform does not answer, the
    /// others for it have to wait.
    ///
    /// # Errors
    /// When storage fails. What platforms answer is none.
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
        let answer = self.asked(&mut decision, was_in_doubt).await?;
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
    async fn asked(
        &self,
        decision: &mut StoredDecision,
        was_in_doubt: bool,
    ) -> Result<PlatformAnswer, SessionError> {
        let arrival = self.arrival_of(decision).await?;
        let names = arrival.as_ref().and_then(SubmissionNames::of);
        let speaker = arrival.as_ref().and_then(|arrival| {
            let stand_in = self.catalogue.stand_ins().first();
            let platforms = self.catalogue.platforms();
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
                Err(error) => match (error.as_answer(true), &decision.deed) {
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
                return Ok(match error.as_answer(true) {
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
            if !self
                .storage_step(decision, to.clone(), Vec::new())
                .await?
            {
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

/// A platform, and somebody's work there.
struct There {
    speaker: Arc<dyn Speaker>,
    work: SubmissionNames,
}

impl There {
    /// Does something that waits for the platform, on a thread that may.
    async fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&dyn Speaker, &SubmissionNames) -> T + Send + 'static,
    ) -> Result<T, SessionError> {
        let (speaker, work) = (self.speaker.clone(), self.work.clone());
        Ok(tokio::task::spawn_blocking(move || what(&*speaker, &work)).await?)
    }

    /// Approves or rejects work. Twice is no harm.
    async fn ask_for_verdict(&self, deed: Deed) -> Result<PlatformAnswer, SessionError> {
        self.ask(move |speaker, work| {
            let asked = match &deed {
                Deed::Approve { .. } => speaker.approve(work),
                Deed::Reject {
                    category, message, ..
                } => {
                    let category = category.map_or("", |category| category.code());
                    speaker.reject(work, category, message)
                }
                Deed::Bonus { .. } => Ok(()),
            };
            match asked {
                Ok(()) => PlatformAnswer::Done,
                Err(error) => match error.as_answer(true) {
                    // Somebody may have done it there by hand.
                    PlatformAnswer::Refused(said) => match is_so(speaker, work, &deed) {
                        Ok(true) => PlatformAnswer::Done,
                        _ => PlatformAnswer::Refused(said),
                    },
                    other => other,
                },
            }
        })
        .await
    }
}

/// Whether work stands there as a decision wants it.
fn is_so(
    speaker: &dyn Speaker,
    work: &SubmissionNames,
    deed: &Deed,
) -> Result<bool, SpeakError> {
    let status = speaker.status(work)?;
    Ok(match deed {
        Deed::Approve { .. } => status == WorkStatus::Approved,
        Deed::Reject { .. } => status == WorkStatus::Rejected,
        Deed::Bonus { .. } => false,
    })
}

/// Looks whether what was asked for before was done.
fn look(
    speaker: &dyn Speaker,
    work: &SubmissionNames,
    deed: &Deed,
    course: &Course,
) -> Result<Found, SpeakError> {
    let Deed::Bonus { amount, .. } = deed else {
        let done = is_so(speaker, work, deed)?;
        return Ok(if done { Found::Done } else { Found::NotDone });
    };
    let Some(begun) = &course.begun else {
        // Not set up yet; or asking once more pays nothing.
        return Ok(Found::NotDone);
    };
    let paid = speaker.bonuses(work)?;
    let like_it = paid.iter().filter(|paid| paid.amount == *amount).count() as u64;
    Ok(if like_it > begun.like_it_before {
        Found::Done
    } else {
        Found::Unknown(format!(
            "the request to pay the bonus may have arrived, and the platform does not show it (yet). Paying it again \
             could pay it twice: look there, under {}",
            begun.name
        ))
    })
}

/// The bonus of a decision, as a platform is asked for it.
fn wish<'a>(deed: &'a Deed, reference: &'a str) -> Option<BonusWish<'a>> {
    match deed {
        Deed::Bonus { amount, reason, .. } => Some(BonusWish {
            amount: *amount,
            because: reason,
            reference,
        }),
        _ => None,
    }
}

/// What the platform and the ledger tell a bonus from others by.
fn reference_of(speaker: &dyn Speaker, deed: &Deed) -> String {
    match deed {
        Deed::Bonus { reference, .. } => bonus_reference(speaker.name(), reference),
        _ => String::new(),
    }
}

/// Sets a bonus up; nothing is paid by that.
fn set_up(
    speaker: &dyn Speaker,
    work: &SubmissionNames,
    deed: &Deed,
) -> Result<Option<BegunBonus>, SpeakError> {
    let reference = reference_of(speaker, deed);
    let Some(bonus) = wish(deed, &reference) else {
        return Ok(None);
    };
    if speaker.bonus_repeats() {
        return Ok(None);
    }
    let paid = speaker.bonuses(work)?.into_iter();
    let like_it_before = paid.filter(|paid| paid.amount == bonus.amount).count() as u64;
    let name = speaker.begin_bonus(work, bonus)?;
    Ok(name.map(|name| BegunBonus {
        name,
        like_it_before,
    }))
}

/// Pays a bonus that was set up.
fn pay(
    speaker: &dyn Speaker,
    work: &SubmissionNames,
    deed: &Deed,
    begun: Option<&BegunBonus>,
    was_in_doubt: bool,
) -> PlatformAnswer {
    let reference = reference_of(speaker, deed);
    let Some(bonus) = wish(deed, &reference) else {
        return PlatformAnswer::Refused("it is no bonus".to_owned());
    };
    let paid = speaker.pay_bonus(work, bonus, begun.map(|begun| begun.name.as_str()));
    let Err(error) = paid else {
        return PlatformAnswer::Done;
    };
    let answer = error.as_answer(speaker.bonus_repeats());
    // A platform may refuse what it has paid before under the same reference.
    if was_in_doubt
        && matches!(answer, PlatformAnswer::Refused(_))
        && speaker.bonuses(work).is_ok_and(|paid| {
            paid.iter().any(|paid| {
                paid.amount == bonus.amount && paid.reason.as_deref() == Some(bonus.because)
            })
        })
    {
        return PlatformAnswer::Done;
    }
    answer
}
