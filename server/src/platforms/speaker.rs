//! Requests that both platforms can be asked.

use domain::recruitment::outbox::PlatformAnswer;
use domain::recruitment::pay::Amount;
use domain::recruitment::platform::Recruitment;
use serde_json::Value;

use crate::outbound::{self, HttpResponse, NoResponse, PATIENCE};

/// Why a platform has not done what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum SpeakError {
    /// It has answered that it does not.
    #[error("{platform} answered {asked} with the status {status}: {said}")]
    Refused {
        /// The platform.
        platform: &'static str,
        /// Method and path.
        asked: String,
        /// The HTTP status.
        status: u16,
        /// The beginning of the answer.
        said: String,
    },
    /// It has not answered.
    #[error(transparent)]
    NoResponse(#[from] NoResponse),
    /// Its answer lacks something.
    #[error("the platform's answer has no '{0}'")]
    Lacks(&'static str),
    /// It was not asked.
    #[error("{0}")]
    NotAsked(String),
}

impl SpeakError {
    /// The meaning of the error for a decision that is being sent.
    #[must_use]
    pub fn as_answer(&self) -> PlatformAnswer {
        let said = self.to_string();
        match self {
            // Too many requests, or one that came too slowly: it was not looked at.
            Self::Refused {
                status: 408 | 425 | 429,
                ..
            } => PlatformAnswer::NotReached(said),
            Self::Refused {
                status: 400..=499, ..
            }
            | Self::NotAsked(_) => PlatformAnswer::Refused(said),
            Self::NoResponse(error) if !error.may_have_arrived => PlatformAnswer::NotReached(said),
            _ => PlatformAnswer::None(said),
        }
    }
}

type Result<T> = std::result::Result<T, SpeakError>;

/// A study as a platform is to offer it.
pub struct Advert<'a> {
    /// Title.
    pub title: String,
    /// The description of the study.
    pub description: String,
    /// Address of the study on this server.
    pub url: String,
    /// The amount that the platform pays.
    pub amount: Amount,
    /// How long the study says that it takes.
    pub minutes: u32,
    /// How long the study says that participants have.
    pub limit_minutes: Option<u32>,
    /// For how many people it is.
    pub places: u64,
    /// The study's settings for the platform.
    pub settings: &'a Recruitment,
}

/// Somebody's work, as a platform knows it.
pub struct Submission {
    /// The platform's name for it.
    pub id: String,
    /// The platform's name for its participant.
    pub participant: String,
    /// Where it stands, in the platform's words.
    pub status: String,
}

/// Somebody's work, as the platform names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmissionNames {
    /// The work.
    pub submission: String,
    /// Whose it is.
    pub participant: String,
    /// The platform's name for the study.
    pub study: Option<String>,
}

/// Where somebody's work stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkStatus {
    /// It is approved.
    Approved,
    /// It is rejected.
    Rejected,
    /// Something else, in the platform's words.
    Other(String),
}

/// A bonus that was paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaidBonus {
    /// How much.
    pub amount: Amount,
    /// Why, where the platform keeps that.
    pub reason: Option<String>,
}

/// A bonus that is to be paid.
#[derive(Debug, Clone, Copy)]
pub struct BonusWish<'a> {
    /// How much.
    pub amount: Amount,
    /// Why. The participant may read it.
    pub because: &'a str,
    /// The reference that tells it from other bonuses.
    pub reference: &'a str,
}

/// A platform that is spoken to. Every function waits for an answer: call it from a thread that may.
pub trait Speaker: Send + Sync {
    /// Name in the ledger.
    fn name(&self) -> &'static str;

    /// Currency of its amounts, if it has only one.
    fn currency(&self) -> Option<&'static str>;

