//! Requests from commands to the server that has the database.
//!
//! `redial study pause` and its like change the database. While a server runs, the server does it
//! for them: they reach it through a socket in a folder beside the database that only its owner can
//! open. A request is one line of JSON, and so is its answer. Where no server runs, the command
//! takes the lock and does the same itself.

use std::path::Path;
use std::time::{Duration, Instant};

use domain::recruitment::pay;
use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};

use crate::database::lock::{Lock, LockError};
use crate::sessions::{SessionError, Sessions};
use crate::storage::Transcript;

#[cfg(unix)]
mod socket;
#[cfg(unix)]
pub use socket::{ControlSocket, ask};

/// How long a command waits for another one that has the lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a command wants done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum Request {
    /// Put nobody into these cells any more, or, without a time, put people into them again.
    PauseCells {
        /// The study.
        study: String,
        /// Names of its cells.
        cells: Vec<String>,
        /// When they are paused, in milliseconds since 1970.
        at_unix_ms: Option<u64>,
    },
    /// Drop what recruitment platforms call the participants of a study.
    ForgetArrivals {
        /// The study.
        study: String,
    },
    /// Erase everything that the participant of a session gave, as they wished.
    Erase {
        /// The session.
        session: SessionId,
    },
    /// Add entries to the ledger of payments of a study.
    Pay {
        /// The study.
        study: String,
        /// The entries.
        entries: Vec<pay::Entry>,
    },
    /// Put the transcript of a recording beside it.
    AddTranscript {
        /// The session.
        session: SessionId,
        /// Which of its recordings, from 0.
        recording: u32,
        /// The transcript, in WebVTT.
        webvtt: String,
    },
    /// Exclude a session by hand, or take that back.
    Exclude {
        /// The session.
        session: SessionId,
        /// Whether it is excluded from now on.
        excluded: bool,
        /// Why.
        why: String,
    },
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum ControlReply {
    /// It is done, and on disk.
    Done {
        /// How many records it changed.
        changed: u64,
    },
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
    CarriedOut {
        /// How many records it changed.
        changed: u64,
    },
    /// No server has the database. Whoever sent it has the lock now, and carries it out.
    NoServer(Lock),
}

impl Request {
    /// Whether it depends on the studies' files. What a participant may ask for must not fail because
    /// of a mistake in one of them.
    #[must_use]
    pub fn needs_studies(&self) -> bool {
        match self {
            Self::Exclude { .. } => true,
            Self::PauseCells { .. }
            | Self::ForgetArrivals { .. }
            | Self::Erase { .. }
            | Self::AddTranscript { .. }
            | Self::Pay { .. } => false,
        }
    }

    /// Does what is wanted; gives the number of records that it changed.
    ///
    /// # Errors
    /// When there is no such session, or the database fails.
    pub async fn carry_out(&self, sessions: &Sessions) -> Result<u64, SessionError> {
        let storage = sessions.storage();
        match self {
            Self::PauseCells {
                study,
                cells,
                at_unix_ms,
            } => {
                for cell in cells {
                    storage.pause_cell(study, cell, *at_unix_ms).await?;
                }
                Ok(cells.len() as u64)
            }
            Self::ForgetArrivals { study } => Ok(storage.forget_arrivals(study).await?),
            Self::Pay { study, entries } => {
                Ok(storage.record_payments(study, entries.clone()).await?)
            }
            Self::AddTranscript {
                session,
                recording,
                webvtt,
            } => {
                let transcript = Transcript {
                    recording: *recording,
                    webvtt: webvtt.clone(),
                };
                sessions.add_transcript(session, transcript).await
            }
            Self::Erase { session } => Ok(u64::from(sessions.erase(session).await?)),
            Self::Exclude {
                session,
                excluded,
                why,
            } => {
                let changed = sessions.exclude(session, *excluded, why.clone()).await?;
                Ok(u64::from(changed))
            }
        }
    }
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
            let changed = ask_server(socket, request).await?;
            return Ok(Delivery::CarriedOut { changed });
        }
        // A command that will have done soon, or a server that is just starting.
        if Instant::now() >= until {
            return Err(error.into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[cfg(unix)]
async fn ask_server(socket: &Path, request: &Request) -> Result<u64, ControlError> {
    match ask(socket, request).await.map_err(ControlError::NoAnswer)? {
        ControlReply::Done { changed } => Ok(changed),
        ControlReply::Refused { why } => Err(ControlError::Refused(why)),
    }
}

#[cfg(not(unix))]
async fn ask_server(_: &Path, _: &Request) -> Result<u64, ControlError> {
    Err(ControlError::NoAnswer(
        std::io::ErrorKind::Unsupported.into(),
    ))
}
