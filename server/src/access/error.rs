//! Why somebody may not enter, or something could not be done with accounts.

use api::research::{LONGEST_PASSWORD, LONGEST_TOKEN_DAYS, MOST_TOKENS, SHORTEST_PASSWORD};
use tokio::task::JoinError;

use crate::storage::StorageError;
use crate::system::NoRandomness;

/// Why somebody may not enter, or something could not be done with accounts.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// Which of the two is not said.
    #[error("the name or the password is wrong")]
    WrongPassword,
    /// There were too many wrong ones.
    #[error("there were too many wrong passwords; try again in {}", minutes(*wait_ms))]
    Wait {
        /// For so long, in milliseconds.
        wait_ms: u64,
    },
    /// A provider vouches for somebody who has no account.
    #[error("nobody who has an account is known by this identity")]
    NotKnown,
    /// They have come by themselves, and nobody has let them in.
    #[error("you wait to be let in; somebody who looks after accounts decides that")]
    Waits,
    /// So many have come by themselves that nobody else may.
    #[error("too many people wait to be let in; ask the people who run the server")]
    TooManyWait,
    /// Their account is disabled.
    #[error("this account is disabled")]
    ShutOut,
    /// They do not wait to be let in.
    #[error("'{0}' does not wait to be let in; `redial user list` shows who does")]
    WaitsNot(String),
    /// No sign-in, or one that has ended.
    #[error("you are not signed in, or not any more; sign in and do it again")]
    SignedOut,
    /// No token, or one that is out of date.
    #[error("this token is not known, or out of date; make a new one in the researcher's area")]
    NoToken,
    /// The key of the lab, where there are accounts.
    #[error(
        "the key of the lab opens nothing since people of this server have accounts; sign in at /research"
    )]
    LabKeyOver,
    /// Something that only people do.
    #[error("this cannot be done with a token; sign in")]
    NotWithToken,
    /// The same for what does not exist.
    #[error("you may not do this, or there is no such thing")]
    Forbidden,
    /// There is no such thing among somebody's own.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The link sets no password.
    #[error(
        "this link is not known, was used before, or is older than an hour; ask for a new one (`redial user reset`)"
    )]
    LinkOver,
    /// The password cannot be one.
    #[error(
        "a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters; this one has {found}"
    )]
    PasswordLength {
        /// The number found.
        found: usize,
    },
    /// The password is that of too many, or the name itself.
    #[error("this password is the name, or one character again and again; take another one")]
    PasswordTooSimple,
    /// The name cannot be one.
    #[error(
        "'{0}' is no name to sign in with: it has 1 to 100 of the characters a to z, 0 to 9 and . _ - @ +"
    )]
    Name(String),
    /// There is somebody of that name.
    #[error("there is somebody called '{0}' already")]
    NameTaken(String),
    /// There is nobody of that name.
    #[error("nobody is called '{0}'; `redial user list` shows everybody")]
    Nobody(String),
    /// They have no role in the study.
    #[error(
        "'{name}' has no role in the study '{study}'; give them one first (`redial user role {name} --study {study} --as experimenter`)"
    )]
    NoRole {
        /// Their name.
        name: String,
        /// The study.
        study: String,
    },
    /// Nobody else looks after accounts.
    #[error(
        "'{0}' is the only one who looks after accounts; let somebody else do that first (`redial user role NAME --admin`)"
    )]
    LastAdmin(String),
    /// The token cannot be made.
    #[error("{0}")]
    Token(String),
    /// There are too many.
    #[error("you have {MOST_TOKENS} tokens; end one first")]
    TooManyTokens,
    /// The days of a token.
    #[error("a token is valid for 1 to {LONGEST_TOKEN_DAYS} days, not for {found}")]
    TokenDays {
        /// The number found.
        found: u32,
    },
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// There is no randomness.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    /// A password could not be worked out.
    #[error("a password could not be worked out: {0}")]
    Hashing(String),
}

impl From<JoinError> for AccessError {
    fn from(error: JoinError) -> Self {
        Self::Hashing(error.to_string())
    }
}

fn minutes(ms: u64) -> String {
    match ms.div_ceil(60_000) {
        0 | 1 => "a minute".to_owned(),
        minutes => format!("{minutes} minutes"),
    }
}
