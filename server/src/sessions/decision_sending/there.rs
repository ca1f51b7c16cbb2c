//! The requests to a platform for one decision.

use std::sync::Arc;

use domain::recruitment::outbox::{BegunBonus, Course, Deed, PlatformAnswer, bonus_reference};

use crate::platforms::{BonusWish, SpeakError, Speaker, SubmissionNames, WorkStatus};
use crate::sessions::SessionError;

/// The finding of a look at the platform for something that was asked for before.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It has done it.
    Done,
    /// It has not.
    NotDone,
    /// It cannot be found out, for this reason.
    Unknown(String),
}

/// A platform, and somebody's work there.
pub(super) struct There {
    pub(super) speaker: Arc<dyn Speaker>,
    pub(super) work: SubmissionNames,
}

impl There {
    /// Does something that waits for the platform, on a thread that may.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&dyn Speaker, &SubmissionNames) -> T + Send + 'static,
    ) -> Result<T, SessionError> {
        let (speaker, work) = (self.speaker.clone(), self.work.clone());
        Ok(tokio::task::spawn_blocking(move || what(&*speaker, &work)).await?)
    }

    /// Approves or rejects work, or asks for its return. Twice is no harm.
    pub(super) async fn ask_for_verdict(&self, deed: Deed) -> Result<PlatformAnswer, SessionError> {
        self.ask(move |speaker, work| {
            let asked = match &deed {
                Deed::Approve { .. } => speaker.approve(work),
                Deed::Reject {
                    category, message, ..
                } => {
                    let category = category.map_or("", |category| category.code());
                    speaker.reject(work, category, message)
                }
                Deed::AskReturn { reason } => speaker.ask_return(work, reason),
                Deed::Bonus { .. } => Ok(()),
            };
            match asked {
                Ok(()) => PlatformAnswer::Done,
                Err(error) => match error.as_answer() {
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
fn is_so(speaker: &dyn Speaker, work: &SubmissionNames, deed: &Deed) -> Result<bool, SpeakError> {
    Ok(match deed {
        Deed::Approve { .. } => speaker.status(work)? == WorkStatus::Approved,
        Deed::Reject { .. } => speaker.status(work)? == WorkStatus::Rejected,
        Deed::AskReturn { .. } => speaker.return_is_asked(work)?,
        Deed::Bonus { .. } => false,
    })
}

/// Looks whether what was asked for before was done.
pub(super) fn look(
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

/// The reference by which the platform and the ledger tell a bonus from others.
fn reference_of(speaker: &dyn Speaker, deed: &Deed) -> String {
    match deed {
        Deed::Bonus { reference, .. } => bonus_reference(speaker.name(), reference),
        _ => String::new(),
    }
}

/// Sets a bonus up; nothing is paid by that.
pub(super) fn set_up(
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
pub(super) fn pay(
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
    let answer = error.as_answer();
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
