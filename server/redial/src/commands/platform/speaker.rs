//! What both platforms can be asked for.

use anyhow::{Context as _, bail};
use domain::recruitment::pay::Amount;
use serde_json::Value;
use server::outbound::{self, HttpResponse, PATIENCE};

/// A study as a platform is to offer it.
pub(super) struct Advert {
    pub title: String,
    pub description: String,
    /// Address of the study on this server.
    pub url: String,
    pub amount: Amount,
    pub minutes: u32,
    /// How long the study says that participants have.
    pub limit_minutes: Option<u32>,
    pub places: u64,
}

/// What a platform knows of somebody's work.
pub(super) struct Submission {
    pub id: String,
    pub participant: String,
    pub status: String,
}

/// Somebody's work, as the platform names it.
pub(super) struct SubmissionNames<'a> {
    pub submission: &'a str,
    pub participant: &'a str,
    /// The platform's name for the study.
    pub study: Option<&'a str>,
}

/// A platform that is spoken to. Every function waits for an answer.
pub(super) trait Speaker {
    /// Name in the ledger.
    fn name(&self) -> &'static str;
    /// Currency of its amounts, if it has only one.
    fn currency(&self) -> Option<&'static str>;
    /// Makes the study there; gives the platform's name for it, and what is to be done next.
    fn create(&self, advert: &Advert) -> anyhow::Result<(String, String)>;
    /// What was handed in.
    fn submissions(&self, study: &str) -> anyhow::Result<Vec<Submission>>;
    /// Approves somebody's work; approving twice is no error.
    fn approve(&self, work: &SubmissionNames<'_>) -> anyhow::Result<()>;
    /// What is wrong with a rejection for this reason, if anything.
    fn rejection_fault(&self, because: &str) -> Option<String>;
    /// Rejects it.
    fn reject(&self, work: &SubmissionNames<'_>, because: &str) -> anyhow::Result<()>;
    /// Pays a bonus. `reference` tells it from other bonuses.
    fn bonus(
        &self,
        work: &SubmissionNames<'_>,
        amount: Amount,
        because: &str,
        reference: &str,
    ) -> anyhow::Result<()>;
}

/// Sends a request, and reads the answer's JSON; an empty answer is null.
///
/// # Errors
/// When there is no answer, or it says no; the error says what the platform said.
pub(super) fn ask(platform: &str, request: http::Request<Vec<u8>>) -> anyhow::Result<Value> {
    let asked = format!("{} {}", request.method(), request.uri().path());
    let HttpResponse { status, body } = outbound::send(request, PATIENCE)?;
    if !(200..300).contains(&status) {
        let said: String = body.chars().take(1_000).collect();
        bail!("{platform} answered {asked} with the status {status}: {said}");
    }
    if body.trim().is_empty() {
        return Ok(Value::Null);
    }
    // Some answers are a sentence.
    Ok(serde_json::from_str(&body).unwrap_or(Value::String(body)))
}

/// A text of an answer.
///
/// # Errors
/// When it is not there.
pub(super) fn text(value: &Value, name: &str) -> anyhow::Result<String> {
    let text = value.get(name).and_then(Value::as_str);
    let text = text.with_context(|| format!("the platform's answer has no '{name}'"))?;
    Ok(text.to_owned())
}
