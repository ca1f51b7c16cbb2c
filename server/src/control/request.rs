//! Requests of a command, or of somebody in the researcher's area.

use api::lab::ExperimenterAct;
use api::research::{Right, WantedDeed};
use domain::recruitment::outbox::Settlement;
use domain::recruitment::{StudyStatus, pay};
use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};

use super::{Outcome, RequestError};
use crate::access::{Access, SignedIn};
use crate::sessions::Sessions;
use crate::storage::{Audited, Transcript};

mod about;
mod decision;
mod exclusion;
mod user;

use about::About;
pub use user::UserRequest;

/// A request of a command.
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
    /// Decide what a study takes people for.
    SetStatus {
        /// The study.
        study: String,
        /// Its status from now on.
        status: StudyStatus,
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
    /// Say who runs a lab session.
    NameExperimenter {
        /// The session.
        session: SessionId,
        /// The name with which they sign in.
        name: String,
    },
    /// Do in a session what its experimenter does: write a note, pause it.
    ActInSession {
        /// The session.
        session: SessionId,
        /// What.
        act: ExperimenterAct,
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
    /// Decide what the platform of a session's participant is told; it waits in the outbox.
    Decide {
        /// The study.
        study: String,
        /// The session.
        session: SessionId,
        /// What.
        wanted: WantedDeed,
        /// Whether it is sent as soon as can be, so that nobody can take it back.
        #[serde(default)]
        at_once: bool,
    },
    /// Ask how long decisions for a platform wait in the outbox, if any can be sent. Changes nothing.
    AskWait {
        /// Name of the platform.
        platform: String,
    },
    /// Take such a decision back that was not sent.
    TakeBack {
        /// The study.
        study: String,
        /// Number of the decision.
        number: u64,
    },
    /// Settle such a decision that was refused or may have been done.
    Settle {
        /// The study.
        study: String,
        /// Number of the decision.
        number: u64,
        /// How.
        how: Settlement,
    },
}

impl Request {
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
        // Asked before: an erased session is none any more.
        let study = match self.about() {
            About::Study(study) => Some(study.clone()),
            About::Session(session) => storage.session(session).await?.map(|it| it.study),
            About::NoStudy => None,
        };
        let changed = match self {
            Self::PauseCells {
                study,
                cells,
                at_unix_ms,
            } => {
                for cell in cells {
                    storage.pause_cell(study, cell, *at_unix_ms).await?;
                }
                sessions.feed().ledger(study);
                cells.len() as u64
            }
            Self::SetStatus { study, status } => {
                let at_unix_ms = sessions.now_unix_ms();
                let changed = storage.set_study_status(study, *status, at_unix_ms).await?;
                sessions.feed().ledger(study);
                u64::from(changed)
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
            } => {
                exclusion::exclude(sessions, session, *excluded, why).await?;
                1
            }
            Self::NameExperimenter { session, name } => {
                let stored = sessions.stored_lab_session(session).await?;
                let study = &stored.study;
                let name = access.member(name, study).await?;
                // A command is an owner's.
                let over = by.is_none_or(|by| by.may(Right::Manage, study, false));
                u64::from(sessions.name_experimenter(session, name, over).await?)
            }
            // It stands in the session's log.
            Self::ActInSession { session, act } => {
                let logged = sessions.act(session, act.clone()).await?;
                return Ok(Outcome {
                    changed: 1,
                    at_ms: Some(logged.at_ms),
                    ..Outcome::default()
                });
            }
            // Changes to accounts are noted where they are made.
            Self::User { change } => return Ok(change.carry_out(access, by).await?),
            Self::Decide { .. }
            | Self::TakeBack { .. }
            | Self::Settle { .. }
            | Self::AskWait { .. } => {
                return self.carry_out_decision(sessions, access, by).await;
            }
        };
        if changed > 0
            && let Some((act, about)) = self.act()
        {
            let session = match self.about() {
                About::Session(session) => Some(session.0.clone()),
                About::Study(_) | About::NoStudy => self.only_paid().map(|it| it.0.clone()),
            };
            let noted = Audited {
                study,
                session,
                about,
                ..access.audited(by, act)
            };
            access.note(noted).await?;
        }
        Ok(changed.into())
    }
}
