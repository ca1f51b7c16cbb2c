//! Credit that SONA is asked to give, as it is handed in and out.

use domain::recruitment::platform::Ended;
use domain::session::event::SessionId;

/// Where a credit stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreditState {
    /// SONA has not answered.
    Waiting,
    /// SONA has given it.
    Given,
    /// SONA has said no.
    Refused,
    /// The way that the session ended gets none, so SONA was not asked.
    NotDue,
}

domain::json::named!(CreditState: Waiting, Given, Refused, NotDue);

/// What SONA was asked for a session, and answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credit {
    /// The session.
    pub session: SessionId,
    /// Its study.
    pub study: String,
    /// Where it stands.
    pub state: CreditState,
    /// How often SONA was asked.
    pub attempts: u64,
    /// When it is asked again, in milliseconds since 1970.
    pub next_at_unix_ms: u64,
    /// The last answer of SONA, or why it said nothing.
    pub answer: String,
    /// When it was asked last, in milliseconds since 1970.
    pub asked_at_unix_ms: u64,
}

/// A session that has ended and for which SONA may have to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditDue {
    /// The session.
    pub session: SessionId,
    /// SONA's name for its participant.
    pub survey_code: String,
    /// How it had ended, if it was erased since; else its log says so.
    pub ended_when_erased: Option<Ended>,
    /// How often SONA was asked.
    pub attempts: u64,
}
