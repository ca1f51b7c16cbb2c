//! The server's interface for lab sessions, as the experimenter's page uses it.

use api::lab::{ActLogged, ExperimenterAct, LabStudies, NewExperimenter};
use api::replay::{LogEnds, NewEvents, ReplayState};
use api::research::{Done, EventsQuery, Me, Right};
use api::routes;
use domain::session::event::SessionId;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::client::{ClientError, Result, json, request, waiting};
use super::research_client::{get, post};

/// With what an experimenter shows who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabClient {
    /// The key of the lab, shown with every request: for labs in which nobody has an account.
    Key(String),
    /// The cookie of a sign-in, which the browser shows by itself.
    SignedIn(Me),
}

impl LabClient {
    /// A client with a key; whether it is the right one shows with the first request.
    #[must_use]
    pub fn with_key(key: &str) -> Self {
        Self::Key(key.trim().to_owned())
    }

    /// A client of whoever is signed in here.
    ///
    /// # Errors
    /// When nobody is; as [`ClientError`].
    pub async fn of_sign_in() -> Result<Self> {
        get(routes::ME).await.map(Self::SignedIn)
    }

    /// The studies that are run in a lab, with their latest sessions.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn studies(&self) -> Result<LabStudies> {
        json(&request("GET", routes::LAB_STUDIES, self.key(), None).await?).await
    }

    /// A session that is to be followed.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn session(&self, study: &str, id: &SessionId) -> Result<ReplayState> {
        let path = routes::research_session(study, id);
        let path = format!("{path}?identifying={}", self.may_identify(study));
        json(&request("GET", &path, self.key(), None).await?).await
    }

    /// The events from `ends` on; waits for some if there are none.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn events(&self, study: &str, id: &SessionId, ends: LogEnds) -> Result<NewEvents> {
        let query = EventsQuery::from_ends(ends, self.may_identify(study));
        let path = format!("{}{query}", routes::research_events(study, id));
        json(&waiting("GET", &path, self.key(), None).await?).await
    }

    /// Runs a session from now on.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn take(&self, study: &str, id: &SessionId) -> Result<()> {
        // With a key one is nobody in particular.
        let Self::SignedIn(me) = self else {
            return Ok(());
        };
        let name = me.name.clone();
        let path = routes::lab_experimenter(study, id);
        let Done {} = self.change(&path, &NewExperimenter { name }).await?;
        Ok(())
    }

    /// Does something as the experimenter.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn act(
        &self,
        study: &str,
        id: &SessionId,
        act: &ExperimenterAct,
    ) -> Result<ActLogged> {
        self.change(&routes::lab_acts(study, id), act).await
    }

    /// The name of whoever is signed in.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Key(_) => None,
            Self::SignedIn(me) => Some(&me.name),
        }
    }

    async fn change<B: Serialize, T: DeserializeOwned>(&self, path: &str, body: &B) -> Result<T> {
        match self {
            Self::SignedIn(me) => post(path, body, me.change_key.as_deref()).await,
            Self::Key(key) => {
                let body = serde_json::to_string(body)
                    .map_err(|e| ClientError::Unintelligible(e.to_string()))?;
                json(&request("POST", path, Some(key), Some(&body)).await?).await
            }
        }
    }

    fn key(&self) -> Option<&str> {
        match self {
            Self::Key(key) => Some(key),
            Self::SignedIn(_) => None,
        }
    }

    /// Whether they may see codes and typed words of the lab sessions that they run.
    fn may_identify(&self, study: &str) -> bool {
        match self {
            Self::Key(_) => true,
            Self::SignedIn(me) => {
                let mut studies = me.studies.iter();
                studies.any(|it| it.study == study && it.may(Right::Identify, true))
            }
        }
    }
}
