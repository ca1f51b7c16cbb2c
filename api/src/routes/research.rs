//! Paths of the researcher's area.

use domain::session::event::SessionId;

/// Everything of the researcher's area lies below this path, and its cookie is sent nowhere else.
pub const RESEARCH: &str = "/research";
/// How somebody can sign in (GET); signs somebody in (POST [`crate::research::SignInRequest`], answered with [`crate::research::Me`] and a cookie).
pub const SIGN_IN: &str = "/research/api/sign-in";
/// Begins to sign somebody in through a provider of OpenID Connect (POST [`crate::research::OpenIdRequest`]). Its cookie is
/// sent nowhere but below this path.
pub const OPENID: &str = "/research/api/openid";
/// Where the provider sends people back to (GET).
pub const OPENID_BACK: &str = "/research/api/openid/back";
/// Sets a password with a link (POST [`crate::research::PasswordByLink`]).
pub const PASSWORD_BY_LINK: &str = "/research/api/password-by-link";
/// Changes the password of whoever is signed in (POST [`crate::research::PasswordChange`]).
pub const PASSWORD: &str = "/research/api/password";
/// The person who is signed in (GET).
pub const ME: &str = "/research/api/me";
/// Where whoever asks is signed in (GET); ends the sign-in that asks (DELETE).
pub const SIGN_INS: &str = "/research/api/sign-ins";
/// Tokens of whoever asks (GET), or a new one (POST [`crate::research::NewApiToken`]).
pub const API_TOKENS: &str = "/research/api/tokens";
/// Everybody who has an account (GET).
pub const PEOPLE: &str = "/research/api/people";
/// Lets somebody in who waits (POST [`crate::research::Admission`]).
pub const ADMISSIONS: &str = "/research/api/people/admissions";
/// The audit log (GET, [`crate::research::AuditQuery`] as the query).
pub const AUDIT_LOG: &str = "/research/api/audit-log";

/// The studies in which whoever asks has a role (GET).
pub const RESEARCH_STUDIES: &str = "/research/api/studies";

/// How a study stands (GET).
#[must_use]
pub fn research_study(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}")
}

/// Pauses cells of a study (POST [`crate::research::PauseRequest`]).
#[must_use]
pub fn research_pause(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/pause")
}

/// Decides what a study takes people for (POST [`crate::research::StatusRequest`]).
#[must_use]
pub fn research_status(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/status")
}

/// The checklist before a study takes participants (GET).
#[must_use]
pub fn research_checklist(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/checklist")
}

/// The studies that are run in a lab, with the sessions that whoever asks may follow (GET).
pub const LAB_STUDIES: &str = "/research/api/lab/studies";

/// Which exports have something of a session (GET); erases the session (POST [`crate::research::ErasureRequest`]).
#[must_use]
pub fn research_erasure(study: &str, session: &SessionId) -> String {
    format!("{}/erasure", research_session(study, session))
}

/// Says who runs a lab session (POST [`crate::lab::NewExperimenter`]).
#[must_use]
pub fn lab_experimenter(study: &str, session: &SessionId) -> String {
    format!("{}/experimenter", research_session(study, session))
}

/// An act of the experimenter in a lab session (POST [`crate::lab::ExperimenterAct`]).
#[must_use]
pub fn lab_acts(study: &str, session: &SessionId) -> String {
    format!("{}/acts", research_session(study, session))
}

/// The recordings and the transcript of a session (GET).
#[must_use]
pub fn research_sound(study: &str, session: &SessionId) -> String {
    format!("{}/sound", research_session(study, session))
}

/// The sound of one of its recordings (GET, [`crate::research::RecordingQuery`] as the query).
#[must_use]
pub fn research_sound_file(study: &str, session: &SessionId) -> String {
    format!("{}/file", research_sound(study, session))
}

/// The page that replays a session: an address for people. `?t=` and a moment ([`domain::common::moment`]) behind it leads
/// there.
#[must_use]
pub fn replay_page(study: &str, session: &SessionId) -> String {
    format!("{RESEARCH}/studies/{study}/replay/{session}")
}

/// People who wait to be let in (GET); lets one in with a role in the study (POST [`crate::research::StudyAdmission`]).
#[must_use]
pub fn research_admissions(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/admissions")
}

/// A page of a study's sessions (GET, [`crate::research::SessionsQuery`] as the query).
#[must_use]
pub fn research_sessions(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/sessions")
}

/// A session of a study as its replay needs it (GET, [`crate::research::SessionQuery`] as the query).
#[must_use]
pub fn research_session(study: &str, session: &SessionId) -> String {
    format!("{}/{session}", research_sessions(study))
}

/// The log of a session, from given places on (GET, [`crate::replay::LogEnds`] as the query).
#[must_use]
pub fn research_events(study: &str, session: &SessionId) -> String {
    format!("{}/events", research_session(study, session))
}

