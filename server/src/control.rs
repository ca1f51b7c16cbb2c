//! Requests from commands to the server that has the database.
//!
//! `redial study pause` and its like change the database. While a server runs, the server does it
//! for them: they reach it through a socket in a folder beside the database that only its owner can
//! open. A request is one line of JSON, and so is its answer. Where no server runs, the command
//! takes the lock and does the same itself.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::access::AccessError;
use crate::database::lock::{Lock, LockError};
use crate::sessions::SessionError;
use crate::storage::StorageError;

mod request;
#[cfg(unix)]
mod socket;
pub use request::{Request, UserRequest};
#[cfg(unix)]
pub use socket::{ControlSocket, ask};

/// How long a command waits for another one that has the lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// The outcome of carrying a request out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// How many records it changed.
    pub changed: u64,
    /// The key of a link to set a password with. It is shown once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_key: Option<String>,
    /// Where the server listens that has done it; nothing where none runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// A token that was made. It is shown once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// When something was written into a session's log, on its clock in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<u64>,
    /// The number of a decision that was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<u64>,
    /// How long a decision for the platform that was asked about waits before it is sent, in milliseconds; nothing where
    /// the server cannot reach it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_ms: Option<u64>,
}

impl From<u64> for Outcome {
    fn from(changed: u64) -> Self {
        Self {
            changed,
            ..Self::default()
        }
    }
}

/// Why a request could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// Something about a session, or the database.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Something about an account.
    #[error(transparent)]
    Access(#[from] AccessError),
}

impl From<StorageError> for RequestError {
    fn from(error: StorageError) -> Self {
        Self::Session(error.into())
    }
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum ControlReply {
    /// It is done, and on disk.
    Done(Outcome),
    /// It cannot be done.
    Refused {
        /// Why.
        why: String,
    },
}

/// Why no server fulfilled a request.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// The lock cannot be had, and whoever has it takes no requests.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The server gave no answer.
    #[error(
        "the server that has the database gave no answer ({0}); see whether it runs, and try again"
    )]
    NoAnswer(std::io::Error),
    /// The server refused.
    #[error("{0}")]
    Refused(String),
}

/// Where a request went.
#[derive(Debug)]
pub enum Delivery {
    /// A server has carried it out.
    CarriedOut(Outcome),
    /// No server has the database, or any number may write to it. The sender has the lock now, where there
    /// is one, and carries it out.
    NoServer(Option<Lock>),
}

/// Sends a request to the server that has the database at a URL, if one has it.
///
/// # Errors
/// When the server cannot do it, or the lock cannot be had.
pub async fn send(url: &str, request: &Request) -> Result<Delivery, ControlError> {
    let until = Instant::now() + PATIENCE;
    loop {
        let error = match Lock::take(url) {
            Ok(lock) => return Ok(Delivery::NoServer(lock)),
            Err(error) => error,
        };
        let LockError::Held { holder, .. } = &error else {
            return Err(error.into());
        };
        if let Some(socket) = &holder.socket {
            return Ok(Delivery::CarriedOut(ask_server(socket, request).await?));
        }
        // A command that will have done soon, or a server that is just starting.
        if Instant::now() >= until {
            return Err(error.into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[cfg(unix)]
async fn ask_server(socket: &Path, request: &Request) -> Result<Outcome, ControlError> {
    match ask(socket, request).await.map_err(ControlError::NoAnswer)? {
        ControlReply::Done(outcome) => Ok(outcome),
        ControlReply::Refused { why } => Err(ControlError::Refused(why)),
    }
}

#[cfg(not(unix))]

async fn ask_server(_: &Path, _: &Request) -> Result<Outcome, ControlError> {
    Err(ControlError::NoAnswer(
        std::io::ErrorKind::Unsupported.into(),
    ))
}
