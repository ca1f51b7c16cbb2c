//! The server's interface for lab sessions, as the experimenter's page uses it.

use api::lab::{ActLogged, ExperimenterAct, LabStudies};
use api::replay::{LogEnds, NewEvents, ReplayState};
use api::routes;
use domain::session::event::SessionId;

use super::client::{ClientError, Result, json, request, waiting};

/// Shows the key of the lab with every request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabClient {
    key: String,
}

impl LabClient {
    /// A client with a key; whether it is the right one shows with the first request.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self {
            key: key.trim().to_owned(),
        }
    }

    /// The studies that are run in a lab, with their latest sessions.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn studies(&self) -> Result<LabStudies> {
        json(&request("GET", routes::LAB_STUDIES, Some(&self.key), None).await?).await
    }

    /// A session that is to be followed.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn session(&self, id: &SessionId) -> Result<ReplayState> {
        json(&request("GET", &routes::lab_session(id), Some(&self.key), None).await?).await
    }

    /// The events from `ends` on; waits for some if there are none.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn events(&self, id: &SessionId, ends: LogEnds) -> Result<NewEvents> {
        let LogEnds {
            participant,
            server,
            experimenter,
        } = ends;
        let path = routes::lab_events(id);
        let path =
            format!("{path}?participant={participant}&server={server}&experimenter={experimenter}");
        json(&waiting("GET", &path, Some(&self.key), None).await?).await
    }

    /// Does something as the experimenter.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn act(&self, id: &SessionId, act: &ExperimenterAct) -> Result<ActLogged> {
        let body =
            serde_json::to_string(act).map_err(|e| ClientError::Unintelligible(e.to_string()))?;
        let path = routes::lab_acts(id);
        json(&request("POST", &path, Some(&self.key), Some(&body)).await?).await
    }
}
