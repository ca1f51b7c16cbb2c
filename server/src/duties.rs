//! Duties: work that the server does by itself, beside answering. It verifies sessions, asks for credit, sends
//! decisions to platforms, deletes sound and typed words on their day and blobs that no row names, seals the logs of
//! sessions that have ended, writes tables anew from which something was erased, and renews its certificate.
//!
//! A duty is a row in the database that one server claims for the time of a lease, and claims again as
//! long as it has something to do. So several servers can share the duties, and a server that was killed
//! leaves its own to the others, or to the next. The work to be done is read from the database each time:
//! a restart forgets nothing. Where nothing is to be done, nothing is written.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::monitoring;
use crate::sessions::{SessionError, Sessions};
use crate::storage::DutyClaim;
use crate::tls::Tls;

mod certificate;
mod credit;
mod decisions;
mod deletion;
mod rewriting;
mod sealing;
mod verification;

use certificate::CertificateDuty;
use credit::CreditDuty;
use decisions::DecisionDuty;
use deletion::{BlobDeletion, SoundDeletion, TextDeletion};
use rewriting::Rewriting;
use sealing::Sealing;
use verification::Verification;

/// How long a claim holds: after a kill, the duty waits for so long.
const LEASE: Duration = Duration::from_secs(60);

/// Something that one server does at a time.
#[async_trait]
trait Duty: Send {
    /// The name of its row.
    fn name(&self) -> &'static str;

    /// Whether there is something to do now.
    async fn is_due(&self, sessions: &Sessions) -> Result<bool, SessionError>;

    /// Does what is to be done now. It may be dropped half-way.
    async fn perform(&mut self, sessions: &Sessions) -> Result<(), SessionError>;

    /// Returns when it is time to look again.
    async fn rest(&self, sessions: &Sessions);
}

/// Does all duties until the server stops, each as long as no other server has it.
pub async fn perform_all(sessions: Arc<Sessions>, tls: Option<Tls>, stopping: CancellationToken) {
    let holder = match sessions.new_holder() {
        Ok(holder) => holder,
        Err(error) => {
            tracing::error!(%error, "nothing is verified, credited, sent or deleted by this server");
            return;
        }
    };
    let mut duties: Vec<Box<dyn Duty>> = vec![
        Box::new(Verification::default()),
        Box::new(CreditDuty),
        Box::new(DecisionDuty(sessions.clone())),
        Box::new(SoundDeletion),
        Box::new(TextDeletion),
        Box::new(BlobDeletion),
        Box::new(Sealing),
        Box::new(Rewriting),
    ];
    if let Some(tls) = tls.filter(|tls| tls.acme().is_some()) {
        duties.push(Box::new(CertificateDuty::new(tls)));
    }
    let begin = |duty: Box<dyn Duty>| {
        let claim = Claim {
            sessions: sessions.clone(),
            duty: duty.name(),
            holder: holder.clone(),
            until_unix_ms: 0,
        };
        tokio::spawn(perform(duty, claim, stopping.clone()))
    };
    let tasks: Vec<_> = duties.into_iter().map(begin).collect();
    for task in tasks {
        if let Err(error) = task.await {
            tracing::error!(%error, "a duty has ended early");
        }
    }
}

async fn perform(mut duty: Box<dyn Duty>, mut claim: Claim, stopping: CancellationToken) {
    let sessions = claim.sessions.clone();
    let performing = async {
        loop {
            let done = once(&mut *duty, &mut claim, &sessions).await;
            let is_done = done
                .as_ref()
                .map_or(Some(false), |done| done.then_some(true));
            monitoring::duty(duty.name(), is_done, sessions.now_unix_ms());
            if let Err(error) = done {
                tracing::warn!(duty = duty.name(), %error, "a duty cannot be done now; it is tried again");
            }
            duty.rest(&sessions).await;
        }
    };
    let _: Option<()> = stopping.run_until_cancelled(performing).await;
    claim.give_back().await;
}

/// Does a duty if there is something to do; whether there was.
async fn once(
    duty: &mut dyn Duty,
    claim: &mut Claim,
    sessions: &Sessions,
) -> Result<bool, SessionError> {
    if !duty.is_due(sessions).await? || !claim.hold().await? {
        return Ok(false);
    }
    tokio::select! {
        done = duty.perform(sessions) => done.map(|()| true),
        lost = claim.keep() => lost.map(|()| false),
    }
}

/// A duty, as far as this server has it.
struct Claim {
    sessions: Arc<Sessions>,
    duty: &'static str,
    holder: String,
    /// Until when it has it; 0 while it does not.
    until_unix_ms: u64,
}

impl Claim {
    /// Claims the duty, or claims it again before the claim ends; whether this server has it.
    async fn hold(&mut self) -> Result<bool, SessionError> {
        let lease_ms = LEASE.as_millis() as u64;
        let now_unix_ms = self.sessions.now_unix_ms();
        let left_ms = self.until_unix_ms.saturating_sub(now_unix_ms);
        // More than a lease is left where the clock was set back.
        if left_ms > lease_ms / 2 && left_ms <= lease_ms {
            return Ok(true);
        }
        let until_unix_ms = now_unix_ms + lease_ms;
        let has_it = self.claim_until(now_unix_ms, until_unix_ms).await?;
        self.until_unix_ms = if has_it { until_unix_ms } else { 0 };
        Ok(has_it)
    }

    /// Holds the duty; returns when another server has it.
    async fn keep(&mut self) -> Result<(), SessionError> {
        loop {
            tokio::time::sleep(LEASE / 4).await;
            if !self.hold().await? {
                return Ok(());
            }
        }
    }

    /// Lets others have the duty at once.
    async fn give_back(self) {
        let now_unix_ms = self.sessions.now_unix_ms();
        if self.until_unix_ms > now_unix_ms
            && let Err(error) = self.claim_until(now_unix_ms, now_unix_ms).await
        {
            tracing::debug!(duty = self.duty, %error, "a duty is free only after its lease");
        }
    }

    async fn claim_until(
        &self,
        now_unix_ms: u64,
        until_unix_ms: u64,
    ) -> Result<bool, SessionError> {
        let claim = DutyClaim {
            duty: self.duty.to_owned(),
            holder: self.holder.clone(),
            now_unix_ms,
            until_unix_ms,
            longest_ms: LEASE.as_millis() as u64,
        };
        Ok(self.sessions.storage().claim_duty(claim).await?)
    }
}
