//! Lab sessions: an experimenter follows a session, notes what happens, and asks its page for
//! something.

use std::time::Duration;

use api::lab::{ActLogged, ExperimenterAct, LabRequests, LabStudies, LabStudy};
use api::replay::{SessionLine, WAIT_S};
use domain::session::event::{Author, Event, SessionId};
use domain::session::lab;
use domain::session::plan::Mode;
use tokio::time::Instant;

use super::log::read_log;
use super::own_log::{AuthoredEvent, log, unless_stale};
use super::replay::{title_of, wait};
use super::{CachedSession, SessionError, Sessions};
use crate::secrets::{self, hex};
use crate::storage::{StorageError, StoredSession, secret_names};

/// Sessions of a study that are listed, the newest first.
const LISTED: usize = 200;

impl Sessions {
    /// The key that opens the lab sessions of this database: made when it is first asked for, the
    /// same from then on, so that an experimenter's page outlives a restart.
    ///
    /// # Errors
    /// When storage fails, or there is no randomness.
    pub async fn lab_key(&self) -> Result<String, SessionError> {
        let proposed = hex(&secrets::random::<16>(&*self.system.randomness)?);
        Ok(self
            .storage
            .secret(secret_names::LAB_KEY, &proposed)
            .await?)
    }

    /// The studies that are run in a lab, with their latest sessions.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn lab_studies(&self) -> Result<LabStudies, SessionError> {
        let mut studies = Vec::new();
        let collection = self.library.now();
        let in_lab = collection
            .catalogue
            .iter()
            .filter(|entry| entry.study.mode == Mode::Lab);
        for entry in in_lab {
            let mut snapshot = self.storage.study_snapshot(&entry.study.id).await?;
            let mut sessions = Vec::new();
            for ordinal in snapshot.sessions().await?.ordinals.into_iter().rev() {
                if sessions.len() == LISTED {
                    break;
                }
                let Some(id) = snapshot.session_id(ordinal).await? else {
                    continue;
                };
                match snapshot.session(&id).await {
                    Ok(Some(stored)) if stored.plan.mode == Mode::Lab => {
                        sessions.push(self.line_of(&stored).await?);
                    }
                    // One that is damaged must not hide the others; `redial database check` finds it.
                    Ok(_) | Err(StorageError::Corrupt { .. } | StorageError::Damaged(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            studies.push(LabStudy {
                id: entry.study.id.clone(),
                title: title_of(entry),
                sessions,
            });
        }
        Ok(LabStudies { studies })
    }

    /// The experimenter's requests to a session's page, from `from` on in their log; waits for
    /// something if there is nothing.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn asked(
        &self,
        session: &CachedSession,
        from: u64,
    ) -> Result<LabRequests, SessionError> {
        let until = Instant::now() + Duration::from_secs(WAIT_S);
        let mut read_to = from;
        loop {
            let mut changes = session.changes();
            let log = read_log(
                &*self.storage,
                session.id(),
                Author::Experimenter,
                read_to,
                u64::MAX,
            )
            .await?;
            read_to = log.last().map_or(read_to, |last| last.seq + 1);
            let events: Vec<_> = log
                .into_iter()
                .filter(|event| event.event.asks_the_page())
                .collect();
            if !events.is_empty() || Instant::now() >= until || session.is_erased() {
                return Ok(LabRequests { events, read_to });
            }
            wait(&mut changes, until).await;
        }
    }

    /// The experimenter of a lab session, if somebody was named.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn experimenter(
        &self,
        stored: &StoredSession,
    ) -> Result<Option<String>, SessionError> {
        // Not from its log, which would be read as a whole for each note that is written.
        let session = self.cached(stored);
        let mut machine = session.machine(&*self.storage).await?;
        Ok(machine.get().experimenter().map(str::to_owned))
    }

    /// A session in a list.
    pub(super) async fn line_of(
        &self,
        stored: &StoredSession,
    ) -> Result<SessionLine, SessionError> {
        let author = Author::Experimenter;
        let log = match stored.plan.mode {
            Mode::Lab => read_log(&*self.storage, &stored.id, author, 0, u64::MAX).await?,
            _ => Vec::new(),
        };
        Ok(SessionLine {
            session: stored.id.clone(),
            ordinal: stored.ordinal,
            participant_code: stored.participant_code.clone(),
            experimenter: lab::experimenter(&log).map(str::to_owned),
            created_at_unix_ms: stored.created_at_unix_ms,
            ended: stored.has_ended(),
        })
    }

    /// Says in a lab session's log who runs it from now on; whether that is new. `over` says that it may be taken
    /// from somebody else.
    ///
    /// # Errors
    /// [`SessionError::NotFound`] where there is no such lab session, [`SessionError::RunByAnother`], or storage.
    pub async fn name_experimenter(
        &self,
        id: &SessionId,
        name: String,
        over: bool,
    ) -> Result<bool, SessionError> {
        let stored = self.stored_lab_session(id).await?;
        let session = self.cached(&stored);
        let (storage, now_unix_ms) = (self.storage.clone(), self.now_unix_ms());
        // As in `act`.
        let written = async move {
            unless_stale(|| async {
                let mut machine = session.machine(&*storage).await?;
                match machine.get().experimenter() {
                    Some(by) if by == name => return Ok(false),
                    Some(by) if !over => {
                        let by = by.to_owned();
                        return Err(SessionError::RunByAnother { by });
                    }
                    _ => {}
                }
                let entry = AuthoredEvent {
                    author: Author::Experimenter,
                    event: Event::ExperimenterNamed { name: name.clone() },
                };
                log(&*storage, None, &session, machine, entry, now_unix_ms).await?;
                Ok(true)
            })
            .await
        };
        tokio::spawn(written).await?
    }

    /// Writes into the log what an experimenter, or a researcher who watches the replay, did. Only notes are for
    /// sessions that are none of a lab.
    ///
    /// # Errors
    /// [`SessionError::Refused`] where the session does not allow it, [`SessionError::NotFound`]
    /// where there is no such session, or storage.
    pub async fn act(
        &self,
        id: &SessionId,
        act: ExperimenterAct,
    ) -> Result<ActLogged, SessionError> {
        let stored = self.storage.session(id).await?;
        let stored = stored.ok_or(SessionError::NotFound)?;
        let session = self.cached(&stored);
        let (storage, now_unix_ms) = (self.storage.clone(), self.now_unix_ms());
        let event = match act {
            ExperimenterAct::Note {
                text,
                mark,
                about_ms,
            } => {
                let mark = mark.filter(|mark| !mark.trim().is_empty());
                if text.trim().is_empty() && mark.is_none() {
                    return Err(SessionError::Malformed(
                        "a note without text needs a mark".into(),
                    ));
                }
                Event::NoteWritten {
                    text,
                    mark,
                    about_ms,
                }
            }
            ExperimenterAct::Pause => Event::PauseAsked,
            ExperimenterAct::Resume => Event::ResumeAsked,
            ExperimenterAct::EndStage { stage } => Event::StageEndAsked { stage },
        };
        // A task of its own: if the page goes away half-way, machine and log must not part.
        let written = async move {
            unless_stale(|| async {
                let machine = session.machine(&*storage).await?;
                let entry = AuthoredEvent {
                    author: Author::Experimenter,
                    event: event.clone(),
                };
                let at_ms = log(&*storage, None, &session, machine, entry, now_unix_ms).await?;
                Ok(ActLogged { at_ms })
            })
            .await
        };
        tokio::spawn(written).await?
    }

    /// A session as stored, if it is one of a lab.
    ///
    /// # Errors
    /// [`SessionError::NotFound`] where there is none of this name in a lab; when storage fails.
    pub async fn stored_lab_session(&self, id: &SessionId) -> Result<StoredSession, SessionError> {
        let stored = self.storage.session(id).await?;
        stored
            .filter(|stored| stored.plan.mode == Mode::Lab)
            .ok_or(SessionError::NotFound)
    }
}
