//! Participants who take everything back that they gave.

use api::DepartureInfo;
use domain::recruitment::platform::{self, Ended, Recruitment, WayBack};
use domain::session::event::SessionId;
use domain::session::{Phase, Session};
use domain::study::StoredDefinition;

use super::{CachedSession, SessionError, Sessions};
use crate::library::Library;
use crate::secrets::{self, TokenHash};
use crate::storage::{Erase, Erasure, Storage, StoredArrival, StoredSession};
use crate::system::Randomness;

impl Sessions {
    /// Erases everything that the participant of a session gave. Gives whether there was something:
    /// erasing twice is no error.
    ///
    /// # Errors
    /// [`SessionError::NotFound`], or storage.
    pub async fn erase(&self, id: &SessionId) -> Result<bool, SessionError> {
        let (storage, library) = (self.storage.clone(), self.library.clone());
        let now_unix_ms = self.now_unix_ms();
        let randomness = self.system.randomness.clone();
        let stored = match storage.session(id).await {
            Ok(Some(stored)) => stored,
            Ok(None) if storage.erasure(id).await?.is_some() => return Ok(false),
            Ok(None) => return Err(SessionError::NotFound),
            // A session that cannot be read can be erased all the same.
            Err(error) if error.is_damage() => {
                let erase = Erase {
                    session: id.clone(),
                    ended: Ended::Withdrawn,
                    keeps_code: false,
                    erased_at_unix_ms: now_unix_ms,
                };
                return Ok(storage.erase(erase).await?);
            }
            Err(error) => return Err(error.into()),
        };
        let session = self.cached(&stored);
        // A task of its own: if whoever asked goes away half-way, machine and log must not part.
        let erased = async move {
            let erasing = Erasing {
                storage: &*storage,
                library: &library,
                randomness: &*randomness,
                now_unix_ms,
            };
            match session.machine(&*storage).await {
                Ok(mut machine) => {
                    let ended = how_it_ended(machine.get());
                    let done = erasing.erase(&session, ended).await;
                    machine.forget();
                    done
                }
                // Nor does a log that cannot be read stand in the way.
                Err(SessionError::BrokenLog { .. }) => {
                    erasing.erase(&session, by_its_row(&stored)).await
                }
                Err(SessionError::Storage(error)) if error.is_damage() => {
                    erasing.erase(&session, by_its_row(&stored)).await
                }
                Err(error) => Err(error),
            }
        };
        tokio::spawn(erased).await?
    }

    /// Why there is no session of that name: it was erased, if the token was its own.
    pub(super) async fn not_there(
        &self,
        id: &SessionId,
        token: &str,
    ) -> Result<SessionError, SessionError> {
        let erasure = self.storage.erasure(id).await?;
        let own = erasure.is_some_and(|erasure| erasure.token == TokenHash::of(token));
        Ok(if own {
            SessionError::Erased
        } else {
            SessionError::NotFound
        })
    }

    /// How the participant of a session that was erased goes back: paid or not is nothing that they
    /// took back.
    ///
    /// # Errors
    /// [`SessionError::NotFound`], [`SessionError::Unauthorised`], or storage.
    pub async fn departure_of_erased(
        &self,
        id: &SessionId,
        token: &str,
    ) -> Result<DepartureInfo, SessionError> {
        let erasure = self.storage.erasure(id).await?;
        let erasure = erasure.ok_or(SessionError::NotFound)?;
        if erasure.token != TokenHash::of(token) {
            return Err(SessionError::Unauthorised);
        }
        let Erasure {
            study,
            ended,
            completion_code,
            arrival,
            ..
        } = erasure;
        if !self.storage.purpose(id).await?.counts() {
            return Ok(DepartureInfo {
                ended,
                way_back: None,
                code: None,
            });
        }
        let way_back = match arrival {
            Some(arrival) => {
                let code = completion_code.as_deref();
                let from = self.came_from(&study, &arrival).await?;
                from.and_then(|from| way_back(&from, &arrival, ended, code, &[]))
            }
            None => None,
        };
        Ok(DepartureInfo {
            ended,
            way_back,
            code: completion_code,
        })
    }

    /// The platform that somebody came from, with the study's settings of today: a wrong code can be
    /// put right while it runs. Where the study's file has a mistake now, or is gone, whoever began
    /// before is paid all the same: then those of a definition that its sessions began with.
    ///
    /// # Errors
    /// When storage fails.
    pub(super) async fn came_from(
        &self,
        study: &str,
        arrival: &StoredArrival,
    ) -> Result<Option<Recruitment>, SessionError> {
        let of_it = |from: &Recruitment| from.facts().name == arrival.platform;
        if let Some(entry) = self.library.study(study) {
            return Ok(entry.study.recruitment.iter().find(|it| of_it(it)).cloned());
        }
        let mut snapshot = self.storage.study_snapshot(study).await?;
        for version in snapshot.study_versions().await? {
            let json = snapshot.study_version(&version).await?;
            let read = json.and_then(|json| StoredDefinition::read(&json).ok()?.recruitment().ok());
            if let Some(from) = read.into_iter().flatten().find(of_it) {
                return Ok(Some(from));
            }
        }
        Ok(None)
    }
}

/// How somebody who came from a platform goes back to it.
pub(super) fn way_back(
    from: &Recruitment,
    arrival: &StoredArrival,
    ended: Ended,
    code: Option<&str>,
    summary: &[(&'static str, String)],
) -> Option<WayBack> {
    from.way_back(&platform::Departure {
        link: &arrival.link,
        ended,
        code,
        summary,
    })
}

/// How a session in a state ends when it is erased now.
pub(super) fn how_it_ended(state: &Session) -> Ended {
    match (Ended::of(state), state.phase()) {
        (Some(ended), _) => ended,
        (None, Phase::Consent) => Ended::NoConsent,
        (None, _) => Ended::Withdrawn,
    }
}

/// The same, as far as the session's row says it.
fn by_its_row(stored: &StoredSession) -> Ended {
    let end = Phase::end_of_name(&stored.phase);
    end.and_then(Phase::ended).unwrap_or(Ended::Withdrawn)
}

/// The parts of the server that erasing needs, and the time.
pub(super) struct Erasing<'a> {
    pub storage: &'a dyn Storage,
    pub library: &'a Library,
    pub randomness: &'a dyn Randomness,
    pub now_unix_ms: u64,
}

impl Erasing<'_> {
    /// Erases a session that ended in a way. Gives whether it was there.
    pub async fn erase(&self, session: &CachedSession, ended: Ended) -> Result<bool, SessionError> {
        if ended.is_completed() && self.storage.purpose(session.id()).await?.counts() {
            // The page may not have asked for the code yet, and can no longer once all is gone.
            let code = secrets::completion_code(self.randomness)?;
            self.storage.completion_code(session.id(), &code).await?;
        }
        let study = self.library.study(session.study());
        let erased = self
            .storage
            .erase(Erase {
                session: session.id().clone(),
                ended,
                keeps_code: study.is_some_and(|entry| entry.study.erasure_keeps_code),
                erased_at_unix_ms: self.now_unix_ms,
            })
            .await?;
        session.set_erased();
        Ok(erased)
    }
}
