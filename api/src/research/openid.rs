//! Signing in through a provider of OpenID Connect.

use domain::json::named;
use serde::{Deserialize, Serialize};

use super::Role;

/// How somebody can sign in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaysToSignIn {
    /// What the provider of OpenID Connect is called, if there is one. A password does in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openid: Option<String>,
}

/// Begins to sign somebody in through the provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OpenIdRequest {
    /// The page of the area to come back to: a path from [`crate::routes::RESEARCH`] on, with its query. Anything else
    /// leads to the area's first page.
    #[serde(default)]
    pub back: String,
}

/// A sign-in through the provider has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpenIdBegun {
    /// The provider's page to go to, within ten minutes and with the same browser.
    pub address: String,
}

/// Lets somebody in who waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Admission {
    /// Their name.
    pub name: String,
}

/// Who waits to be let in, as owners of a study see them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waiting {
    /// They, by name.
    pub people: Vec<PersonWaiting>,
}

/// Somebody who has come through the provider, and waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PersonWaiting {
    /// Their name.
    pub name: String,
    /// The providers of OpenID Connect that vouch for them, by their addresses.
    pub vouched_for_by: Vec<String>,
}

/// Lets somebody who waits into a study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StudyAdmission {
    /// Their name.
    pub name: String,
    /// What they are there from now on. What is identifying they see only where the role alone gives it.
    pub role: Role,
}

/// Why a sign-in through the provider has led to none. The address says it behind [`OUTCOME`]: a name and no words, so
/// that nobody puts words of theirs onto our page with a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OpenIdOutcome {
    /// They wait to be let in.
    Waits,
    /// So many wait that nobody else may.
    TooManyWait,
    /// Nobody with this identity has an account.
    Unknown,
    /// They may not sign in.
    ShutOut,
    /// It was too late, used before, or began in another browser.
    Over,
    /// The provider says that it was not done.
    Declined,
    /// The provider does not answer.
    NoAnswer,
    /// What the provider said cannot be trusted.
    Untrusted,
    /// There were too many that failed.
    TooMany,
    /// Others could read along.
    NotPrivate,
    /// The server's disk is full.
    StorageFull,
    /// The server failed.
    Failed,
}

named!(OpenIdOutcome: Waits, TooManyWait, Unknown, ShutOut, Over, Declined, NoAnswer, Untrusted, TooMany, NotPrivate, StorageFull, Failed);

/// Stands in the address in front of the name of an [`OpenIdOutcome`]. The part behind `#` is sent to no server.
pub const OUTCOME: &str = "#sign-in=";

impl OpenIdOutcome {
    /// Its meaning for the person who wanted to sign in, with the provider's name.
    #[must_use]
    pub fn words(self, provider: &str) -> String {
        match self {
            Self::Waits => "You have asked to be let in. Somebody who looks after accounts decides that; then sign in again.".to_owned(),
            Self::TooManyWait => "Too many people wait to be let in. Ask the people who run the server.".to_owned(),
            Self::Unknown => format!("No account here belongs to who you are at {provider}. It has to be named like the e-mail address that {provider} has confirmed; ask the people who run the server."),
            Self::ShutOut => "Your account is disabled. Ask the people who run the server.".to_owned(),
            Self::Over => "That sign-in took more than ten minutes, was used before, or began in another browser. Sign in again.".to_owned(),
            Self::Declined => format!("{provider} has not signed you in. Try it again, or use a password."),
            Self::NoAnswer => format!("{provider} does not answer. Try it again later; passwords work all the same."),
            Self::Untrusted => format!("The answer of {provider} could not be checked, so you are not signed in. Try it again; the server's log says what is wrong."),
            Self::TooMany => "Too many sign-ins have failed. Try it again in some minutes.".to_owned(),
            Self::NotPrivate => "Signing in needs HTTPS; without it, it works on the server's own machine alone.".to_owned(),
            Self::StorageFull => "The server's disk is full, so nobody can sign in. Tell the people who run it.".to_owned(),
            Self::Failed => "Something went wrong on the server. Try it again.".to_owned(),
        }
    }
}