    /// Makes the study there; gives the platform's name for it, and what is to be done next.
    ///
    /// # Errors
    /// When it does not.
    fn create(&self, advert: &Advert<'_>) -> Result<(String, String)>;

    /// The work that was handed in for a study.
    ///
    /// # Errors
    /// When it does not say.
    fn submissions(&self, study: &str) -> Result<Vec<Submission>>;

    /// Where somebody's work stands.
    ///
    /// # Errors
    /// When it does not say.
    fn status(&self, work: &SubmissionNames) -> Result<WorkStatus>;

    /// Approves somebody's work; approving twice is no error.
    ///
    /// # Errors
    /// When it does not.
    fn approve(&self, work: &SubmissionNames) -> Result<()>;

    /// Rejects it for a reason; `category` is the platform's name for that, where it has such. Rejecting twice for
    /// the same reason does nothing further.
    ///
    /// # Errors
    /// When it does not.
    fn reject(&self, work: &SubmissionNames, category: &str, because: &str) -> Result<()>;

    /// Asks the participant to return the work, for a reason that they read. Asking twice writes to them twice.
    ///
    /// # Errors
    /// When it does not, or cannot.
    fn ask_return(&self, work: &SubmissionNames, because: &str) -> Result<()>;

    /// Whether the participant was asked to return the work, or has returned it.
    ///
    /// # Errors
    /// When it does not say.
    fn return_is_asked(&self, work: &SubmissionNames) -> Result<bool>;

    /// Sets a bonus up that is paid by [`pay_bonus`](Self::pay_bonus); gives the platform's name for it,
    /// and none where it is paid without that. A bonus that was set up and is not paid costs nothing.
    ///
    /// # Errors
    /// When it does not.
    fn begin_bonus(&self, work: &SubmissionNames, bonus: BonusWish<'_>) -> Result<Option<String>>;

    /// Pays a bonus that was set up under a name.
    ///
    /// # Errors
    /// When it does not.
    fn pay_bonus(
        &self,
        work: &SubmissionNames,
        bonus: BonusWish<'_>,
        begun: Option<&str>,
    ) -> Result<()>;

    /// Whether [`pay_bonus`](Self::pay_bonus) with the same reference once more pays nothing.
    fn bonus_repeats(&self) -> bool;

    /// Bonuses that were paid for somebody's work.
    ///
    /// # Errors
    /// When it does not say.
    fn bonuses(&self, work: &SubmissionNames) -> Result<Vec<PaidBonus>>;
}

/// Sends a request, and reads the answer's JSON; an empty answer is null.
///
/// # Errors
/// When there is no answer, or it says no; the error says what the platform said.
pub(super) fn ask(platform: &'static str, request: http::Request<Vec<u8>>) -> Result<Value> {
    let asked = format!("{} {}", request.method(), request.uri().path());
    let HttpResponse { status, body } = outbound::send(request, PATIENCE)?;
    if !(200..300).contains(&status) {
        return Err(SpeakError::Refused {
            platform,
            asked,
            status,
            said: body.chars().take(1_000).collect(),
        });
    }
    if body.trim().is_empty() {
        return Ok(Value::Null);
    }
    // Some answers are a sentence.
    Ok(serde_json::from_str(&body).unwrap_or(Value::String(body)))
}

/// A text of an answer.
///
/// # Errors
/// When it is not there.
pub(super) fn text(value: &Value, name: &'static str) -> Result<String> {
    let text = value.get(name).and_then(Value::as_str);
    Ok(text.ok_or(SpeakError::Lacks(name))?.to_owned())
}

/// Something that kept a request from being made.
pub(super) fn not_asked(error: impl std::fmt::Display) -> SpeakError {
    SpeakError::NotAsked(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16) -> SpeakError {
        SpeakError::Refused {
            platform: "Prolific",
            asked: "POST /".to_owned(),
            status,
            said: "no".to_owned(),
        }
    }

    #[test]
    fn an_answer_says_whether_something_may_have_been_done() {
        let words = refused(404).to_string();
        assert!(words.contains("404") && words.ends_with("no"), "{words}");
        assert_eq!(refused(404).as_answer(), PlatformAnswer::Refused(words));
        // Too many at once: it was not looked at.
        let later = refused(429).as_answer();
        assert!(matches!(later, PlatformAnswer::NotReached(_)));
        for error in [refused(503), refused(302), SpeakError::Lacks("id")] {
            let answer = error.as_answer();
            assert!(matches!(answer, PlatformAnswer::None(_)), "{answer:?}");
        }
    }
}
