//! The three ways in.

use anyhow::{Context, Result, bail, ensure};
use api::{Ack, Batch, ErrorCode, SessionStarted, routes};
use domain::session::event::{Envelope, SessionId};
use hyper::Method;
use serde_json::{Value, json};
use tests::client::{Client, HttpAnswer};
use tests::simulated::stream::{Reply, Stream};

/// The three ways a batch can take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Transport {
    Post,
    Beacon,
    Stream,
}

pub(crate) const TRANSPORTS: [Transport; 3] =
    [Transport::Post, Transport::Beacon, Transport::Stream];
/// What the server says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AppendReply {
    Acked(u64),
    Refused(ErrorCode, Option<u64>),
}

impl AppendReply {
    pub(crate) fn of(answer: &HttpAnswer) -> Result<Self> {
        if answer.status.is_success() {
            return Ok(Self::Acked(answer.json::<Ack>()?.acked_len));
        }
        let error = answer.error()?;
        ensure!(!error.message.is_empty(), "{:?} without words", error.code);
        Ok(Self::Refused(error.code, error.acked_len))
    }
}

impl From<Reply> for AppendReply {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Acked(acked_len) => Self::Acked(acked_len),
            Reply::Refused(error) => Self::Refused(error.code, error.acked_len),
        }
    }
}

pub(crate) struct RequestClient {
    pub(crate) client: Client,
    pub(crate) address: String,
    pub(crate) started: SessionStarted,
    pub(crate) other: SessionStarted,
}

impl RequestClient {
    pub(crate) fn session(&self) -> &SessionId {
        &self.started.plan.session
    }

    pub(crate) async fn send(&self, way: Transport, events: &[Envelope]) -> Result<AppendReply> {
        let batch = serde_json::to_value(Batch {
            events: events.to_vec(),
        })?;
        self.send_json(way, &self.started.token, batch).await
    }

    pub(crate) async fn send_json(
        &self,
        way: Transport,
        token: &str,
        batch: Value,
    ) -> Result<AppendReply> {
        let text = match way {
            Transport::Post => batch.to_string(),
            Transport::Beacon => json!({ "token": token, "batch": batch }).to_string(),
            Transport::Stream => {
                let mut message = batch;
                message["type"] = json!("batch");
                message.to_string()
            }
        };
        self.send_text(way, token, text).await
    }

    pub(crate) async fn send_text(
        &self,
        way: Transport,
        token: &str,
        text: String,
    ) -> Result<AppendReply> {
        let (path, bearer) = match way {
            Transport::Post => (routes::events(self.session()), Some(token)),
            Transport::Beacon => (routes::beacon(self.session()), None),
            Transport::Stream => return self.say(token, text).await,
        };
        let body = Some(text.into_bytes());
        AppendReply::of(&self.client.send(Method::POST, &path, bearer, body).await?)
    }

    /// Says something over a new WebSocket; the answer is that to the greeting if it was refused.
    async fn say(&self, token: &str, text: String) -> Result<AppendReply> {
        let mut stream = Stream::connect(&self.address).await?;
        stream.hello(self.session(), token).await?;
        let greeted = stream.reply().await?;
        if matches!(greeted, Reply::Refused(_)) {
            return Ok(greeted.into());
        }
        stream.text(text).await?;
        Ok(stream
            .reply()
            .await
            .context("no answer to what was said")?
            .into())
    }

    /// The outcome is as expected, and the log is exactly what it was.
    pub(crate) async fn check(
        &self,
        what: &str,
        way: Transport,
        found: Result<AppendReply>,
        expected: &[ErrorCode],
        log: &[Envelope],
    ) -> Result<()> {
        let found = found.with_context(|| format!("{what}, {way:?}"))?;
        match &found {
            AppendReply::Refused(code, _) => {
                ensure!(
                    expected.contains(code),
                    "{what}, {way:?}: {found:?}, not {expected:?}"
                );
            }
            AppendReply::Acked(_) => bail!("{what}, {way:?}: taken, not {expected:?}"),
        }
        let state = self
            .client
            .state(self.session(), &self.started.token)
            .await?;
        ensure!(state.events == log, "{what}, {way:?}: something was stored");
        Ok(())
    }
}