/// Where dials passed their targets in a session (GET).
#[must_use]
pub fn research_overshoots(study: &str, session: &SessionId) -> String {
    format!("{}/overshoots", research_session(study, session))
}

/// Exports of a study that the server keeps (GET), or a new one (POST [`crate::research::NewExport`]).
#[must_use]
pub fn research_exports(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/exports")
}

/// An export of a study: how far it is (GET); no longer keeps it (DELETE).
#[must_use]
pub fn research_export(study: &str, export: &str) -> String {
    format!("{}/{export}", research_exports(study))
}

/// The file of an export (GET). Parts of it can be asked for with the header `Range`.
#[must_use]
pub fn research_export_file(study: &str, export: &str) -> String {
    format!("{}/file", research_export(study, export))
}

/// The analysis of a study (GET, [`crate::research::ResultQuery`] as the query).
#[must_use]
pub fn research_analysis(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/analysis")
}

/// A file of the analysis of a study (GET, [`crate::research::AnalysisFileQuery`] as the query).
#[must_use]
pub fn research_analysis_file(study: &str) -> String {
    format!("{}/file", research_analysis(study))
}

/// A figure of the analysis of a study (GET, [`crate::research::FigureQuery`] as the query).
#[must_use]
pub fn research_analysis_figure(study: &str) -> String {
    format!("{}/figure", research_analysis(study))
}

/// Signs that scripts took part in a study (GET, [`crate::research::ResultQuery`] as the query).
#[must_use]
pub fn research_automation(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/automation")
}

/// Contradictions in a study: reports that do not follow from their inputs, everything decoded again (GET,
/// [`crate::research::ResultQuery`] as the query).
#[must_use]
pub fn research_verification(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/verification")
}

/// The questions that several sessions of a study have begun (GET, [`crate::research::ResultQuery`] as the query).
#[must_use]
pub fn research_questions(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/questions")
}

/// Everybody's alignment over time on one of them (GET, [`crate::research::QuestionQuery`] as the query).
#[must_use]
pub fn research_question_lines(study: &str) -> String {
    format!("{}/lines", research_questions(study))
}

/// The power of a study (GET, [`crate::research::PowerQuery`] as the query).
#[must_use]
pub fn research_power(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/power")
}

/// The effect of thresholds and time limits on a study (GET, [`crate::research::TuningQuery`] as the query).
#[must_use]
pub fn research_tuning(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/tuning")
}

/// The balance that a study's design gives (GET, [`crate::research::BalanceQuery`] as the query).
#[must_use]
pub fn research_balance(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/balance")
}

/// The last simulation of a study (GET); lets simulated people take it (POST [`crate::research::NewSimulation`]); stops them
/// (DELETE).
#[must_use]
pub fn research_simulation(study: &str) -> String {
    format!("{RESEARCH_STUDIES}/{study}/simulation")
}

/// Studies as they go on now (GET): server-sent events, for all studies in which whoever asks may look on.
pub const LIVE: &str = "/research/api/live";

/// Excludes a session of a study (POST [`crate::research::ExclusionRequest`]).
#[must_use]
pub fn research_exclusion(study: &str, session: &SessionId) -> String {
    format!("{}/exclusion", research_session(study, session))
}

/// Decisions about a study's sessions that platforms are told (GET, answered with [`crate::research::Outbox`]).
#[must_use]
pub fn research_outbox(study: &str) -> String {
    format!("{}/decisions", research_study(study))
}

/// Puts a platform's own list of submissions beside the sessions of a study (POST the list as CSV, answered with
/// [`crate::research::PlatformMatch`]).
#[must_use]
pub fn research_match(study: &str) -> String {
    format!("{}/match", research_study(study))
}

/// Takes a decision back (POST without body).
#[must_use]
pub fn research_take_back(study: &str, number: &str) -> String {
    format!("{}/{number}/take-back", research_outbox(study))
}

/// Settles a decision (POST [`crate::research::SettlementRequest`]).
#[must_use]
pub fn research_settlement(study: &str, number: &str) -> String {
    format!("{}/{number}/settlement", research_outbox(study))
}

/// Decides what the platform of a session is told (POST [`crate::research::WantedDeed`]).
#[must_use]
pub fn research_decisions(study: &str, session: &SessionId) -> String {
    format!("{}/decisions", research_session(study, session))
}

/// Notes a payment for a session (POST [`crate::research::PaymentRequest`]).
#[must_use]
pub fn research_payments(study: &str, session: &SessionId) -> String {
    format!("{}/payments", research_session(study, session))
}

/// Ends a sign-in of whoever asks (DELETE).
#[must_use]
pub fn sign_in(id: &str) -> String {
    format!("{SIGN_INS}/{id}")
}

/// Ends a token of whoever asks (DELETE).
#[must_use]
pub fn api_token(id: &str) -> String {
    format!("{API_TOKENS}/{id}")
}
