//! Requests from commands to the server that has the database.
//!
//! `redial study pause` and its like change the database. While a server runs, the server does it
//! for them: they reach it through a socket in a folder beside the database that only its owner can
//! open. A request is one line of JSON, and so is its answer. Where no server runs, the command
//! takes the lock and does the same itself.

use std::path::Path;
use std::time::{Duration, Instant};

use api::research::{Act, Membership};
use domain::recruitment::pay;
use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};

use crate::access::{Access, AccessError, SignedIn};
use crate::database::lock::{Lock, LockError};
use crate::secrets::Token;
use crate::sessions::{SessionError, Sessions};
use crate::storage::{Audited, StorageError, Transcript};

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
    /// Change who has an account in the researcher's area.
    User {
        /// How.
        change: UserRequest,
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

/// What is to become of somebody's account in the researcher's area.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum UserRequest {
    /// Make one. The answer holds the key of the link to set a password with.
    Add {
        /// Their name.
        name: String,
        /// Whether they look after accounts.
        admin: bool,
    },
    /// Take the password away. The answer holds the key of the link to set a new one with.
    Reset {
        /// Their name.
        name: String,
    },
    /// Take the right to sign in, or give it back.
    Disable {
        /// Their name.
        name: String,
        /// Whether they may not sign in from now on.
        disabled: bool,
    },
    /// Make them look after accounts, or take that from them.
    Admin {
        /// Their name.
        name: String,
        /// Whether they do from now on.
        admin: bool,
    },
    /// Give them a role in a study.
    Join {
        /// Their name.
        name: String,
        /// What they are from now on.
        membership: Membership,
    },
    /// Take their role in a study.
    Leave {
        /// Their name.
        name: String,
        /// The study.
        study: String,
    },
}

/// What carrying a request out has led to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// How many records it changed.
    pub changed: u64,
    /// The key of a link to set a password with. It is shown once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_key: Option<String>,
}

impl From<u64> for Outcome {
    fn from(changed: u64) -> Self {
        Self {
            changed,
            password_key: None,
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

/// What became of a request.
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
            | Self::User { .. }
            | Self::Pay { .. } => false,
        }
    }

    /// Does what is wanted, and notes it in the audit log. `by` is nobody for a command.
    ///
    /// # Errors
    /// When there is no such session or account, or the database fails.
    pub async fn carry_out(
        &self,
        sessions: &Sessions,
        access: &Access,
        by: Option<&SignedIn>,
    ) -> Result<Outcome, RequestError> {
        let storage = sessions.storage();
        let changed = match self {
            Self::PauseCells {
                study,
                cells,
                at_unix_ms,
            } => {
                for cell in cells {
                    storage.pause_cell(study, cell, *at_unix_ms).await?;
                }
                cells.len() as u64
            }
            Self::ForgetArrivals { study } => storage.forget_arrivals(study).await?,
            Self::Pay { study, entries } => storage.record_payments(study, entries.clone()).await?,
            Self::AddTranscript {
                session,
                recording,
                webvtt,
            } => {
                let transcript = Transcript {
                    recording: *recording,
                    webvtt: webvtt.clone(),
                };
                sessions.add_transcript(session, transcript).await?
            }
            Self::Erase { session } => u64::from(sessions.erase(session).await?),
            Self::Exclude {
                session,
                excluded,
                why,
            } => u64::from(sessions.exclude(session, *excluded, why.clone()).await?),
            // What is done with accounts is noted where it is done.
            Self::User { change } => return Ok(change.carry_out(access, by).await?),
        };
        if changed > 0
            && let Some(noted) = self.noted(access, by)
        {
            access.note(noted).await?;
        }
        Ok(changed.into())
    }

    /// The entry of the audit log, once it is done.
    fn noted(&self, access: &Access, by: Option<&SignedIn>) -> Option<Audited> {
        let (act, study, session, about) = match self {
            Self::PauseCells {
                study,
                cells,
                at_unix_ms,
            } => {
                let what = if at_unix_ms.is_some() {
                    "paused"
                } else {
                    "open"
                };
                let about = format!("{what}: {}", cells.join(", "));
                (Act::CellsPaused, Some(study), None, Some(about))
            }
            Self::ForgetArrivals { study } => (Act::ArrivalsForgotten, Some(study), None, None),
            Self::Pay { study, entries } => {
                let about = format!("{} entries", entries.len());
                (Act::Paid, Some(study), None, Some(about))
            }
            Self::AddTranscript { session, .. } => {
                (Act::TranscriptAdded, None, Some(session), None)
            }
            Self::Erase { session } => (Act::Erased, None, Some(session), None),
            Self::Exclude {
                session, excluded, ..
            } => {
                let act = if *excluded {
                    Act::Excluded
                } else {
                    Act::Readmitted
                };
                (act, None, Some(session), None)
            }
            Self::User { .. } => return None,
        };
        Some(Audited {
            study: study.cloned(),
            session: session.map(|session| session.0.clone()),
            about,
            ..access.audited(by, act)
        })
    }
}

impl UserRequest {
    async fn carry_out(
        &self,
        access: &Access,
        by: Option<&SignedIn>,
    ) -> Result<Outcome, AccessError> {
        let key = match self {
            Self::Add { name, admin } => Some(access.add(by, name, *admin).await?),
            Self::Reset { name } => Some(access.reset(by, name).await?),
            Self::Disable { name, disabled } => {
                access.set_disabled(by, name, *disabled).await?;
                None
            }
            Self::Admin { name, admin } => {
                access.set_admin(by, name, *admin).await?;
                None
            }
            Self::Join { name, membership } => {
                access.join(by, name, membership.clone()).await?;
                None
            }
            Self::Leave { name, study } => {
                access.leave(by, name, study).await?;
                None
            }
        };
        Ok(Outcome {
            changed: 1,
            password_key: key.map(Token::reveal),
        })
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
